import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { findMembers, isJson as isJsonBytes, JsonScan } from '../../../lib/formats/json-scan.js';

const isJson = (text: string, depth: number) => isJsonBytes(Buffer.from(text), depth);

/** The texts of the members that JSON.parse finds too, or of those asked for. */
function membersOf(text: string, depth: number, names: readonly string[]): Map<string, string> | undefined {
  const bytes = Buffer.from(text);
  const spans = findMembers(
    bytes,
    names.map((name) => Buffer.from(name)),
    depth,
  );
  return (
    spans &&
    new Map(
      spans.flatMap((span, i) =>
        span ? [[names[i] ?? '', bytes.toString('utf8', span.start, span.end)]] : [],
      ),
    )
  );
}

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON text as nobody's serializer writes it: any white space, escapes, repeated keys, numbers of any form. */
const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
const string = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^"(?:\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}|[ !#-[\]-~é☃]){0,8}"$/),
);
const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?$/);
const { value: json } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('true', 'false', 'null', '0', '-0', '9007199254740993', '1e400'),
    number,
    string,
    fc
      .array(fc.tuple(space, tie('value'), space), { maxLength: 4 })
      .map((items) => `[${items.map((i) => i.join('')).join(',')}]`),
    fc
      .array(fc.tuple(space, string, space, fc.constant(':'), space, tie('value'), space), { maxLength: 4 })
      .map((members) => `{${members.map((member) => member.join('')).join(',')}}`),
  ),
}));

t.test('every member comes back as the exact text between its neighbours', async () => {
  const names = ['type', 'topic', 'data'];
  const escaped = fc.constantFrom(
    '"type"',
    '"topic"',
    '"data"',
    '"t\\u0079pe"',
    '"\\u0064at\\u0061"',
    '"data\\/"',
    '"dat"',
  );
  const member = fc.record({
    before: space,
    key: fc.oneof(escaped, string),
    colon: space,
    gap: space,
    value: json,
    after: space,
  });
  fc.assert(
    fc.property(space, fc.array(member, { maxLength: 5 }), space, (before, members, after) => {
      const inner = members.map((m) => `${m.before}${m.key}${m.colon}:${m.gap}${m.value}${m.after}`);
      const values = new Map(members.map(({ key, value }): [string, string] => [JSON.parse(key), value]));
      const expected = new Map(names.flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : [])));
      const found = membersOf(`${before}{${inner.join(',')}}${after}`, 64, names);
      assert.deepEqual(found, expected);
    }),
    { numRuns: 1000 },
  );
});

t.test('it finds well-formed what JSON.parse does, however a text is damaged', async () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(3),
    fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.',
      'e',
      'u',
      '\u0000',
      '\u2028',
      ' ',
    ),
  );
  fc.assert(
    fc.property(json, fc.array(damage, { maxLength: 3 }), (text, damages) => {
      let damaged = text;
      for (const [at, length, insert] of damages) {
        const place = at % (damaged.length + 1);
        damaged = damaged.slice(0, place) + insert + damaged.slice(place + length);
      }
      return isJson(damaged, 64) === parses(damaged);
    }),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(fc.string(), (text) => isJson(text, 64) === parses(text)),
    { numRuns: 1000 },
  );
});

t.test('it makes no difference in how many steps a text is read', async () => {
  const damaged = fc
    .tuple(json, fc.nat(), fc.constantFrom('', '"', '\\', '{', ']', ',', '0', 'u'))
    .map(
      ([text, at, insert]) =>
        text.slice(0, at % (text.length + 1)) + insert + text.slice(at % (text.length + 1)),
    );
  fc.assert(
    fc.property(fc.oneof(json, damaged, string), fc.integer({ min: 1, max: 9 }), (text, size) => {
      const bytes = Buffer.from(`{"a":${text},"data":${text}}`);
      const scan = new JsonScan(bytes, [Buffer.from('data')], 64);
      let steps = 0;
      while (scan.step(size)) steps++;
      assert.deepEqual(scan.members, findMembers(bytes, [Buffer.from('data')], 64));
      return steps <= bytes.length / size;
    }),
    { numRuns: 2000 },
  );
});

t.test('each character, far in a text', async (t) => {
  const texts = Array.from(
    { length: 0x100 },
    (_, code) => `"${'x'.repeat(200)}${String.fromCharCode(code)}y"`,
  );
  t.strictSame(
    texts.filter((text) => isJson(text, 64)),
    texts.filter(parses),
  );
});

t.test('what is well-formed, by example', async (t) => {
  const good = [
    '0',
    '-0.0e-0',
    '""',
    '"\\u0000"',
    '[]',
    '{}',
    ' [ 1 , 2 ] ',
    '"\ud800"',
    '"\u007f\u2028"',
    '1E400',
  ];
  const bad = [
    '',
    ' ',
    '01',
    '+1',
    '.5',
    '1.',
    '1e',
    '-',
    '"',
    '"\\x"',
    '"\\u12g4"',
    "'a'",
    '[1,]',
    '{"a"}',
    '{"a":}',
  ];
  const worse = [
    '{a:1}',
    '[',
    ']',
    'nul',
    'truefalse',
    'NaN',
    '1 2',
    '"\n"',
    '"\u0000"',
    '{"a":1,}',
    '\u00a01',
    '\ufeff1',
  ];
  const found = [...good, ...bad, ...worse].filter((text) => isJson(text, 8));
  t.strictSame(found, good);
  t.strictSame([...bad, ...worse].filter(parses), [], 'JSON.parse agrees');
});

t.test('of a repeated key the last counts, also when it is written differently', async (t) => {
  const text = '{"data":1,"d\\u0061ta":{"x":[2]},"d\\u00e1ta":3,"dat":4,"dataa":5,"da\\ta":6}';
  t.equal(membersOf(text, 8, ['data'])?.get('data'), '{"x":[2]}');
});

t.test('only objects have members', async (t) => {
  for (const text of ['[]', '1', '"x"', 'null', '', '{', '{}x', '{"a":1}{', '{"a" 1}', '{1:2}']) {
    t.equal(membersOf(text, 8, ['a']), undefined, JSON.stringify(text));
  }
  t.strictSame(membersOf(' {} ', 8, ['a']), new Map());
});

t.test('nesting is bounded, and bounds the stack', async (t) => {
  t.ok(isJson(deep(64), 64));
  t.notOk(isJson(deep(65), 64));
  t.ok(membersOf(`{"a":${deep(63)}}`, 64, []));
  t.notOk(membersOf(`{"a":${deep(64)}}`, 64, []));
  t.notOk(isJson('['.repeat(8_000_000), 64));
  t.notOk(membersOf('{"a":'.repeat(1_000_000), 64, []));
});

t.test('a key that reaches for a prototype is a key', async (t) => {
  const members = membersOf('{"__proto__":{"type":"publish"},"constructor":1}', 8, [
    '__proto__',
    'constructor',
    'type',
  ]);
  t.strictSame(
    [...(members ?? [])],
    [
      ['__proto__', '{"type":"publish"}'],
      ['constructor', '1'],
    ],
  );
});
