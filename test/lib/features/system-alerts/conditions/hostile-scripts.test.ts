import t from 'tap';
import type { ConditionResult } from '../../../../../lib/features/system-alerts/conditions/condition.js';
import { createConditionRunner } from '../../../../../lib/features/system-alerts/conditions/runner.js';
import { loggerInto } from '../../../../helpers/gateway.js';

// The public collections of escapes from sandboxes of JavaScript, by kind. Each ends as an error within its limit, the
// condition beside it is evaluated in the same round, and nothing that was there before is different after it.

const limitMillis = 250;
const runner = createConditionRunner({ limitMillis }, loggerInto([]));
t.teardown(() => runner.close());
const topics = new Map([['room', '{"temperature":21,"list":[1,2,3],"text":"warm"}']]);

/** Sound only where all that a script could have changed is as it was. */
const witness = `
  const { temperature, list, text } = _topic.room;
  temperature === 21 && list.length === 3 && list.map((n) => n + 1).join() === '2,3,4' && text.slice(1) === 'arm' &&
  Object.keys(_topic).join() === 'room' && Object.isFrozen(_topic) && [3, 1].sort()[0] === 1 && /^a+$/.test('aa') &&
  ({}).polluted === undefined && [].polluted === undefined && ''.polluted === undefined && this === undefined &&
  typeof process === 'undefined' && typeof require === 'undefined' && JSON.stringify({ a: 1 }) === '{"a":1}' &&
  new Map([[1, 2]]).get(1) === 2 && Math.max(1, 2) === 2 && typeof new Error('x').message === 'string'`;

