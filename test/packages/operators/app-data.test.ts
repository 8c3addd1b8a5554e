import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { parseQuery } from '../../../packages/operators/app-data-query.js';
import { SnapshotServer } from '../../../packages/operators/built-in.js';
import { type Harness, type HarnessOptions, startOperator } from '../../helpers/operator-harness.js';
import { snippetsOf } from '../../helpers/snippets.js';

// App Data: rows in, queries and results over topics of the hub.

const fields = [
  { name: 'path', type: 'string' },
  { name: 'count', type: 'long' },
];
const queries = 'appData.application_1_0001.tested.query';
const results = 'appData.application_1_0001.tested.result';

const serve = (properties: object = {}, options: HarnessOptions = {}) =>
  startOperator(SnapshotServer, { fields, ...properties }, options);

/** What was published since the last look, by the id at the end of the topic. */
function looker(server: Harness, topic = results) {
  let seen = 0;
  return () => {
    const fresh = server.published.slice(seen);
    seen = server.published.length;
    return fresh.map(({ topic: name, data }) => {
      if (!name.startsWith(`${topic}.`)) throw new Error(name);
      return data;
    });
  };
}

const rowsOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'data' in data ? data.data : undefined;

t.test('queries as they are read', async (t) => {
  const data = { kind: 'data', schemaKeys: null, fields: [], countdown: null, incompleteResultOK: true };
  const good: readonly [message: unknown, query: object][] = [
    [
      { id: '1', type: 'dataQuery' },
      { ...data, id: '1' },
    ],
    ['{"id":"1","type":"dataQuery"}', { ...data, id: '1' }],
    [
      { id: 7, type: 'dataQuery', countdown: '30', data: { fields: ['a', 'a', 'b'] } },
      { ...data, id: '7', countdown: 30, fields: ['a', 'b'] },
    ],
    [
      { id: '1', type: 'dataQuery', data: { schemaKeys: { a: 'b' } } },
      { ...data, id: '1', schemaKeys: { a: 'b' } },
    ],
    [
      { id: '1', type: 'dataQuery', data: null, countdown: null, incompleteResultOK: 'false' },
      { ...data, id: '1', incompleteResultOK: false },
    ],
    [
      { id: '1', type: 'schemaQuery', context: { keys: {} } },
      { ...data, kind: 'schema', id: '1' },
    ],
    [
      { id: '1', type: 'schemaQuery', context: { keys: { a: 'b' } }, more: 1 },
      { ...data, kind: 'schema', id: '1', schemaKeys: { a: 'b' } },
    ],
  ];
  for (const [message, query] of good) t.strictSame(parseQuery(message), query, JSON.stringify(message));
  const bad: readonly unknown[] = [
    null,
    7,
    'text',
    '[]',
    {},
    { type: 'dataQuery' },
    { id: '', type: 'dataQuery' },
    { id: 'x'.repeat(101), type: 'dataQuery' },
    { id: 'ü'.repeat(60), type: 'dataQuery' },
    { id: '1', type: 'otherQuery' },
    { id: '1', type: 'dataQuery', countdown: 0 },
    { id: '1', type: 'dataQuery', countdown: 1.5 },
    { id: '1', type: 'dataQuery', countdown: '-1' },
    { id: '1', type: 'dataQuery', data: { fields: 'a' } },
    { id: '1', type: 'dataQuery', data: [] },
  ];
  for (const message of bad) t.throws(() => parseQuery(message), JSON.stringify(message));
});

t.test('the schema, and the rows of the last window that had any', async (t) => {
  const server = await serve();
  const look = looker(server);
  t.strictSame(server.topics, [queries]);
  server.hear(queries, { id: 's', type: 'schemaQuery' });
  server.hear(queries, { id: 'd', type: 'dataQuery' });
  t.strictSame(look(), [], 'nothing before the end of the window');
  server.window([{ path: '/a', count: 1, more: true }, [{ path: '/b', count: 2 }, { count: 3 }]]);
  t.strictSame(look(), [
    {
      id: 's',
      type: 'schemaResult',
      data: [{ schemaType: 'snapshot', schemaVersion: '1.0', values: fields }],
    },
    {
      id: 'd',
      type: 'dataResult',
      data: [
        { path: '/a', count: 1 },
        { path: '/b', count: 2 },
        { path: null, count: 3 },
      ],
    },
  ]);
  server.window();
  t.strictSame(look(), [], 'one result each');
  server.hear(queries, { id: 'd', type: 'dataQuery', data: { fields: ['count'] } });
  server.window();
  t.strictSame(
    look().map(rowsOf),
    [[{ count: 1 }, { count: 2 }, { count: 3 }]],
    'an empty window changes nothing',
  );
  server.hear(queries, { id: 'd', type: 'dataQuery' });
  server.window([[]]);
  t.strictSame(look().map(rowsOf), [[]], 'an empty list does');
  await server.stop();
  t.strictSame(server.topics, []);
});

