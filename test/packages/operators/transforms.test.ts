import t from 'tap';
import {
  Combine,
  ConsoleOutput,
  FieldMap,
  Filter,
  HubOutput,
  JsonParse,
  RegexParse,
} from '../../../packages/operators/built-in.js';
import { startOperator, windowIdOf } from '../../helpers/operator-harness.js';

t.test('JSON: values, and what is none', async (t) => {
  const parse = await startOperator(JsonParse, { maxCharacters: 20 });
  t.strictSame(parse.window(['{"a":1}', '[1]', '1', '{', 7, null, `"${'x'.repeat(30)}"`]), [{ a: 1 }, [1]]);
  t.match(parse.tuples('errors'), [
    { message: 'neither an object nor an array', text: '1' },
    { message: /JSON/, text: '{' },
    { message: 'there is no text', text: null },
    { message: 'there is no text', text: null },
    { message: 'longer than 20 characters', text: /^"x+"$/ },
  ]);
  t.strictSame(parse.operator.counters(), { failed: 5 });
  const again = await startOperator(JsonParse, {}, { restore: parse.checkpoint() });
  t.strictSame(again.operator.counters(), { failed: 5 });
});

t.test('JSON: from a field, of any kind, and with keys that are no data', async (t) => {
  const parse = await startOperator(JsonParse, { field: 'body', objectsOnly: false });
  const [value, number] = parse.window([{ body: '{"__proto__":{"x":1}}' }, { body: '3' }]);
  t.equal(JSON.stringify(value), '{"__proto__":{"x":1}}');
  t.equal(Object.getPrototypeOf(value), Object.prototype);
  t.equal(number, 3);
});

t.test('JSON: an error tells the beginning of a long text', async (t) => {
  const parse = await startOperator(JsonParse, {});
  parse.window(['x'.repeat(5_000)]);
  t.match(parse.tuples('errors'), [{ text: `${'x'.repeat(200)}…` }]);
});

const common =
  '^(?<host>\\S+) \\S+ \\S+ \\[(?P<time>[^\\]]+)\\] "(?<method>\\w+) (?<path>\\S+)[^"]*" (?<status>\\d+) (?<bytes>\\d+|-)';

t.test('regular expression: groups become fields', async (t) => {
  const parse = await startOperator(RegexParse, { pattern: common, numbers: ['status', 'bytes'] });
  const line = '127.0.0.1 - - [21/Nov/2026:12:00:00 +0000] "GET /x?y=1 HTTP/1.1" 200';
  t.strictSame(parse.window([`${line} 12`, `${line} -`, 'nonsense', 3]), [
    {
      host: '127.0.0.1',
      time: '21/Nov/2026:12:00:00 +0000',
      method: 'GET',
      path: '/x?y=1',
      status: 200,
      bytes: 12,
    },
    {
      host: '127.0.0.1',
      time: '21/Nov/2026:12:00:00 +0000',
      method: 'GET',
      path: '/x?y=1',
      status: 200,
      bytes: null,
    },
  ]);
  t.match(parse.tuples('errors'), [
    { message: 'no match', text: 'nonsense' },
    { message: 'there is no text', text: null },
  ]);
  parse.change({ pattern: '(?<all>.*)' });
  t.strictSame(parse.window(['x']), [{ all: 'x' }], 'changed at run time');
});

t.test('regular expression: part or whole, a field, an absent group', async (t) => {
  const whole = await startOperator(RegexParse, { pattern: '(?<n>\\d+)', whole: true });
  t.strictSame(whole.window(['12', 'a12']), [{ n: '12' }]);
  const field = await startOperator(RegexParse, { pattern: 'a(?<b>b)?', field: 'text' });
  t.strictSame(field.window([{ text: 'xa' }]), [{ b: null }]);
  const none = await startOperator(RegexParse, { pattern: 'a' });
  t.match(none.logged, [{ level: 'warn', message: /no named groups/ }]);
});

t.test('regular expression: bad ones are refused, and slow ones do not exist', async (t) => {
  for (const pattern of ['(', '(?=x)', '(a)\\1', '']) {
    await t.rejects(startOperator(RegexParse, { pattern }), { name: 'ZodError' }, pattern);
  }
  const parse = await startOperator(RegexParse, { pattern: '^(?<a>(a+)+)$' });
  // With a backtracking engine this takes longer than the test may.
  parse.window([`${'a'.repeat(5_000)}!`]);
  t.equal(parse.operator.counters()['failed'], 1);
});

t.test('filter: true passes, everything else goes to the other port', async (t) => {
  const filter = await startOperator(Filter, { condition: 'status >= 500' });
  t.strictSame(filter.window([{ status: 503 }, { status: 200 }, { status: '503' }, 7, null]), [
    { status: 503 },
  ]);
  t.strictSame(filter.tuples('rejected'), [{ status: 200 }, { status: '503' }, 7, null]);
  filter.change({ condition: '$ == 7' });
  t.strictSame(filter.window([7, 8]), [7]);
  await t.rejects(startOperator(Filter, { condition: 'status >=' }), { message: /at character 10/ });
});

