import t from 'tap';
import type { HubLimits } from '../../../lib/pubsub/limits.js';
import { take, waitOf } from '../../../lib/pubsub/rate.js';

type Limits = Pick<HubLimits, 'messagesPerSecond' | 'messageBurst'>;

const takeMany = (count: number, from: number, limits: Limits, now: number): number => {
  let fullAt = from;
  for (let i = 0; i < count; i++) fullAt = take(fullAt, limits, now);
  return fullAt;
};

t.test('a burst passes, what follows waits until the bucket has room again', async (t) => {
  const limits = { messagesPerSecond: 1000, messageBurst: 100 };
  const burst = takeMany(100, 0, limits, 0);
  t.equal(waitOf(burst, limits, 0), 0, 'the burst');
  const overdrawn = takeMany(50, burst, limits, 0);
  t.equal(waitOf(overdrawn, limits, 0), 150, '50 messages too many take 50 ms, and a tenth of a second more');
  t.equal(waitOf(overdrawn, limits, 20), 130);
  t.equal(waitOf(overdrawn, limits, 50), 0);
});

t.test('it fills steadily', async (t) => {
  const limits = { messagesPerSecond: 500, messageBurst: 3000 };
  let fullAt = 0;
  const wait = (count: number, now: number) => {
    fullAt = takeMany(count, fullAt, limits, now);
    return waitOf(fullAt, limits, now);
  };
  t.equal(wait(3000, 0), 0);
  t.equal(wait(1, 0), 102, 'the burst is used up');
  t.equal(wait(49, 100), 0, 'a tenth of a second brings 50');
  t.equal(wait(1, 100), 102);
  t.equal(wait(500, 100), 1102, 'who sent a second too much waits a second');
});

t.test('quiet time is not saved up beyond the burst', async (t) => {
  const limits = { messagesPerSecond: 1000, messageBurst: 100 };
  t.equal(waitOf(takeMany(101, 0, limits, 60_000), limits, 60_000), 101);
});

t.test('a rate whose tokens are no whole milliseconds', async (t) => {
  const limits = { messagesPerSecond: 300, messageBurst: 70 };
  const burst = takeMany(70, 0, limits, 12_345.678);
  t.equal(waitOf(burst, limits, 12_345.678), 0);
  t.equal(waitOf(take(burst, limits, 12_345.678), limits, 12_345.678), 104);
});
