import t from 'tap';
import {
  added,
  moved,
  readLayout,
  removed,
  resized,
  settingOf,
  usualLayout,
} from '../../../packages/console/src/features/app-data/layout.js';
import { chartOf, nothingTold, told } from '../../../packages/console/src/features/app-data/lines.js';
import {
  cellText,
  dataQuery,
  fieldNames,
  readAnswer,
  schemaQuery,
  sourcesOf,
  topicOf,
} from '../../../packages/console/src/features/app-data/protocol.js';
import { ExactNumber } from '../../../packages/console/src/format/exact-json.js';

const layout = usualLayout(['a', 'b', 'c']);
const order = (of: { readonly widgets: readonly { readonly id: string }[] }) =>
  of.widgets.map(({ id }) => id).join('');

t.test('a layout that was kept is the one that is read', async (t) => {
  t.strictSame(readLayout(JSON.parse(JSON.stringify(layout))), layout);
  t.equal(settingOf('Access log'), 'console.data.Access log');
});

t.test('what can’t be read is no layout', async (t) => {
  const widget = { id: '1', source: 's', kind: 'bar', label: 'k', value: 'v', width: 2, height: 1 };
  for (const kept of [
    null,
    'text',
    [],
    { version: 2, widgets: [] },
    { version: 1 },
    { version: 1, widgets: [{ ...widget, kind: 'pie' }] },
    { version: 1, widgets: [widget, null] },
    { version: 1, widgets: [{ ...widget, id: 7 }] },
  ])
    t.equal(readLayout(kept), undefined, JSON.stringify(kept));
  t.strictSame(readLayout({ version: 1, widgets: [{ ...widget, width: 99, height: -1, other: 1 }] }), {
    version: 1,
    widgets: [{ ...widget, width: 4, height: 1 }],
  });
});

t.test('widgets move, grow within the grid, come and go', async (t) => {
  t.equal(order(moved(layout, 'b', -1)), 'bac');
  t.equal(order(moved(layout, 'b', 1)), 'acb');
  t.equal(order(moved(layout, 'a', -1)), 'abc');
  t.equal(order(moved(layout, 'c', 1)), 'abc');
  t.equal(order(removed(layout, 'b')), 'ac');
  t.equal(order(added(layout, { id: 'd', source: 'a', kind: 'value', width: 1, height: 1 })), 'abcd');
  const wide = resized(resized(resized(layout, 'a', 1, 0), 'a', 1, 0), 'a', 1, 5).widgets[0];
  t.strictSame([wide?.width, wide?.height], [4, 3]);
});

const [source] = sourcesOf([
  {
    name: 'paths.query',
    schemaKeys: { of: 'paths' },
    query: { topic: 'q' },
    result: { topic: 'r', appendQIDToTopic: true },
  },
  { name: 'no.result', query: { topic: 'q' } },
]);

t.test('queries and the topics of their results', async (t) => {
  if (!source) return t.fail('no source');
  t.equal(topicOf(source, '7'), 'r.7');
  t.equal(topicOf({ ...source, appendsId: false }, '7'), 'r');
  t.strictSame(schemaQuery(source, '7'), {
    id: '7',
    type: 'schemaQuery',
    context: { keys: { of: 'paths' } },
  });
  t.strictSame(dataQuery({ ...source, schemaKeys: undefined }, '7', 60), {
    id: '7',
    type: 'dataQuery',
    countdown: 60,
    data: {},
  });
});

t.test('answers: exact, and only those to this query', async (t) => {
  const text =
    '{"id":"7","type":"dataResult","data":[{"key":"a","count":73314510714175488123}],"countdown":2}';
  const answer = readAnswer(text, '7');
  const count = answer?.kind === 'rows' ? cellText(answer.rows[0]?.['count']).replace(/\D/g, '') : '';
  // Node 20 tells no source of a number; browsers do.
  const isExact = 'rawJSON' in JSON;
  t.equal(count, isExact ? '73314510714175488123' : '73314510714175490000');
  t.equal(cellText(new ExactNumber('73314510714175488123')).replace(/\D/g, ''), '73314510714175488123');
  t.equal(readAnswer(text, '8'), undefined);
  for (const other of [
    'null',
    '7',
    'no json',
    '{"id":"7","type":"dataResult"}',
    '{"id":"7","type":"x","data":[]}',
  ])
    t.equal(readAnswer(other, '7'), undefined, other);
  const schema = '{"id":7,"type":"schemaResult","data":[{"values":[{"name":"key","type":"string"}]}]}';
  t.strictSame(readAnswer(schema, '7'), { kind: 'schema', fields: [{ name: 'key', type: 'string' }] });
  t.strictSame(fieldNames(undefined, [{ a: 1 }, { b: 2, a: 3 }]), ['a', 'b']);
  t.strictSame(fieldNames([{ name: 'z', type: 'long' }], [{ a: 1 }]), ['z']);
});

t.test('lines are named by a field, the first six of them', async (t) => {
  const rows = Array.from({ length: 9 }, (_, n) => ({ key: `k${n}`, count: n }));
  const once = told(nothingTold, rows, 1000, 'key', 'count');
  const twice = told(
    once,
    [
      { key: 'k1', count: 50 },
      { key: 'new', count: 1 },
      { key: 'k0', count: 'x' },
    ],
    2000,
    'key',
    'count',
  );
  const { lines, columns } = chartOf(twice);
  t.equal(lines.map(({ label }) => label).join(' '), 'k0 k1 k2 k3 k4 k5');
  t.strictSame(columns.slice(0, 3), [
    [1, 2],
    [0, null],
    [1, 50],
  ]);
  t.strictSame(
    chartOf(told(nothingTold, rows, 1000, undefined, 'count')).columns,
    [[1], [0]],
    'the first row',
  );
});
