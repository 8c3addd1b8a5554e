import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { backtest } from '../../../../../lib/features/system-alerts/backtest.js';
import { replaceArrayMethods } from '../../../../../lib/features/system-alerts/conditions/array-methods.js';
import type {
  Condition,
  ConditionResult,
} from '../../../../../lib/features/system-alerts/conditions/condition.js';
import { createConditionRunner } from '../../../../../lib/features/system-alerts/conditions/runner.js';
import { createScriptProcesses } from '../../../../../lib/features/system-alerts/conditions/script-processes.js';
import { testFolder } from '../../../../helpers/folder.js';
import { type LogLine, loggerInto } from '../../../../helpers/gateway.js';
import { scriptProcesses } from '../../../../helpers/script-processes.js';
import { until } from '../../../../helpers/waiting.js';

// Conditions in their process. One process serves the whole file, but where a script brings it down.

const logs: LogLine[] = [];
const limitMillis = 250;
const runner = createConditionRunner({ limitMillis }, loggerInto(logs));
t.teardown(() => runner.close());

const topics = new Map([
  ['cluster.metrics', '{"cpuPercentage":91.5,"numContainers":"3","list":[1,2,3]}'],
  ['__proto__', '{"a":1}'],
]);

/** By the name of each. */
async function evaluate(
  named: Readonly<Record<string, string | Condition>>,
): Promise<Record<string, ConditionResult | undefined>> {
  const conditions = Object.values(named).map((one) => (typeof one === 'string' ? { script: one } : one));
  const results = await runner.evaluate({ snapshots: [{ topics, conditions }] });
  t.equal(results.length, conditions.length, 'a result for each');
  return Object.fromEntries(Object.keys(named).map((name, index) => [name, results[index]]));
}

const resultOf = async (script: string): Promise<ConditionResult | undefined> =>
  (await evaluate({ script })).script;

t.test('what conditions read, and what they give', async (t) => {
  for (const [script, holds] of [
    ['_topic["cluster.metrics"].cpuPercentage > 90', true],
    ['_topic["cluster.metrics"].numContainers === 3', true],
    ['_topic["cluster.metrics"].list.some((n) => n > 3)', false],
    [
      'const m = _topic["cluster.metrics"]; if (m.cpuPercentage > 90) { m.list.length === 3 } else { false }',
      true,
    ],
    ['_topic["__proto__"].a === 1', true],
    ['_topic.constructor === undefined', true],
    ['[3, 1, 2].sort().join() === "1,2,3" && /^a+$/.test("aaa") && Math.max(1, 2) === 2', true],
  ] as const) {
    t.match(await resultOf(script), { is: 'evaluated', holds }, script);
  }
});

t.test('only true is true', async (t) => {
  for (const [script, note] of [
    ['1', 'a number'],
    ['"true"', 'a string'],
    ['({})', 'an object'],
    ['new Boolean(true)', 'an object'],
    ['new Proxy({}, { get() { throw 1 }, getPrototypeOf() { for (;;); } })', 'an object'],
    ['undefined', 'undefined'],
    ['() => true', 'a function'],
  ] as const) {
    t.match(await resultOf(script), { is: 'evaluated', holds: false, note: new RegExp(note) }, script);
  }
});

t.test('what was read is told when it is asked for', async (t) => {
  const script =
    '_topic["cluster.metrics"].cpuPercentage > 90 && _topic["cluster.metrics"].list.length > 2 && _topic.none?.x !== 1';
  const fields = [
    { topic: 'cluster.metrics', path: ['cpuPercentage'], value: '91.5' },
    { topic: 'cluster.metrics', path: ['list', 'length'], value: '3' },
    { topic: 'none', path: ['x'] },
  ];
  const found = await evaluate({
    asked: { script, fieldsWhen: true },
    otherwise: { script, fieldsWhen: false },
    always: { script, fieldsWhen: 'always' },
    not: script,
  });
  t.match(found.asked, { holds: true, fields });
  t.match(found.always, { holds: true, fields });
  t.notHas(found.otherwise, { fields: [] });
  t.notHas(found.not, { fields: [] });
});

