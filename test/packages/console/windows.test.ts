import t from 'tap';
import {
  newestWindow,
  oldestWindow,
  windowsBehind,
  windowTime,
} from '../../../packages/console/src/format/windows.js';

const id = (seconds: number, counter: number): string => String((BigInt(seconds) << 32n) | BigInt(counter));

t.test('the time of a window', async (t) => {
  t.equal(windowTime(id(1_700_000_000, 0), 500), 1_700_000_000_000);
  t.equal(windowTime(id(1_700_000_000, 3), 500), 1_700_000_001_500);
  t.equal(windowTime('7301444403200000003', 1000), 1_700_000_003_000, 'beyond 2^53');
  for (const none of ['0', '-1', '', 'x', '5', undefined])
    t.equal(windowTime(none, 500), undefined, String(none));
});

t.test('windows behind, with all 64 bits', async (t) => {
  const window = 7712152532075675742n;
  for (const [own, newest, behind] of [
    [id(100, 7), id(100, 12), 5],
    [String(window), String(window + 1n), 1],
    [String(window + 8n), String(window + 1n), 0],
    [String(window), String(window + (10n << 32n)), 20],
    // The counter has begun anew.
    [id(100, 18), id(110, 3), 5],
    // Before its first window.
    ['0', id(100, 7), undefined],
    ['-1', id(100, 7), undefined],
    ['not a window', id(100, 7), undefined],
    ['99999999999999999999999', id(100, 7), undefined],
    // An engine without windows.
    [undefined, id(100, 7), undefined],
    [id(100, 7), undefined, undefined],
  ] as const)
    t.equal(windowsBehind(own, newest, 500), behind, `${own} after ${newest}`);
});

t.test('the newest and the oldest are among those that tell a time', async (t) => {
  const ids = [id(100, 9), id(99, 12), '0', '-1', undefined, id(100, 10)];
  t.equal(newestWindow(ids), id(100, 10));
  t.equal(oldestWindow(ids), id(99, 12));
  t.equal(newestWindow(['-1', undefined]), undefined);
  t.equal(oldestWindow([]), undefined);
});
