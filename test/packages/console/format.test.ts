import fc from 'fast-check';
import t from 'tap';
import { bytes, megabytes } from '../../../packages/console/src/format/bytes.js';
import { age, duration } from '../../../packages/console/src/format/duration.js';
import { ExactNumber, parseExact, writeExact } from '../../../packages/console/src/format/exact-json.js';
import { compact, count, exactCount, percent, rate } from '../../../packages/console/src/format/number.js';
import { clockTime, momentWithOffset } from '../../../packages/console/src/format/time.js';

const plain = (text: string) => text.replaceAll(/[\u2009\u00a0\u202f]/g, ' ');

t.test('numbers: three digits that matter, and what nobody knows is no 0', async (t) => {
  const cases: readonly [number | undefined, string][] = [
    [0, '0'],
    [0.004, '0'],
    [1.234, '1.23'],
    [12.34, '12.3'],
    [999.4, '999'],
    [999.6, '1 k'],
    [12_400, '12.4 k'],
    [999_950, '1 M'],
    [1_240_000, '1.24 M'],
    [-12_400, '-12.4 k'],
    [Number.NaN, '–'],
    [undefined, '–'],
  ];
  for (const [value, text] of cases) t.equal(plain(compact(value)), text, String(value));
  t.equal(plain(rate(12_400)), '12.4 k/s');
  t.equal(rate(undefined), '–');
  t.equal(plain(count(123_456)), '123 456');
  t.equal(plain(count(1_234_567)), '1.23 M');
  t.equal(plain(exactCount('7312345678901234567')), '7 312 345 678 901 234 567');
  t.equal(plain(percent(0.0525)), '5.25 %');
});

t.test('bytes in IEC units', async (t) => {
  const cases: readonly [number, string][] = [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1.5 * 1024 ** 3, '1.5 GiB'],
    [1024 ** 2 - 1, '1 MiB'],
  ];
  for (const [value, text] of cases) t.equal(bytes(value), text);
  t.equal(megabytes(128), '128 MiB');
  t.equal(bytes(undefined), '–');
});

t.test('durations in the units that matter', async (t) => {
  const cases: readonly [number, string][] = [
    [0, '0 ms'],
    [0.85, '850 µs'],
    [12.4, '12 ms'],
    [3250, '3.2 s'],
    [59_999, '59.9 s'],
    [250_000, '4 min 10 s'],
    [3_600_000, '1 h'],
    [183_600_000, '2 d 3 h'],
    [-1, '–'],
  ];
  for (const [millis, text] of cases) t.equal(duration(millis), text, String(millis));
  t.equal(age(-5000), '0 s', 'a clock that is ahead');
  t.equal(age(125_000), '2 min');
});

t.test('one zone for everything', async (t) => {
  const at = Date.UTC(2026, 10, 26, 12, 3, 1);
  t.equal(clockTime(at, 'UTC'), '12:03:01');
  t.equal(momentWithOffset(at, 'UTC'), '2026-11-26 12:03:01 +00:00');
  t.equal(momentWithOffset(at, 'Asia/Kolkata'), '2026-11-26 17:33:01 +05:30');
});

t.test('exact JSON keeps every digit, and is JSON for the rest', async (t) => {
  // Node 20 tells no source of a number: what is rounded there is not seen.
  const tellsSource = (() => {
    let told = false;
    JSON.parse('1', ((_: string, value: unknown, context?: { source?: string }) => {
      told = context?.source === '1';
      return value;
    }) as (key: string, value: unknown) => unknown);
    return told;
  })();
  if (tellsSource) {
    t.match(parseExact('{"id":7312345678901234567,"n":1.0,"e":1e3}'), {
      id: new ExactNumber('7312345678901234567'),
      n: 1,
      e: 1000,
    });
    t.equal(writeExact(parseExact('[7312345678901234567]')), '[\n  7312345678901234567\n]');
  }
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value);
      return writeExact(parseExact(text)) === JSON.stringify(JSON.parse(text), null, 2);
    }),
  );
});