t.test('each owner has his snapshot', async (t) => {
  const script = '_topic.a === 1';
  const found = await runner.evaluate({
    snapshots: [
      { topics: new Map([['a', '1']]), conditions: [{ script }] },
      { topics: new Map(), conditions: [{ script }] },
    ],
  });
  t.match(found, [{ holds: true }, { holds: false }]);
});

t.test('a script is read without being run', async (t) => {
  t.strictSame(await runner.check('for (;;); _topic.a'), { is: 'sound', topics: [['a']] });
  t.match(await runner.check('true;\n1 +'), { is: 'faulty', line: 2, column: 4 });
  t.match(await runner.check('"import(x)" === ""'), { is: 'faulty', message: /import/ });
  t.match(await runner.check('let _topic = 1; true'), { is: 'faulty' });
});

// From the collections of escapes from sandboxes: each ends as an error, and none leaves anything behind.
const hostile: readonly string[] = [
  '(() => {}).constructor("return process")()',
  '[].constructor.constructor("return this")().process.exit()',
  '(function* () {}).constructor("yield 1")()',
  'Object.getPrototypeOf(function () {}).constructor("return 1")()',
  'process.exit(1)',
  'require("fs")',
  'globalThis.process.pid',
  'this.process',
  'eval("1")',
  'Function("return 1")()',
  'new Compartment()',
  'fetch("http://127.0.0.1")',
  'setTimeout(() => {}, 0)',
  'queueMicrotask(() => {})',
  'Promise.resolve()',
  'new Uint8Array(1e9)',
  'new ArrayBuffer(1e9)',
  'new WebAssembly.Memory({ initial: 1 })',
  'Date.now()',
  'Math.random()',
  'new Date()',
  'Object.prototype.polluted = true',
  'Array.prototype.push = () => 0',
  '_topic["cluster.metrics"].cpuPercentage = 0',
  '_topic.mine = 1',
  'delete _topic["cluster.metrics"].list',
  '_topic["cluster.metrics"].list.push(4)',
  'globalThis.shared = 1',
  'Math.shared = 1',
  'undeclared = 1',
  'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
  'throw { toString() { throw 1 }, get message() { throw 2 } }',
  'const deep = () => deep(); deep()',
  'null.member',
  'arguments.callee.caller.arguments',
];

t.test('hostile scripts end as errors', async (t) => {
  const found = await evaluate(Object.fromEntries(hostile.map((script) => [script, script])));
  for (const script of hostile) t.match(found[script], { is: 'failed' }, script);
  t.match(
    await resultOf(
      '({}).polluted === undefined && globalThis.shared === undefined && this === undefined && _topic["cluster.metrics"].list.length === 3',
    ),
    { holds: true },
  );
});

t.test('what would never end is stopped, and what stands behind it is evaluated', async (t) => {
  const good = 'true';
  const endless = [
    'for (;;);',
    'while (true) { try { for (;;); } finally { for (;;); } }',
    '/^(a+)+$/.test("a".repeat(40) + "b")',
    'throw { get message() { for (;;); }, __proto__: Error.prototype }',
    'const slow = { valueOf() { for (;;); } }; slow > 1',
  ].map((script) => (script.endsWith(';') || script.endsWith('}') ? `${script}; true` : script));
  const found = await evaluate(
    Object.fromEntries(
      endless.flatMap((script, index) => [
        [script, script],
        [`after ${index}`, good],
      ]),
    ),
  );
  for (const [index, script] of endless.entries()) {
    t.match(found[script], { is: 'stopped', message: /250 ms/ }, script);
    t.match(found[`after ${index}`], { is: 'evaluated', holds: true });
  }
});

t.test('a script is read also when the last condition of a round took long', async (t) => {
  t.match(await resultOf('for (;;); true'), { is: 'stopped' });
  t.match(await runner.check('_topic.a > 1'), { is: 'sound' });
});

