import { Readable } from 'node:stream';
import fc from 'fast-check';
import t from 'tap';
import {
  checkParsed,
  defaultJsonLimits,
  parseJson,
  parseKeeping,
  readBytes,
  sizeOf,
  textOf,
} from '../../../lib/formats/json.js';
import { BadRequest, TooLarge } from '../../../lib/model/errors.js';

const limits = { maxBytes: 1024, maxDepth: 64, maxValues: 1000 };

/** By the book: what the flat scan must agree with. */
const depthOfValue = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOfValue))
    : 0;
const countOfValue = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, item) => sum + countOfValue(item), 1)
    : 1;

const unlimited = { maxDepth: 1000, maxValues: 1_000_000 };

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

t.test('a text is as deep as its value and holds as many values', async () => {
  const spaced = fc.tuple(
    fc.json({ maxDepth: 8, noUnicodeString: false }),
    fc.constantFrom(undefined, 2, '\t'),
  );
  fc.assert(
    fc.property(spaced, ([text, space]) => {
      const value: unknown = JSON.parse(text);
      const { depth, values } = sizeOf(JSON.stringify(value, null, space), unlimited);
      return depth === depthOfValue(value) && values === countOfValue(value);
    }),
    { numRuns: 500 },
  );
});

t.test('brackets, quotes and backslashes inside of strings do not count', async () => {
  const tricky = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', '/', 'u', 'ü') });
  fc.assert(
    fc.property(fc.array(tricky), (strings) => {
      const { depth, values } = sizeOf(JSON.stringify([strings]), unlimited);
      return depth === 2 && values === 2 + strings.length;
    }),
  );
});

t.test('what JSON.parse takes and is not too deep comes back the same; all else is refused', async () => {
  fc.assert(
    fc.property(fc.oneof(fc.json({ maxDepth: 6 }), fc.string()), (text) => {
      let expected: unknown;
      let isJson = true;
      try {
        expected = JSON.parse(text);
      } catch {
        isJson = false;
      }
      try {
        const value = parseJson(text, limits);
        return isJson && JSON.stringify(value) === JSON.stringify(expected);
      } catch (error) {
        return error instanceof BadRequest && (!isJson || text.includes('__proto__'));
      }
    }),
  );
});

t.test('64 levels pass, 65 do not, and a million cost nothing', async (t) => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const inner = open === '[' ? '' : '1';
    const at = (depth: number) => open.repeat(depth) + inner + close.repeat(depth);
    t.doesNotThrow(() => parseJson(at(64), limits));
    t.throws(() => parseJson(at(65), limits), BadRequest);
    t.throws(() => parseJson(at(1_000_000), limits), /nested deeper than 64 levels/);
  }
  t.throws(() => parseJson('['.repeat(1_000_000), limits), BadRequest, 'unclosed');
  t.throws(
    () => parseJson(`${']'.repeat(1000)}${nested(1000, '[', ']')}`, limits),
    BadRequest,
    'closed first',
  );
});

t.test('values that a host parsed have the same limits', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 130 }), fc.boolean(), (depth, arrays) => {
      const text = arrays ? nested(depth, '[', ']') : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      const outcome = (run: () => unknown) => {
        try {
          run();
          return true;
        } catch {
          return false;
        }
      };
      return (
        outcome(() => parseJson(text, limits)) === outcome(() => checkParsed(JSON.parse(text), limits)) &&
        outcome(() => parseJson(text, limits)) === depth <= 64
      );
    }),
  );
});

t.test('keys that reach for prototypes are refused wherever and however they are written', async (t) => {
  for (const text of [
    '{"__proto__":1}',
    '{"a":[{"b":{"__proto__":{"polluted":true}}}]}',
    '{"\\u005f_proto__":1}',
    '{"__\\u0070roto__":1}',
    '{"__pr\\u006Fto__":1}',
    '{"\\u005f\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f":1}',
  ]) {
    t.throws(() => parseJson(text, limits), /"__proto__" is not allowed/, text);
    t.throws(() => checkParsed(JSON.parse(text), limits), BadRequest, text);
  }
  t.same(parseJson('{"a":"__proto__"}', limits), { a: '__proto__' }, 'as a value it is only text');
  t.same(parseJson('{"constructor":{"prototype":{"polluted":1}}}', limits), {
    constructor: { prototype: { polluted: 1 } },
  });
  t.equal(Reflect.get({}, 'polluted'), undefined);
});

t.test('malformed text is refused with its place', async (t) => {
  const details = (text: string) => {
    try {
      return parseJson(text, limits);
    } catch (error) {
      return error instanceof BadRequest ? error.details : error;
    }
  };
  t.same(details('{"a":1,}'), [{ path: 'body', message: 'not JSON at character 7' }]);
  t.same(details(''), [{ path: 'body', message: 'not JSON' }]);
});

t.test('reading stops at the limit, and letters cut in two pieces are whole again', async (t) => {
  const text = 'grüße 👋'.repeat(20);
  const bytes = Buffer.from(text);
  const byByte = () => Readable.from(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)));
  t.equal(textOf(await readBytes(byByte(), bytes.length)), text);
  await t.rejects(readBytes(byByte(), bytes.length - 1), TooLarge);
  let made = 0;
  const endless = new Readable({
    read() {
      made += 1024;
      this.push(Buffer.alloc(1024, 'x'));
    },
  });
  await t.rejects(readBytes(endless, 10_000), TooLarge);
  t.ok(made < 200_000, 'the rest is never made');
  t.throws(() => textOf(Buffer.from([0xc3, 0x28])), /not UTF-8/);
});

t.test('the default limits are those of the design', async (t) => {
  t.strictSame(defaultJsonLimits, { maxBytes: 1024 * 1024, maxDepth: 64, maxValues: 10_000 });
});

t.test('more values than the limit are refused before they are parsed, wherever they are', async (t) => {
  for (const piece of ['0', '"\\",["', '[]', '{"a":1}']) {
    const many = Array(1001).fill(piece).join(',');
    for (const text of [`[${many}]`, `{"a":[${many}]}`]) {
      t.throws(() => parseJson(text, limits), /holds more than 1000 values/, text.slice(0, 30));
    }
  }
  t.throws(() => checkParsed(Array(1001).fill(0), limits), /holds more than 1000 values/);
  t.doesNotThrow(() => parseJson(JSON.stringify(Array(999).fill(0)), limits));
  t.doesNotThrow(() => checkParsed(Array(999).fill(0), limits));
  t.doesNotThrow(() => parseJson(JSON.stringify(','.repeat(5000)), limits), 'in a string they are text');
});

t.test('a kept member is the text that was sent; bodies that have none are parsed', async (t) => {
  const keep = (text: string) => parseKeeping(Buffer.from(text), 'value', limits);
  t.match(keep('{"a":1, "value" : [ 9007199254740993 ,1e400] }'), {
    value: { text: '[ 9007199254740993 ,1e400]' },
  });
  t.match(keep('{"value":1,"value":"\u00fc"}'), { value: { text: '"\u00fc"' } }, 'the last one counts');
  t.strictSame(keep('{"values":1}'), {});
  t.strictSame(keep('[1]'), [1]);
  t.throws(() => keep('{"value":1'), /The body is not JSON/);
  t.throws(() => keep('{"value":{"__proto__":1}}'), /"__proto__" is not allowed/);
  t.throws(() => keep(`{"value":${nested(64, '[', ']')}}`), /nested deeper than 64 levels/);
  t.throws(() => parseKeeping(Buffer.from([0x7b, 0xff, 0x7d]), 'value', limits), /not UTF-8/);
});
