import t from 'tap';
import { jsonText } from '../../../lib/formats/json-text.js';

t.test('what comes back equal is written, without what is undefined', (t) => {
  const foreign = Object.assign(Object.create(null), { a: [1, 'ü', null, true], none: undefined });
  t.equal(
    jsonText({ foreign, list: [{ deep: [[]] }], none: undefined, 0: 1.5 }),
    '{"0":1.5,"foreign":{"a":[1,"ü",null,true]},"list":[{"deep":[[]]}]}',
  );
  for (const value of ['text', 1, true, null]) t.equal(jsonText(value), JSON.stringify(value));
  t.end();
});

const cycle: { list: unknown[] } = { list: [] };
cycle.list.push(cycle);
const holes: unknown[] = [1];
holes[2] = 3;

const flaws: readonly [name: string, value: unknown, message: string][] = [
  ['NaN', { a: [{ b: Number.NaN }] }, "The document's a.0.b is NaN, which JSON can't hold"],
  ['an infinite number', [1, -Infinity], "The document's 1 is -Infinity, which JSON can't hold"],
  ['nothing', undefined, "The document is undefined, which JSON can't hold"],
  ['nothing in a list', { a: [undefined] }, "The document's a.0 is undefined, which JSON can't hold"],
  ['a hole', holes, "The document's 1 is undefined, which JSON can't hold"],
  ['a function', { toJSON: () => 1 }, "The document's toJSON is a function, which JSON can't hold"],
  ['a large integer', { a: 1n }, "The document's a is a bigint, which JSON can't hold"],
  ['a symbol', { a: Symbol('s') }, "The document's a is a symbol, which JSON can't hold"],
  [
    'a date',
    { a: new Date(0) },
    "The document's a is an instance of a class, which JSON can't hold; keep plain data",
  ],
  ['a map', new Map(), "The document is an instance of a class, which JSON can't hold; keep plain data"],
  [
    'what inherits data',
    { a: Object.create({ b: 1 }) },
    "The document's a is an instance of a class, which JSON can't hold; keep plain data",
  ],
  ['a cycle', cycle, 'The document is deeper than 200 levels, or holds itself'],
];

for (const [name, value, message] of flaws) {
  t.test(`${name} is refused, with its place`, (t) => {
    t.throws(() => jsonText(value), new TypeError(message));
    t.end();
  });
}

t.test('what all objects inherit from a prototype that somebody has extended is none of a document', (t) => {
  t.teardown(() => Reflect.deleteProperty(Object.prototype, 'everywhere'));
  Object.defineProperty(Object.prototype, 'everywhere', {
    value: () => 1,
    enumerable: true,
    configurable: true,
  });
  t.equal(jsonText({ a: { b: 1 } }), '{"a":{"b":1}}');
  t.end();
});
