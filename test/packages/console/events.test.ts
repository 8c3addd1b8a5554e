import t from 'tap';
import { barsOf, widthOf } from '../../../packages/console/src/charts/histogram.js';
import { readEventsSearch } from '../../../packages/console/src/features/events/events-search.js';
import {
  factsOf,
  heldAt,
  isFailure,
  mergedEvents,
  typesOf,
} from '../../../packages/console/src/gateway/event-list.js';

const event = (
  id: string,
  timestamp: number,
  type = 'StartOperator',
  data: Record<string, unknown> = {},
) => ({
  id,
  timestamp,
  type,
  data,
});
const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id).join(' ');

t.test('each event once, the newest first', async (t) => {
  const read = [event('9', 10), event('10', 10), event('11', 12)];
  const live = [event('11', 12), event('12', 12)];
  t.equal(ids(mergedEvents(read, live)), '12 11 10 9');
  t.equal(ids(mergedEvents([event('b', 1), event('a', 1)])), 'a b', 'without digits: the later is the newer');
  t.equal(ids(mergedEvents()), '');
});

t.test('new ones wait while somebody reads', async (t) => {
  const events = [event('5', 5), event('4', 4), event('3', 3)];
  t.strictSame(heldAt(events, undefined), { shown: events, waiting: 0 });
  t.strictSame(heldAt(events, '5'), { shown: events, waiting: 0 });
  t.strictSame(heldAt(events, '4'), { shown: events.slice(1), waiting: 1 });
  t.strictSame(heldAt(events, 'gone'), { shown: events, waiting: 0 });
});

t.test('types by their number, facts without what says nothing', async (t) => {
  const events = [event('1', 1, 'B'), event('2', 2, 'A'), event('3', 3, 'C'), event('4', 4, 'C')];
  t.equal(
    typesOf(events)
      .map(({ type, count }) => type + count)
      .join(' '),
    'C2 A1 B1',
  );
  const data = { logLevel: 'INFO', a: '', b: null, c: 0, d: { e: 1 }, f: 'x' };
  t.strictSame(factsOf(event('1', 1, 'X', data)), [
    ['c', '0'],
    ['d', '{"e":1}'],
    ['f', 'x'],
  ]);
});

t.test('what is a failure', async (t) => {
  const failed = (type: string, data: Record<string, unknown> = {}) => isFailure(event('1', 1, type, data));
  t.equal(failed('OperatorError'), true);
  t.equal(failed('StopContainer', { exitStatus: '137' }), true);
  t.equal(failed('StopContainer', { exitStatus: 0 }), false);
  t.equal(failed('StopContainer'), false);
  t.equal(failed('StartContainer', { exitStatus: 1 }), false);
});

t.test('bars of one width over all of the time', async (t) => {
  t.equal(widthOf(60_000, 60), 5_000);
  t.equal(widthOf(3_600_000, 60), 300_000);
  t.equal(widthOf(1, 60), 1);
  t.equal(widthOf(200 * 86_400_000, 60), 4 * 86_400_000);
  t.strictSame(barsOf([12, 19, 20, 45, 9, 50], 10, 46, 10), [
    { from: 10, to: 20, count: 2 },
    { from: 20, to: 30, count: 1 },
    { from: 30, to: 40, count: 0 },
    { from: 40, to: 50, count: 1 },
  ]);
  for (const millis of [1, 999, 86_400_000, 9e10])
    t.ok(barsOf([], 5, 5 + millis, 60).length <= 62, `${millis} ms`);
});

t.test('what the address says', async (t) => {
  t.strictSame(readEventsSearch({ type: 'A,B', range: '1h', other: 1 }), { type: 'A,B', range: '1h' });
  t.strictSame(readEventsSearch({ type: '', from: 1, to: 2 }), { from: 1, to: 2 });
});
