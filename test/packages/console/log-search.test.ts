import fc from 'fast-check';
import t from 'tap';
import {
  found,
  foundTooMuch,
  type Hit,
  isDone,
  nextSlice,
  patternOf,
  type Search,
  type Slice,
  searchedBytes,
  startSearch,
  walked,
} from '../../../packages/console/src/features/logs/search.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const longest = 64 * 1024;

/** As the gateway gives lines of a part: cut where the part begins and ends, long ones in pieces. */
function grepIn(bytes: Uint8Array, pattern: RegExp, { start, end }: Slice): Hit[] {
  const hits: Hit[] = [];
  for (let at = start; at < end; ) {
    const newline = bytes.indexOf(10, at);
    const to = Math.min(newline < 0 ? end : newline, end, at + longest);
    const line = decoder.decode(bytes.subarray(at, to));
    if (pattern.test(line)) hits.push({ offset: at, line });
    at = to === newline ? to + 1 : to;
  }
  return hits;
}

function searched(bytes: Uint8Array, pattern: RegExp, first: Search): Search {
  let search = first;
  for (let slice = nextSlice(search); slice; slice = nextSlice(search))
    search = found(search, slice, grepIn(bytes, pattern, slice));
  return search;
}

t.test('slices find what a search of the whole finds, from anywhere, in both directions', async () => {
  const line = fc.oneof(
    { weight: 6, arbitrary: fc.nat(200) },
    { weight: 3, arbitrary: fc.integer({ min: 1000, max: 60_000 }) },
  );
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 120 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom('up' as const, 'down' as const),
      (lengths, share, direction) => {
        const text = lengths
          .map(
            (length, n) =>
              `${n % 3 === 0 ? 'needle' : 'straw'} ${'x'.repeat(length)}${n % 2 ? ' end' : ''}\n`,
          )
          .join('');
        const bytes = encoder.encode(text.slice(0, -1));
        const from = Math.floor(share * bytes.length);
        for (const pattern of [/needle/, /end$/, /^straw/, /xxxx$/]) {
          const first = {
            ...startSearch('', { length: bytes.length, from, direction }),
            sliceBytes: 100_000,
          };
          const { hits, ...search } = searched(bytes, pattern, first);
          const all = grepIn(bytes, pattern, { start: 0, end: bytes.length });
          const [a, b] = [hits, all].map((some) => JSON.stringify(some.map(({ offset }) => offset)));
          if (a !== b) throw new Error(`${pattern} from ${from}: ${a} instead of ${b}`);
          if (searchedBytes({ ...search, hits }) !== bytes.length) throw new Error('Not all was searched');
        }
      },
    ),
    { numRuns: 150 },
  );
});

t.test('it goes to one end first, then to the other, in slices that grow', async (t) => {
  const length = 100 * 1024 * 1024;
  let search = startSearch('x', { length, from: length / 2, direction: 'up' });
  const seen: number[] = [];
  for (let slice = nextSlice(search); slice; slice = nextSlice(search)) {
    seen.push(slice.start);
    search = found(search, slice, []);
  }
  t.ok(isDone(search));
  t.ok(seen.length < 16, `${seen.length} slices`);
  t.ok((seen[0] ?? 0) < length / 2);
  t.ok((seen.at(-1) ?? 0) > length / 2);
});

t.test('where too much is found, less is asked for', async (t) => {
  const search = startSearch('x', { length: 9e9, from: 0, direction: 'down' });
  t.equal(foundTooMuch(search)?.sliceBytes, search.sliceBytes / 4);
  t.equal(foundTooMuch({ ...search, sliceBytes: 64 * 1024 }), undefined);
  const hits = Array.from({ length: 6000 }, (_, n) => ({ offset: n * 10 + 1, line: 'x' }));
  const full = found(search, { start: 0, end: 1e6 }, hits);
  t.equal(full.hits.length, 5000);
  t.equal(nextSlice(full), undefined, 'it ends');
});

t.test('from hit to hit, round at both ends', async (t) => {
  const hits = [10, 20, 30].map((offset) => ({ offset, line: '' }));
  t.equal(walked(hits, 10, 'down')?.offset, 20);
  t.equal(walked(hits, 15, 'up')?.offset, 10);
  t.equal(walked(hits, 30, 'down')?.offset, 10);
  t.equal(walked(hits, 10, 'up')?.offset, 30);
  t.equal(walked([], 10, 'up'), undefined);
});

t.test('what the browser can mark', async (t) => {
  t.match('a Time', patternOf('(?i)time') ?? /never/);
  t.equal(patternOf('(?P<name>x'), undefined);
});