t.test('topics that did not change are not sent again, and stay what they were', async (t) => {
  const conditions = [{ script: '_topic.a.n === 1 && _topic.b?.n !== 1' }];
  const holds = async (a: string, b: string) => {
    const named = new Map([
      ['a', a],
      ['b', b],
    ]);
    return (await runner.evaluate({ snapshots: [{ topics: named, conditions }] }))[0];
  };
  t.match(await holds('{"n":1}', '{"n":2}'), { holds: true });
  t.match(await holds('{"n":1}', '{"n":3}'), { holds: true });
  t.match(await holds('{"n":1}', '{"n":1}'), { holds: false });
  t.match(await holds('{"n":2}', '{"n":1}'), { holds: false });
  t.match(await holds('{"n":1}', '{"n":2}'), { holds: true });
});

t.test('array methods do on frozen arrays what the language says', async (t) => {
  class Own extends Array<unknown> {}
  replaceArrayMethods(Own.prototype);
  const holed: unknown[] = [1, 2, 3];
  delete holed[1];
  const self = { mine: true };
  for (const items of [[], [1, 2, 3], [undefined, null, 0], ['a', Number.NaN, true], holed]) {
    for (const method of ['some', 'every', 'find', 'findIndex', 'filter', 'forEach'] as const) {
      for (const wanted of [-1, 0, 1, 2]) {
        const outcomeOf = (all: unknown[]): unknown => {
          const calls: unknown[] = [];
          const given = Object.freeze(all)[method](function (this: unknown, item, index, list) {
            calls.push([item, index, list === all, this === self]);
            return method === 'every' ? index !== wanted : index === wanted;
          }, self);
          return { given: Array.isArray(given) ? [...given] : given, calls };
        };
        const own: unknown[] = Object.setPrototypeOf(items.slice(), Own.prototype);
        t.strictSame(outcomeOf(own), outcomeOf(items.slice()), `${method} of ${items} at ${wanted}`);
      }
      t.throws(() => Reflect.apply(Own.prototype[method], Object.freeze([1]), []), TypeError);
    }
  }
});

t.test('what brings the process down is named, and the others are evaluated in a fresh one', async (t) => {
  for (const bomb of [
    'const all = []; for (;;) all.push({ member: all.length }); true',
    // A builtin at work, which the watch does not end.
    'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) === 0',
  ]) {
    const found = await evaluate({
      before: 'true',
      bomb,
      after: '_topic["cluster.metrics"].cpuPercentage > 90',
    });
    t.match(found.before, { is: 'evaluated', holds: true });
    t.match(found.bomb, { is: 'stopped' }, bomb);
    t.match(found.after, { is: 'evaluated', holds: true });
  }
  t.match(await runner.check('true'), { is: 'sound' });
});