const kinds: Readonly<Record<string, { readonly is: RegExp; readonly scripts: readonly string[] }>> = {
  'constructor chains': {
    is: /failed/,
    scripts: [
      '(() => {}).constructor("return process")()',
      '[].constructor.constructor("return this")().process.exit()',
      '_topic.room.list.constructor.constructor("return process")()',
      '_topic.room.text.constructor.constructor("return process")().exit()',
      '_topic.room.temperature.toFixed.constructor("return globalThis")()',
      '(function* () {}).constructor("yield 1")().next().value.x',
      'Object.getPrototypeOf(function () {}).constructor("return 1")()',
      'Reflect.construct((() => {}).constructor, ["return process"])()',
      'Reflect.getPrototypeOf(class {}).constructor("return 1")()',
      'new Proxy(() => {}, {}).constructor("return process")()',
      '((...parts) => parts)`x`.raw.constructor.constructor("return process")()',
      'Object.getOwnPropertyDescriptor((() => {}).__proto__, "constructor").value("return process")()',
      'try { null.x } catch (e) { e.constructor.constructor("return process")().exit() }',
      'const deep = () => deep(); try { deep() } catch (e) { e.constructor.constructor("return process")().exit() }',
      'new Error("x").constructor.__proto__.constructor("return process")()',
    ],
  },
  'code of text, modules and the host': {
    is: /failed/,
    scripts: [
      'eval("1")',
      '(0, eval)("1")',
      'Function("return 1")()',
      'new Compartment()',
      'lockdown()',
      'import("fs"); true',
      'import.meta.url',
      'new (class { x = import("fs") })(); true',
      '"import(x)" === ""',
      '1 /* <!-- */ > 0 <!-- 1',
      'process.exit(1)',
      'require("fs")',
      'process.binding("spawn_sync")',
      'globalThis.process.pid',
      'this.process',
      'this.constructor',
      'fetch("http://127.0.0.1")',
      'new WebAssembly.Memory({ initial: 1 })',
      'new SharedArrayBuffer(8)',
      'new Uint8Array(1e9)',
      'new TextEncoder().encode("x")',
      'new (new TextEncoder().encode("").constructor)(1e9).length === 1e9',
      'new TextDecoder()',
      'Buffer.allocUnsafe(1e9)',
      'structuredClone(_topic)',
      'arguments.callee.caller.arguments',
      '(function f() { return f.caller })().x',
    ],
  },
  'clocks, chance, and what runs later': {
    is: /failed/,
    scripts: [
      'Date.now()',
      'new Date()',
      'Math.random()',
      'performance.now()',
      'Temporal.Now.instant()',
      'setTimeout(() => {}, 0)',
      'setImmediate(() => {})',
      'queueMicrotask(() => {})',
      'for (let i = 0; i < 1e6; i++) Promise.resolve().then(() => { for (;;); }); true',
      'new Promise(() => { for (;;); })',
      'Array.fromAsync([1], () => { for (;;); }); true',
      'for (let i = 0; i < 1e5; i++) Array.fromAsync([i]); true',
      'const flood = async () => { for (;;) await flood(); }; flood(); true',
      '(async function* () { yield 1 })().next(); true',
      'new FinalizationRegistry(() => {})',
    ],
  },
  'changes to what all share': {
    is: /failed/,
    scripts: [
      'Object.prototype.polluted = true',
      'Array.prototype.polluted = true',
      'String.prototype.slice = () => ""',
      '({}).__proto__.polluted = true',
      '({}).constructor.prototype.polluted = true',
      'Object.defineProperty(Object.prototype, "polluted", { get() { return 1 } }); true',
      'Object.setPrototypeOf(Array.prototype, { polluted: 1 }); true',
      'Reflect.defineProperty(_topic, "mine", { value: 1 }) || null.x',
      'Array.prototype.map = () => []',
      'RegExp.prototype.test = () => true',
      'Map.prototype.get = () => 0',
      'JSON.stringify = () => ""',
      'Math.max = () => 0',
      'globalThis.Object = null',
      'globalThis.shared = 1',
      'undeclared = 1',
      'Object.assign(_topic.room, { temperature: 0 })',
      '_topic.room.temperature = 0',
      '_topic.mine = 1',
      'delete _topic.room.list',
      '_topic.room.list.push(4)',
      '_topic.room.list.sort()',
      '_topic.room.list.length = 0',
      'Object.setPrototypeOf(_topic, { polluted: 1 }); true',
      '_topic.__proto__.polluted = 1',
      'Error.stackTraceLimit = Infinity; Error.prepareStackTrace = (e, frames) => frames[0].getThis().process.exit(); new Error().stack.x.y',
      'Error.captureStackTrace(_topic); true',
    ],
  },
  'errors and results that bite whoever looks at them': {
    is: /failed|evaluated/,
    scripts: [
      'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
      'throw { toString() { throw 1 }, get message() { throw 2 }, get name() { throw 3 } }',
      'throw Object.assign(new Error("x"), { name: { toString() { throw 1 } } })',
      'throw null',
      'throw Symbol("x")',
      'throw new Proxy(() => {}, { get(target, name) { return name === "name" ? { length: 1e9 } : this } })',
      'new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
      'new Proxy(new Boolean(true), {})',
      '({ valueOf() { throw 1 }, toString() { throw 2 }, [Symbol.toPrimitive]() { throw 3 } })',
      '({ then(resolve) { resolve(true) } })',
      'Symbol.iterator',
      '10n ** 20n',
      '() => true',
      'new Error("\\u0000\\n".repeat(1e4)).toString()',
      'Error.prepareStackTrace = (e, frames) => frames; new Error("x").stack.length > 1e6',
    ],
  },
  'loops that no one sees': {
    is: /stopped/,
    scripts: [
      'for (;;); true',
      'while (true) { try { for (;;); } finally { for (;;); } } true',
      'throw { get message() { for (;;); }, __proto__: Error.prototype }',
      'throw { get name() { for (;;); }, __proto__: Error.prototype }',
      '({ valueOf() { for (;;); } }) > 1',
      '`${{ toString() { for (;;); } }}` === ""',
      'new Proxy({}, { get() { for (;;); } }).x',
      'new Proxy({}, { has() { for (;;); } }); "x" in new Proxy({}, { has() { for (;;); } })',
      '[1, 2].sort(() => { for (;;); }).length > 1',
      'const { x } = { get x() { for (;;); } }; true',
      '[...{ *[Symbol.iterator]() { for (;;) yield 1; } }].length > 1',
      'JSON.stringify({ toJSON() { for (;;); } }) === ""',
      '/^(a+)+$/.test("a".repeat(40) + "b")',
      '/(?:a|aa)+$/.test("a".repeat(60) + "b")',
      '"a".repeat(50).replace(/(a*)*b/, "") === ""',
      'class A { static { for (;;); } } true',
    ],
  },
  'too much of everything': {
    is: /failed|stopped/,
    scripts: [
      'let s = "x"; for (;;) s += s; true',
      '"x".repeat(2 ** 30).length > 1',
      '"x".padEnd(2 ** 30).length > 1',
      'const all = []; for (;;) all.push("x".repeat(1e6) + all.length); true',
      'const all = []; for (;;) all.push({ member: all.length }); true',
      'new Array(2 ** 32 - 1).fill(0).length > 1',
      'Array.from({ length: 2 ** 32 }).length > 1',
      '2n ** (2n ** 40n) > 1n',
      'let s = ["x"]; for (let i = 0; i < 40; i++) s = [...s, ...s]; true',
      'let text = "[" ; for (let i = 0; i < 25; i++) text += text; JSON.parse(text)',
      'const deep = () => deep(); deep()',
      'new RegExp("(".repeat(1e6))',
      '"x".repeat(1e7).split("").map((x) => x.repeat(1e4)).join("").length > 1',
    ],
  },
};

t.test('of all that the runtime has, nothing is there but the language', async (t) => {
  const language =
    'Array BigInt Boolean Date Iterator JSON Map Math Number Object Proxy Reflect RegExp Set String Symbol WeakMap WeakSet ' +
    'AggregateError Error EvalError RangeError ReferenceError SyntaxError TypeError URIError Infinity NaN undefined globalThis ' +
    'decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite isNaN parseFloat parseInt';
  const known = JSON.stringify(language.split(' '));
  const script = `
    const there = Reflect.ownKeys(globalThis).filter((name) => globalThis[name] !== undefined);
    const more = there.filter((name) => !${known}.includes(name));
    if (more.length > 0) throw new Error(more.map(String).join());
    there.length > 30`;
  const [found] = await runner.evaluate({ snapshots: [{ topics, conditions: [{ script }] }] });
  t.match(found, { is: 'evaluated', holds: true });
});

for (const [kind, { is, scripts }] of Object.entries(kinds)) {
  t.test(kind, async (t) => {
    for (const script of scripts) {
      const [hostile, beside]: readonly ConditionResult[] = await runner.evaluate({
        snapshots: [
          {
            topics,
            conditions: [{ script, fieldsWhen: 'always' }, { script: witness }],
          },
        ],
      });
      t.match(hostile?.is, is, script);
      t.not(JSON.stringify(hostile).length > 2000, true, 'what is told of it is short');
      t.match(beside, { is: 'evaluated', holds: true }, `what was beside ${script}`);
    }
  });
}