t.test('a countdown is the number of results, and the same id begins anew', async (t) => {
  const server = await serve({ maxCountdown: 5 });
  const look = looker(server);
  const countdowns = () =>
    look().map((data) => [
      rowsOf(data),
      typeof data === 'object' && data && 'countdown' in data && data.countdown,
    ]);
  server.hear(queries, { id: 'd', type: 'dataQuery', countdown: 3, data: { fields: ['count'] } });
  for (let count = 1; count <= 5; count++) server.window([{ count }]);
  t.strictSame(countdowns(), [
    [[{ count: 1 }], 3],
    [[{ count: 2 }], 2],
    [[{ count: 3 }], 1],
  ]);
  server.hear(queries, { id: 'd', type: 'dataQuery', countdown: 2 });
  server.window([]);
  server.hear(queries, { id: 'd', type: 'dataQuery', countdown: 1_000 });
  for (let window = 0; window < 10; window++) server.window([]);
  t.strictSame(
    countdowns().map(([, left]) => left),
    [2, 5, 4, 3, 2, 1],
    'a long one is cut',
  );
});

t.test('malformed queries, and those for others, are ignored', async (t) => {
  const server = await serve({ schemaKeys: { table: 'paths' } });
  const look = looker(server);
  server.hear(queries, 'nonsense');
  server.hear(queries, { id: 'x', type: 'dataQuery', data: { fields: ['absent'] } });
  server.hear(queries, { id: 'y', type: 'dataQuery', data: { schemaKeys: { table: 'other' } } });
  server.hear(queries, { id: 'z', type: 'schemaQuery', context: { keys: { table: 'paths', more: '1' } } });
  server.window([]);
  t.strictSame(look(), []);
  t.match(server.logged, [
    { level: 'debug', message: /^Ignored a query: .*"nonsense"/ },
    { level: 'debug', message: /there is no field "absent"/ },
  ]);
  t.equal(server.logged.length, 2, 'a query for another source is nothing to tell');
  for (const keys of [{ table: 'paths' }, {}, null])
    server.hear(queries, { id: JSON.stringify(keys), type: 'schemaQuery', context: { keys } });
  server.window([]);
  t.match(look(), [{ data: [{ schemaKeys: { table: 'paths' } }] }, { id: '{}' }, { id: 'null' }]);
  t.match(server.operator.counters(), { queries: 3, results: 3, ignored: 2, refused: 0 });
});

t.test('queries that want whole results wait for the first rows', async (t) => {
  const server = await serve();
  const look = looker(server);
  const query = { type: 'dataQuery', incompleteResultOK: false };
  server.hear(queries, { ...query, id: 'once' });
  server.hear(queries, { ...query, id: 'three', countdown: 3 });
  server.hear(queries, { ...query, id: 'one', countdown: 1 });
  server.hear(queries, { ...query, id: 'any', incompleteResultOK: true });
  server.window([]);
  t.match(look(), [{ id: 'any', data: [] }]);
  server.window([{ count: 1 }]);
  t.match(look(), [
    { id: 'once', data: [{ count: 1 }] },
    { id: 'three', countdown: 2 },
  ]);
});

t.test('rows of a tuple, and rows by key', async (t) => {
  const tuples = await serve({ collect: 'tuple', rows: 'top' });
  const ofTuples = looker(tuples);
  tuples.hear(queries, { id: '1', type: 'dataQuery', countdown: 10 });
  tuples.window([{ top: [{ path: 'a' }, { path: 'b' }] }, { top: [{ path: 'c' }] }]);
  tuples.window([{ top: { path: 'd' } }]);
  tuples.window([{ other: 1 }]);
  t.match(ofTuples().map(rowsOf), [[{ path: 'c' }], [{ path: 'd' }], []]);
  t.match(tuples.operator.counters(), { skipped: 1 });

  const keyed = await serve({ collect: 'key', key: 'path', maxRows: 2 });
  const byKey = looker(keyed);
  keyed.hear(queries, { id: '1', type: 'dataQuery', countdown: 10 });
  const row = (path: string, count: number) => ({ path, count });
  keyed.window([row('a', 1), row('b', 1), row('a', 2)]);
  keyed.window([]);
  keyed.window([row('c', 1)]);
  t.strictSame(byKey().map(rowsOf), [
    [row('a', 2), row('b', 1)],
    [row('a', 2), row('b', 1)],
    [row('a', 2), row('c', 1)],
  ]);
  t.match(keyed.operator.counters(), { cut: 1, open: 1 });
  await t.rejects(serve({ collect: 'key' }), { message: /is needed with collect/ });
});

