import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { BoundedBuffer } from '../../../packages/operators/bounded-buffer.js';
import { compileExpression } from '../../../packages/operators/expression.js';
import { KeyedWindows } from '../../../packages/operators/keyed-windows.js';
import { LineSplitter } from '../../../packages/operators/line-splitter.js';
import { Random, seedState } from '../../../packages/operators/random.js';
import { topOf } from '../../../packages/operators/ranking.js';
import { outdated, rollingName, sequenceOf } from '../../../packages/operators/rolling-names.js';
import { addSample, createSamples, mergeSamples, quantiles } from '../../../packages/operators/samples.js';
import { windowTime } from '../../../packages/operators/window-time.js';
import { snippetsOf } from '../../helpers/snippets.js';

const tuple = {
  status: 503,
  path: '/ws/v2/about',
  durationMillis: 12.5,
  user: { name: 'ada', 'odd name': 1, tags: ['a', 'b'] },
  empty: '',
  nothing: null,
  yes: true,
};

t.test('expressions', async (t) => {
  const table: readonly [string, unknown][] = [
    ['status', 503],
    ['status >= 500', true],
    ['status >= 500 and startsWith(path, "/ws")', true],
    ['status < 500 or path == "/ws/v2/about"', true],
    ['not (status >= 500)', false],
    ['not not yes', true],
    ['status in [500, 503]', true],
    ["path in ['/x', '/y']", false],
    ['status in []', false],
    ['floor(status / 100) + "xx"', '5xx'],
    ['1 + 2 * 3 - 4 / 2', 5],
    ['(1 + 2) * 3', 9],
    ['-status + 3', -500],
    ['7 % 4', 3],
    ['1 / 0', null],
    ['path + 1', '/ws/v2/about1'],
    ['nothing + 1', null],
    ['absent', null],
    ['absent.deeper.still', null],
    ['absent == null', true],
    ['user.name', 'ada'],
    ['user["odd name"]', 1],
    ['user.tags[1]', 'b'],
    ['$.status', 503],
    ['$["status"]', 503],
    ['constructor', null],
    ['user.__proto__', null],
    ['user.tags.length', 2],
    ['length(user.tags)', 2],
    ['length(path)', 12],
    ['status == "503"', false],
    ['number("503") == status', true],
    ['number("")', null],
    ['string(user.tags)', '["a","b"]'],
    ['default(absent, "none")', 'none'],
    ['if(status >= 500, "bad", "good")', 'bad'],
    ['matches(path, "^/ws/v[0-9]+/")', true],
    ['matches(status, "5")', false],
    ['before("/a?b=c", "?")', '/a'],
    ['upper("a\\"b")', 'A"B'],
    ['round(durationMillis)', 13],
    ['abs("x")', null],
    ['"a" < "b"', true],
    ['"a" < 1', false],
    ['status and yes', false],
  ];
  for (const [text, expected] of table) t.strictSame(compileExpression(text)(tuple), expected, text);
  t.equal(compileExpression('$ * 2')(21), 42, 'a tuple that is a number');
  t.equal(compileExpression('status')(undefined), null, 'no tuple at all');
});

t.test('expressions that are refused say where', async (t) => {
  const table: readonly [string, RegExp][] = [
    ['', /unexpected end, wanted a value, at character 1/],
    ['status >', /unexpected end, wanted a value, at character 9/],
    ['status = 3', /unexpected "=", at character 8/],
    ['(status', /wanted "\)", at character 8/],
    ['status 3', /unexpected "3", at character 8/],
    ['a and', /wanted a value/],
    ['evil(1)', /there is no function "evil" \(there are: abs, /],
    ['constructor("x")', /there is no function "constructor"/],
    ['floor()', /floor takes 1 argument, at character 1/],
    ['floor(1, 2)', /floor takes 1 argument, at/],
    ['if(yes, 1)', /if takes 3 arguments/],
    ['matches(path, "(")', /not a pattern: .*at character 15/],
    ['matches(path, path)', /wanted a pattern in quotes/],
    ['matches(path, "(?=x)")', /not a pattern/],
    ['a.', /wanted a field/],
    ['a[b]', /wanted a field/],
    ['`x`', /unexpected "`"/],
    [`${'('.repeat(60)}1${')'.repeat(60)}`, /nested too deeply/],
    ['a'.repeat(1_001), /longer than 1000 characters/],
  ];
  for (const [text, message] of table)
    t.throws(() => compileExpression(text), { message }, text.slice(0, 40));
});

t.test('a compiled expression never throws, whatever the tuple', async (t) => {
  const texts = [
    'a.b.c + 1 > 2 and matches(d, "x")',
    'string(a) + lower(b)',
    'length($) in [1, 2]',
    '-a % b == c',
  ];
  const compiled = texts.map(compileExpression);
  fc.assert(
    fc.property(fc.anything(), (value) => {
      for (const evaluate of compiled) evaluate(value);
    }),
  );
  t.pass();
});

t.test('any text is either compiled or refused with an ExpressionError', async (t) => {
  const piece = fc.constantFrom(
    'a',
    '.',
    '(',
    ')',
    '[',
    ']',
    '"x"',
    '1',
    '-',
    '+',
    'and',
    'not',
    'in',
    ',',
    ' ',
    '<',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        compileExpression(pieces.join(' '))({ a: 1 });
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ExpressionError') throw error;
      }
    }),
    { numRuns: 1_000 },
  );
  t.pass();
});