const isLinux = process.platform === 'linux';
t.test('its process has a small heap, no environment and may read no file', { skip: !isLinux }, async (t) => {
  t.match(await resultOf('true'), { holds: true });
  const { args = [], environment } = scriptProcesses()[0] ?? {};
  t.equal(environment, '');
  const permission = ['--permission', '--experimental-permission'].find((flag) =>
    process.allowedNodeEnvironmentFlags.has(flag),
  );
  t.match(args.at(-2), /^require\('node:vm'\).*readFileSync\(4/, 'its program came to it');
  t.strictSame(
    args.slice(0, -2),
    [
      '--max-old-space-size=128',
      '--max-semi-space-size=8',
      '--no-warnings',
      ...(permission ? [permission] : []),
      '-e',
    ],
    'it may read and write nothing and start nothing',
  );
});

t.test('who comes after what brings the process down is evaluated once and in his place', async (t) => {
  const endless = (index: number) => `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, ${index}) === 0`;
  const found = await evaluate({
    first: '"first" === ""',
    bomb: endless(1),
    second: '"second" !== ""',
    // Perhaps it is waited for with a successor, which is of no use then.
    slow: 'Array.prototype.indexOf.call({ length: 2e6 }, 1) === -1',
    third: '"third" === ""',
    'another bomb': endless(2),
    fourth: '"fourth" !== ""',
    'the last is a bomb': endless(3),
  });
  t.match(found, {
    first: { is: 'evaluated', holds: false },
    bomb: { is: 'stopped', message: /250 ms/ },
    second: { is: 'evaluated', holds: true },
    third: { is: 'evaluated', holds: false },
    'another bomb': { is: 'stopped' },
    fourth: { is: 'evaluated', holds: true },
    'the last is a bomb': { is: 'stopped' },
  });
  t.match(await resultOf('true'), { holds: true });
  t.match(await resultOf('true'), { holds: true });
  await until(
    async () => runner.processCount(),
    (count) => count === 2,
  );
});

t.test('a round that uses up its processes leaves none behind that answers the next one', async (t) => {
  const conditions = Array.from({ length: 12 }, (_, index) => ({
    script: `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, ${index}) === 1`,
  }));
  const results = await runner.evaluate({ snapshots: [{ topics: new Map(), conditions }] });
  t.strictSame(
    results.map((result) => result.is),
    [...Array.from({ length: 10 }, () => 'stopped'), 'skipped', 'skipped'],
  );
  t.ok(runner.processCount() <= 2);
  t.match(await evaluate({ first: 'true', second: 'false' }), {
    first: { is: 'evaluated', holds: true },
    second: { is: 'evaluated', holds: false },
  });
});

t.test(
  'a list of conditions that is told once is evaluated again and again, also after others',
  async (t) => {
    const lists = ['_topic.a === 1', '_topic.a === 2'].map((script) => [{ script }, { script: 'true' }]);
    const holds = async (...places: readonly [list: number, a: number][]) => {
      const results = await runner.evaluate({
        snapshots: places.map(([list, a]) => ({
          topics: new Map([['a', String(a)]]),
          conditions: lists[list] ?? [],
        })),
      });
      return results.map((result) => result.is === 'evaluated' && result.holds);
    };
    t.strictSame(await holds([0, 1]), [true, true]);
    t.strictSame(await holds([0, 2]), [false, true]);
    t.strictSame(await holds([1, 2], [0, 2]), [true, true, false, true]);
    t.strictSame(await holds([0, 1], [1, 1]), [true, true, false, true]);
    // So many scripts are new here that what was of use before is forgotten.
    for (const round of [1, 2, 3]) {
      const conditions = Array.from({ length: 1500 }, (_, index) => ({ script: `${index} < ${round}` }));
      await runner.evaluate({ snapshots: [{ topics: new Map(), conditions }] });
    }
    t.strictSame(await holds([0, 2], [1, 2]), [false, true, true, true]);
    await runner.evaluate({ snapshots: [{ topics: new Map(), conditions: [{ script: 'false' }] }] });
    t.strictSame(await holds([0, 1], [1, 2]), [true, true, true, true]);
  },
);

t.test(
  'a spare process is there before it is needed; one that ends by itself is not begun at once',
  async (t) => {
    const processes = createScriptProcesses({ execPath: process.execPath, env: {}, heapMB: 64 });
    processes.keepSpare();
    processes.keepSpare();
    await until(
      async () => processes.count,
      (count) => count === 1,
    );
    const taken = await processes.take();
    t.match(await taken.next(10_000), { is: 'ready' });
    t.equal(processes.count, 1, 'it was the spare one');
    processes.keepSpare();
    await until(
      async () => processes.count,
      (count) => count === 2,
    );
    await processes.endSpare();
    t.equal(processes.count, 1);
    processes.keepSpare();
    await processes.close();
    t.equal(processes.count, 0);
    await t.rejects(processes.take(), { code: 'NOT_READY' });

    const directory = testFolder(t, { starts: '', 'mortal.sh': `#!/bin/sh\necho >> "$STARTS"\n` });
    chmodSync(join(directory, 'mortal.sh'), 0o755);
    const starts = join(directory, 'starts');
    const mortal = createScriptProcesses({
      execPath: join(directory, 'mortal.sh'),
      env: { STARTS: starts },
      heapMB: 64,
    });
    mortal.keepSpare();
    // One start asks the runtime for its flags, the other one is the process.
    await until(
      async () => readFileSync(starts, 'utf8').length,
      (count) => count === 2,
    );
    await until(
      async () => mortal.count,
      (count) => count === 0,
    );
    mortal.keepSpare();
    await new Promise(setImmediate);
    t.equal(mortal.count, 0);
    await mortal.close();
  },
);

t.test('what was is tried in small pieces, until nobody waits for it any more', async (t) => {
  const records = Array.from({ length: 12 }, (_, time) => ({
    time,
    owner: 'ada',
    topics: new Map([['n', String(time)]]),
  }));
  const stop = new AbortController();
  const pieces: number[] = [];
  const watched: Parameters<typeof backtest>[0] = {
    evaluate(round) {
      pieces.push(round.snapshots.length);
      return runner.evaluate(round);
    },
  };
  const tried = { script: '_topic.n > 6', timeThresholdMillis: 0 };
  const found = await backtest(watched, tried, records, stop.signal);
  t.match(found, { evaluations: 12, errors: 0, activations: [{ inTime: 7 }] });
  t.strictSame(pieces, [5, 5, 2]);
  stop.abort();
  await t.rejects(backtest(watched, tried, records, stop.signal), { name: 'AbortError' });
});

t.test('a process that is ended from outside blames nobody', { skip: !isLinux }, async (t) => {
  const said: LogLine[] = [];
  const before = new Set(scriptProcesses().map(({ pid }) => pid));
  const other = createConditionRunner({ limitMillis: 60_000, heapMB: 32 }, loggerInto(said));
  t.teardown(() => other.close());
  const own = () => scriptProcesses().filter(({ pid }) => !before.has(pid));
  function signalAll(signal: 'SIGKILL' | 'SIGSTOP'): void {
    for (const { kill } of own()) kill(signal);
  }
  /** Each process that runs for so long, until the work is done or nobody is left to be killed. */
  async function killing<T>(work: Promise<T>, most: number, ranMillis: number): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    const killed = new Set<number>();
    while (!isDone && killed.size < most) {
      await immediate();
      const found = own().find(({ pid, ran }) => !killed.has(pid) && ran >= ranMillis);
      if (found) killed.add(found.pid);
      found?.kill('SIGKILL');
    }
    return work;
  }
  const evaluated = async (script: string) => {
    const conditions = [{ script: '"first" !== ""' }, { script }, { script: '"last" !== ""' }];
    const [first, result, last] = await other.evaluate({ snapshots: [{ topics, conditions }] });
    for (const one of [first, last]) t.match(one, { is: 'evaluated', holds: true });
    return result;
  };

  t.match(await other.check('true'), { is: 'sound' });
  signalAll('SIGKILL');
  t.match(await other.check('true'), { is: 'sound' }, 'it was idle');
  signalAll('SIGSTOP');
  const checking = other.check('true');
  await immediate();
  signalAll('SIGKILL');
  t.match(await checking, { is: 'sound' }, 'it was reading the script');
  signalAll('SIGKILL');
  // None comes to say that it is ready: it is found right after its start, which takes it many milliseconds.
  await t.rejects(killing(other.check('true'), 100, 0), { code: 'NOT_READY' }, 'it is always ended');
  signalAll('SIGKILL');

  // Longer than a process takes to start.
  const long = 'let n = 0; for (let i = 0; i < 6e8; i++) n += i % 7; n > 0';
  t.match(await killing(evaluated(long), 1, 600), { is: 'evaluated', holds: true }, 'once');
  // One that knows the condition is not on its guard.
  signalAll('SIGKILL');
  t.match(await killing(evaluated(long), 2, 600), { is: 'stopped', message: /outside/ }, 'twice in a round');
  t.match(await evaluated('const all = []; for (;;) all.push({ member: all.length }); true'), {
    is: 'stopped',
    message: /32 MB/,
  });
  t.ok(said.some(({ message, level }) => level === 'warn' && /ended from outside/.test(message)));
});

t.test('after its end nothing is run', async (t) => {
  const other = createConditionRunner({}, loggerInto([]));
  t.match(await other.check('true'), { is: 'sound' });
  await other.close();
  await other.close();
  await t.rejects(other.check('true'), { code: 'NOT_READY' });
  const lost = createConditionRunner({ execPath: '/nowhere/node' }, loggerInto([]));
  await t.rejects(lost.check('true'), { code: 'NOT_READY' });
  await lost.close();
});

t.test('what looks like a change changes nothing', async (t) => {
  const trick = 'Error.prepareStackTrace = (error, frames) => frames; new Error("x").stack.length > 1e6';
  t.match(await resultOf(trick), { is: /evaluated|failed/ });
  t.match(await resultOf('Error.prepareStackTrace() === ""'), { holds: true });
});