t.test('everything has an end: rows, bytes, queries, results of a window', async (t) => {
  const few = await serve({ maxRows: 2 });
  few.window([[{ count: 1 }, { count: 2 }, { count: 3 }], 'text', [[1]], { count: 10n }]);
  t.match(few.operator.counters(), { cut: 1, skipped: 3 });

  const wide = await serve();
  const look = looker(wide);
  wide.hear(queries, { id: 'd', type: 'dataQuery' });
  wide.window(Array.from({ length: 20 }, () => ({ path: 'x'.repeat(100_000) })));
  const [result] = look();
  const { length } = JSON.stringify(result);
  t.ok(length > 900_000 && length <= 1_048_576, `a message of the hub takes it: ${length}`);
  t.match(wide.operator.counters(), { cut: 10 });

  for (let id = 0; id < 120; id++) wide.hear(queries, { id, type: 'dataQuery', countdown: 2 });
  t.match(wide.operator.counters(), { refused: 20, open: 100 });
  const answered: unknown[] = [];
  const idOf = (data: unknown) => typeof data === 'object' && data && 'id' in data && data.id;
  while (wide.operator.counters()['open']) {
    wide.window([]);
    const ids = look().map(idOf);
    t.ok(ids.length <= 8);
    answered.push(...ids);
  }
  t.equal(answered.length, 200, 'each gets its two results');
  t.strictSame(new Set(answered.slice(0, 100)).size, 100, 'in turn');
});

t.test('after a recovery rows, queries and counters are there again', async (t) => {
  const server = await serve({ collect: 'key', key: 'path' });
  server.window([{ path: 'a', count: 1 }]);
  server.hear(queries, { id: 'd', type: 'dataQuery', countdown: 3 });
  server.window([{ path: 'b', count: 2 }]);
  const again = await serve(
    { collect: 'key', key: 'path' },
    { restore: server.checkpoint(), firstWindow: 2 },
  );
  const look = looker(again);
  for (let window = 0; window < 4; window++) again.window([{ path: 'a', count: 5 }]);
  t.match(look(), [{ countdown: 2, data: [{ path: 'a', count: 5 }, { path: 'b' }] }, { countdown: 1 }]);
  t.match(again.operator.counters(), { queries: 1, results: 3, open: 0 });
});

t.test('properties change at run time', async (t) => {
  const server = await serve({ queryTopic: 'q.{operator}', resultTopic: 'r' });
  const look = looker(server, 'r');
  t.strictSame(server.topics, ['q.tested']);
  server.window([[{ count: 1 }, { count: 2 }]]);
  server.hear('q.tested', { id: '1', type: 'dataQuery', countdown: 9 });
  server.change({ fields, maxRows: 1, queryTopic: 'other', resultTopic: 'r' });
  t.strictSame(server.topics, ['other']);
  server.window([]);
  t.strictSame(look().map(rowsOf), [[{ path: null, count: 1 }]], 'the rest of the rows stays');
  server.change({ fields: [{ name: 'n', type: 'long' }], resultTopic: 'r' });
  server.window([]);
  server.window([{ n: 1 }]);
  t.strictSame(look().map(rowsOf), [[], [{ n: 1 }]], 'rows of other fields do not');
});

t.test('property: what a query gets is what a plain list of the newest rows says', async () => {
  const row = fc.record(
    { path: fc.constantFrom('a', 'b', 'c', 'd', 'e'), count: fc.nat(9) },
    { noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('window' as const, 'tuple' as const, 'key' as const),
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.array(fc.array(row, { maxLength: 4 }), { maxLength: 4 }), { maxLength: 8 }),
      async (collect, maxRows, windows) => {
        const server = await serve({ collect, maxRows, ...(collect === 'key' ? { key: 'path' } : {}) });
        const look = looker(server);
        server.hear(queries, { id: '1', type: 'dataQuery', countdown: 600 });
        let byAge: string[] = [];
        let expected: { path: string; count: number }[] = [];
        for (const tuples of windows) {
          server.window(tuples);
          if (collect === 'key') {
            for (const next of tuples.flat()) {
              byAge = [...byAge.filter((path) => path !== next.path), next.path].slice(-maxRows);
              const index = expected.findIndex(({ path }) => path === next.path);
              expected = expected.with(index < 0 ? expected.push(next) - 1 : index, next);
              expected = expected.filter(({ path }) => byAge.includes(path));
            }
          } else if (tuples.length > 0) {
            expected = (collect === 'window' ? tuples.flat() : (tuples.at(-1) ?? [])).slice(0, maxRows);
          }
          assert.deepStrictEqual(look().map(rowsOf), [expected]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

t.test('the page about operators tells the truth about queries and results', async (t) => {
  const page = join(import.meta.dirname, '../../../../docs/operators.md');
  const example = snippetsOf(page).find(({ attributes }) => attributes['example'] === 'server');
  const server = await startOperator(SnapshotServer, JSON.parse(example?.text ?? '').properties);
  const rows = [...readFileSync(page, 'utf8').matchAll(/^\| `(\{.*Query".*\})` \| `(\{.*\})` \|$/gm)];
  t.equal(rows.length, 3);
  const look = looker(server);
  for (const [, query = ''] of rows) server.hear(queries, JSON.parse(query));
  server.window([{ top: [{ key: '/a', count: 3 }] }]);
  t.strictSame(
    look(),
    rows.map(([, , result = '']) => JSON.parse(result)),
  );
});