t.test('lines come out the same however the bytes are cut into chunks', async (t) => {
  const text = fc.array(fc.constantFrom('a', 'é', '€', '😀', '\n', '\r\n', 'xyz'), { maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (parts, sizes) => {
      const bytes = Buffer.from(parts.join(''));
      const splitter = new LineSplitter({ maxLineBytes: 1_000, encoding: 'utf8', offset: 0 });
      const lines: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        for (const line of splitter.push(bytes.subarray(at, at + size))) {
          if (bytes[line.end - 1] !== 0x0a) throw new Error('an end is not behind a newline');
          lines.push(line.text);
        }
        at += size;
      }
      const last = splitter.flush();
      if (last) lines.push(last.text);
      const expected = parts.join('').split('\n');
      const rest = expected.pop();
      if (rest) expected.push(rest);
      const wanted = expected.map((line) => line.replace(/\r$/, ''));
      if (JSON.stringify(lines) !== JSON.stringify(wanted)) {
        throw new Error(`${JSON.stringify(lines)} instead of ${JSON.stringify(wanted)}`);
      }
    }),
    { numRuns: 500 },
  );
  t.pass();
});

t.test('long lines are cut between characters, and the next line is whole', async (t) => {
  const table: readonly [text: string, maxLineBytes: number, first: string, cut: boolean][] = [
    ['abcdef\nnext\n', 4, 'abcd', true],
    ['abcd\nnext\n', 4, 'abcd', false],
    ['abcd\r\nnext\n', 4, 'abcd', false],
    ['ab€f\nnext\n', 4, 'ab', true],
    ['€€€\nnext\n', 6, '€€', true],
    ['😀😀\nnext\n', 7, '😀', true],
  ];
  for (const [text, maxLineBytes, first, cut] of table) {
    for (const size of [1, 3, 100]) {
      const splitter = new LineSplitter({ maxLineBytes, encoding: 'utf8', offset: 10 });
      const bytes = Buffer.from(text);
      const lines = [];
      for (let at = 0; at < bytes.length; at += size)
        lines.push(...splitter.push(bytes.subarray(at, at + size)));
      t.match(
        lines,
        [
          { text: first, cut },
          { text: 'next', cut: false, end: 10 + bytes.length },
        ],
        `${text} by ${size}`,
      );
    }
  }
});

t.test('the sliding windows agree with counting again from the start', async (t) => {
  const windows = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(windows, fc.integer({ min: 1, max: 5 }), (input, length) => {
      const accumulator = {
        create: () => ({ count: 0 }),
        merge: (into: { count: number }, from: { count: number }) => {
          into.count += from.count;
        },
      };
      let state = new KeyedWindows(accumulator, { windows: length, maxKeys: 3 });
      input.forEach((keys, index) => {
        // Every other window goes through a checkpoint.
        if (index % 2 === 1) {
          const saved = structuredClone(state.panes);
          state = new KeyedWindows(accumulator, { windows: length, maxKeys: 3 });
          state.panes = saved;
        }
        for (const key of keys) {
          const found = state.at(key);
          if (found) found.count += 1;
        }
        const result = state.close();
        const covered = input.slice(Math.max(0, index + 1 - length), index + 1).flat();
        const counted = [...result.entries.values()].reduce((sum, { count }) => sum + count, 0);
        if (counted + result.overflow !== covered.length)
          throw new Error('a tuple is neither counted nor overflow');
        if (result.entries.size > 3) throw new Error('too many keys');
        if (result.windows !== Math.min(length, index + 1)) throw new Error(`${result.windows} windows`);
      });
    }),
    { numRuns: 500 },
  );
  t.pass();
});

t.test('a key leaves when its last window does, and makes room', async (t) => {
  const state = new KeyedWindows({ create: () => ({}), merge: () => {} }, { windows: 2, maxKeys: 1 });
  t.ok(state.at('a'));
  t.equal(state.at('b'), undefined, 'no room');
  t.strictSame([...state.close().entries.keys()], ['a']);
  t.equal(state.at('b'), undefined, 'a is still covered');
  state.close();
  t.ok(state.at('b'), 'a is gone');
  const { entries, overflow } = state.close();
  t.strictSame([...entries.keys()], ['b']);
  t.equal(overflow, 1, 'that of the one other window that is covered');
});

t.test('quantiles are exact while there are few values', async (t) => {
  const samples = createSamples();
  for (let value = 1; value <= 100; value += 1) addSample(samples, value, 100);
  t.strictSame(quantiles(samples, [0, 0.5, 0.95, 0.99, 1]), [1, 50, 95, 99, 100]);
  t.strictSame(quantiles(createSamples(), [0.5]), [null]);
});

