import t from 'tap';
import { newRate, take, waitOf } from '../../lib/pubsub/rate.js';

const limits = { messagesPerSecond: 1000, messageBurst: 100 };

t.test('a burst passes, what follows waits until the bucket has room again', async (t) => {
  const rate = newRate(limits, 0);
  for (let n = 0; n < 100; n++) take(rate, limits, 0);
  t.equal(waitOf(rate, limits, 0), 0, 'the burst');
  for (let n = 0; n < 50; n++) take(rate, limits, 0);
  t.equal(waitOf(rate, limits, 0), 150, '50 messages too many take 50 ms, and a tenth of a second more');
  t.equal(waitOf(rate, limits, 20), 130);
  t.equal(waitOf(rate, limits, 50), 0);
});

t.test('quiet time is not saved up beyond the burst', async (t) => {
  const rate = newRate(limits, 0);
  for (let n = 0; n < 101; n++) take(rate, limits, 60_000);
  t.equal(waitOf(rate, limits, 60_000), 101);
});
