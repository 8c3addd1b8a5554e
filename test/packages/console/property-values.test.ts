import t from 'tap';
import { ExactNumber } from '../../../packages/console/src/format/exact-json.js';
import {
  changesIn,
  kindOf,
  matching,
  parsed,
  textOf,
  withUndescribed,
} from '../../../packages/console/src/forms/property-values.js';

const property = (type: string, more = {}) => ({ name: 'limit', type, canGet: true, canSet: true, ...more });

t.test('each type has its field, and a value that does not fit is edited as what it is', (t) => {
  const table: readonly (readonly [ReturnType<typeof property>, unknown, string])[] = [
    [property('string'), undefined, 'text'],
    [property('java.lang.String'), 'a', 'text'],
    [property('integer'), 5, 'integer'],
    [property('long'), new ExactNumber('73314510714175488'), 'integer'],
    [property('int'), '12', 'integer'],
    [property('int'), 'many', 'text'],
    [property('double'), 1.5, 'number'],
    [property('number'), '1e3', 'number'],
    [property('boolean'), undefined, 'boolean'],
    [property('boolean'), 'true', 'boolean'],
    [property('boolean'), 'perhaps', 'text'],
    [property('enum', { values: ['key', 'window'] }), undefined, 'choice'],
    [property('enum'), 'key', 'text'],
    [property('array'), undefined, 'list'],
    [property('array', { itemType: { type: 'string' } }), ['a'], 'list'],
    [property('array', { itemType: { type: 'integer' } }), undefined, 'json'],
    [property('array'), [1], 'json'],
    [property('java.util.List', { uiType: 'List', typeArgs: [{ type: 'java.lang.String' }] }), [], 'list'],
    [property('java.util.Map', { uiType: 'Map' }), { a: 1 }, 'json'],
    [property('object'), 'text in place of it', 'text'],
    [property('object', { properties: [property('int')] }), undefined, 'group'],
    [property('object', { properties: [property('int')] }), [1], 'json'],
    [property('org.example.Unknown'), undefined, 'text'],
    [property('org.example.Unknown'), { deep: true }, 'json'],
    [property('string | number'), 3, 'text'],
    [property('string', { name: 'dbPassword' }), 'x', 'secret'],
    [property('string', { name: 'apiKey' }), undefined, 'secret'],
  ];
  for (const [described, value, kind] of table)
    t.equal(kindOf(described, value), kind, `${described.type} with ${textOf(value)}`);
  t.end();
});

t.test('what is typed says something of its kind, or nothing yet', (t) => {
  const ok = (value: unknown) => ({ ok: true, value });
  const no = { ok: false };
  t.strictSame(parsed('integer', ' 12 ', undefined), ok(12));
  t.strictSame(parsed('integer', '1.5', undefined), no);
  t.strictSame(parsed('integer', '-', undefined), no);
  t.strictSame(
    parsed('integer', '+0073314510714175488', 1),
    ok(new ExactNumber('73314510714175488')),
    'sign',
  );
  t.strictSame(parsed('integer', '73314510714175488', 1), ok(new ExactNumber('73314510714175488')));
  t.strictSame(parsed('number', '1e400', undefined), no);
  t.strictSame(parsed('number', '.5', undefined), ok(0.5));
  t.strictSame(parsed('boolean', 'false', undefined), ok(false));
  t.strictSame(parsed('json', '{"a":[1]}', undefined), ok({ a: [1] }));
  t.strictSame(parsed('json', '{"a":', undefined), no);
  t.strictSame(parsed('text', '5', 'text'), ok('5'), 'a text stays a text');
  t.strictSame(parsed('text', '5', 4), ok(5), 'a number of unknown type stays a number');
  t.strictSame(parsed('text', 'five', 4), ok('five'));
  t.end();
});

t.test('only what differs is reported', (t) => {
  const values = { a: 1, b: 'x', c: ['p'], d: '5' };
  t.strictSame(changesIn(values, { a: 1, b: 'y', c: ['p'], d: 5 }), { b: 'y' });
  t.strictSame(changesIn(values, { c: ['p', 'q'], b: undefined }), { c: ['p', 'q'], b: undefined });
  t.end();
});

t.test('what has a value and no description is shown after the others', (t) => {
  const names = withUndescribed([property('int')], { class: 'x', more: 1, limit: 2 }).map(({ name }) => name);
  t.strictSame(names, ['limit', 'more']);
  t.strictSame(
    matching([property('int'), property('int', { name: 'other', description: 'The LIMIT of it' })], 'limit')
      .length,
    2,
  );
  t.end();
});