t.test('beyond that they are within 1 %, merged or not, and the memory is bounded', async (t) => {
  const value = fc.oneof(
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(0, 1e-12, 1e15),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 400 }), fc.nat(50), (values, split) => {
      const [a, b] = [createSamples(), createSamples()];
      values.forEach((item, index) => {
        addSample(index < split ? a : b, item, 20);
      });
      const merged = structuredClone(a);
      mergeSamples(merged, b, 20);
      const sorted = [...values].sort((x, y) => x - y);
      const fractions = [0.1, 0.5, 0.95, 1];
      quantiles(merged, fractions).forEach((found, index) => {
        const exact = sorted[Math.max(1, Math.ceil((fractions[index] ?? 0) * sorted.length)) - 1] ?? 0;
        const allowed = Math.max(Math.abs(exact) * 0.01001, 1e-9);
        if (found === null || Math.abs(found - exact) > allowed)
          throw new Error(`${found} instead of ${exact}`);
      });
    }),
    { numRuns: 300 },
  );
  const many = createSamples();
  const random = new Random(seedState('many'));
  for (let index = 0; index < 100_000; index += 1) {
    addSample(many, (random.fraction() - 0.5) * 10 ** random.below(300), 10);
  }
  t.ok((many.buckets?.size ?? 0) < 6_300, `${many.buckets?.size} buckets`);
});

t.test('the random numbers of a seed never change', async (t) => {
  const random = new Random(seedState('headgate'));
  const first = [random.uint32(), random.uint32(), random.uint32()];
  const { state } = random;
  const next = random.uint32();
  t.strictSame(first, [1828830156, 1241708340, 2676594392], 'published seeds stay reproducible');
  t.equal(new Random(state).uint32(), next, 'goes on from a saved state');
  const again = new Random(seedState('x'));
  const mean =
    Array.from({ length: 20_000 }, () => again.fraction()).reduce((sum, item) => sum + item) / 20_000;
  t.ok(Math.abs(mean - 0.5) < 0.02, `mean ${mean}`);
});

t.test('names of rolling files', async (t) => {
  t.equal(rollingName('out.log', undefined, 7), 'out.000007.log');
  t.equal(rollingName('out.log', 'p1', 7), 'out.p1.000007.log');
  t.equal(rollingName('out', undefined, 1234567), 'out.1234567');
  const table: readonly [file: string, name: string, part: string | undefined, number | undefined][] = [
    ['out.000007.log', 'out.log', undefined, 7],
    ['out.1234567.log', 'out.log', undefined, 1234567],
    ['out.p1.000007.log', 'out.log', undefined, undefined],
    ['out.p1.000007.log', 'out.log', 'p1', 7],
    ['out.000007', 'out', undefined, 7],
    ['out.7.log', 'out.log', undefined, undefined],
    ['other.000007.log', 'out.log', undefined, undefined],
    ['out.log', 'out.log', undefined, undefined],
  ];
  for (const [file, name, part, sequence] of table) t.equal(sequenceOf(file, name, part), sequence, file);
  t.strictSame(outdated([1, 2, 3, 4], 4, 2), [1, 2]);
});

t.test('rankings are stable', async (t) => {
  const entries = ['b', 'a', 'c'].map((key) => ({ key, count: key === 'c' ? 2 : 1 }));
  t.strictSame(
    topOf(entries, 2).map(({ key }) => key),
    ['c', 'a'],
  );
});

t.test('a window has the time of its id', async (t) => {
  const id = String((1_700_000_000n << 32n) | 3n);
  t.equal(windowTime(id, 500), 1_700_000_001_500);
});

t.test('a buffer lets its writer wait until there is room', async (t) => {
  const buffer = new BoundedBuffer<number>({ items: 2, weight: 100 });
  buffer.push(1, 10);
  await buffer.room();
  buffer.push(2, 10);
  let free = false;
  const waiting = buffer.room().then(() => {
    free = true;
  });
  await Promise.resolve();
  t.notOk(free);
  t.equal(buffer.shift(), 1);
  await waiting;
  buffer.push(3, 90);
  t.ok(buffer.full, 'by weight');
  const closed = buffer.room();
  buffer.close();
  await closed;
  t.equal(buffer.size, 0);
  for (let index = 0; index < 10_000; index += 1) buffer.push(index, 1);
  t.strictSame(
    Array.from({ length: 10_000 }, () => buffer.shift()),
    Array.from({ length: 10_000 }, (_, index) => index),
  );
  t.equal(buffer.weight, 0);
});

t.test('the expressions of the page about operators', async (t) => {
  const page = snippetsOf(join(import.meta.dirname, '../../../../docs/operators.md'));
  const example = (name: string) => page.find(({ attributes }) => attributes['example'] === name)?.text ?? '';
  const { properties } = JSON.parse(example('filter'));
  const filter = compileExpression(properties.condition);
  t.strictSame([filter({ status: 500 }), filter({ status: 499 })], [true, false]);
  const [condition = '', value = ''] = example('expressions').trim().split('\n');
  const failed = compileExpression(condition);
  t.strictSame(
    ['/shop', '/health/live'].map((path) => failed({ status: 503, path })),
    [true, false],
  );
  t.equal(compileExpression(value)({ status: 404 }), '4xx');
});