t.test('map: pick, drop, rename, constants, compute', async (t) => {
  const table: readonly [properties: object, tuple: unknown, expected: unknown][] = [
    [{}, { a: 1, b: 2 }, { a: 1, b: 2 }],
    [{ pick: ['a', 'absent'] }, { a: 1, b: 2 }, { a: 1 }],
    [{ pick: [] }, { a: 1, b: 2 }, {}],
    [{ drop: ['a'] }, { a: 1, b: 2 }, { b: 2 }],
    [{ rename: { a: 'c' } }, { a: 1, b: 2 }, { c: 1, b: 2 }],
    [{ rename: { a: 'b', b: 'a' } }, { a: 1, b: 2 }, { b: 1, a: 2 }],
    [{ constants: { a: 9, c: [1] } }, { a: 1 }, { a: 9, c: [1] }],
    [{ compute: { a: 'a + 1', b: 'a * 2' } }, { a: 1 }, { a: 2, b: 2 }],
    [{ pick: [], compute: { seconds: 'millis / 1000' } }, { millis: 1_500 }, { seconds: 1.5 }],
    [{ compute: { double: '$ * 2' } }, 4, { double: 8 }],
    [{}, null, {}],
  ];
  for (const [properties, tuple, expected] of table) {
    const map = await startOperator(FieldMap, properties);
    t.strictSame(map.window([tuple]), [expected], JSON.stringify(properties));
  }
  await t.rejects(startOperator(FieldMap, { compute: { a: 'evil()' } }), { message: /no function/ });
});

t.test('map: names that mean something to the language are plain fields', async (t) => {
  const map = await startOperator(
    FieldMap,
    JSON.parse('{"rename":{"a":"__proto__"},"compute":{"constructor":"1"}}'),
  );
  const [made] = map.window([{ a: { polluted: true } }]);
  t.equal(JSON.stringify(made), '{"__proto__":{"polluted":true},"constructor":1}');
  t.equal(Object.getPrototypeOf(made), Object.prototype);
});

t.test('combine: one record per window', async (t) => {
  const combine = await startOperator(Combine, { names: ['a', 'b', 'c'] });
  combine.begin();
  combine.operator.process('input1', 1);
  combine.operator.process('input1', 2);
  combine.operator.process('input3', 'x');
  combine.end();
  combine.window([], 'input1');
  t.strictSame(combine.tuples(), [
    { windowId: windowIdOf(0), time: 1_700_000_000_000, a: 2, b: null, c: 'x' },
  ]);
  const all = await startOperator(Combine, { names: ['a', 'b'], collect: 'all', maxPerWindow: 2 });
  t.match(all.window([1, 2, 3], 'input1'), [{ a: [1, 2], b: [] }]);
  t.strictSame(all.operator.counters(), { dropped: 1 });
  await t.rejects(startOperator(Combine, { names: ['a', 'a'] }), { message: /each name once/ });
});

t.test('console: levels, cut tuples, and a limit', async (t) => {
  const output = await startOperator(ConsoleOutput, {
    prefix: '> ',
    maxCharacters: 5,
    maxPerWindow: 2,
    level: 'warn',
  });
  output.window(['1234567', { a: 1 }, 3, 4]);
  output.window(['x']);
  t.strictSame(output.logged, [
    { level: 'warn', message: '> 12345…' },
    { level: 'warn', message: '> {"a":…' },
    { level: 'warn', message: '> and 2 more tuples in this window' },
    { level: 'warn', message: '> x' },
  ]);
  t.strictSame(output.operator.counters(), { suppressed: 2 });
});

t.test('hub: each tuple, the last of a window, or a whole window', async (t) => {
  const each = await startOperator(HubOutput, { topic: 'demo', maxPerWindow: 2 });
  each.window([1, { a: 2 }, 3]);
  t.strictSame(each.published, [
    { topic: 'demo', data: 1 },
    { topic: 'demo', data: { a: 2 } },
  ]);
  t.strictSame(each.operator.counters(), { dropped: 1 });

  const last = await startOperator(HubOutput, { topic: 'demo', mode: 'last' });
  last.window([1, 2]);
  last.window([]);
  t.strictSame(last.published, [{ topic: 'demo', data: 2 }], 'nothing for an empty window');

  const window = await startOperator(HubOutput, { topic: 'demo', mode: 'window', maxPerWindow: 2 });
  window.window(['a', 'b', 'c']);
  window.window([]);
  t.strictSame(
    window.published.map(({ data }) => data),
    [
      { windowId: windowIdOf(0), time: 1_700_000_000_000, tuples: ['a', 'b'], dropped: 1 },
      { windowId: windowIdOf(1), time: 1_700_000_000_500, tuples: [], dropped: 0 },
    ],
  );
});
