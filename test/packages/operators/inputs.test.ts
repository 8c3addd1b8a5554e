import { createServer, type RequestListener } from 'node:http';
import t, { type Test } from 'tap';
import { HttpPoll, RandomGenerator, Timer } from '../../../packages/operators/built-in.js';
import { startOperator } from '../../helpers/operator-harness.js';
import { untilTrue } from '../../helpers/waiting.js';

async function serving(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return `http://127.0.0.1:${address.port}/`;
}

async function polling(t: Test, properties: object) {
  const poll = await startOperator(HttpPoll, { intervalMillis: 10, ...properties });
  t.teardown(() => poll.stop());
  return poll;
}

t.test('answers come with status, type and body, and the headers are sent', async (t) => {
  let requests = 0;
  const url = await serving(t, (request, response) => {
    requests += 1;
    response.writeHead(requests === 1 ? 200 : 404, { 'content-type': 'text/plain' });
    response.end(`${request.headers['x-key']} ${requests} é`);
  });
  const poll = await polling(t, { url, headers: { 'x-key': 'k' } });
  await poll.pullUntil(() => poll.tuples().length >= 2);
  t.match(poll.tuples(), [
    { status: 200, contentType: 'text/plain', body: 'k 1 é', time: Number, durationMillis: Number },
    { status: 404, body: 'k 2 é' },
  ]);
});

t.test('redirects are answers', async (t) => {
  const url = await serving(t, (_request, response) => {
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const poll = await polling(t, { url });
  await poll.pullUntil(() => poll.tuples().length > 0);
  t.match(poll.tuples()[0], { status: 302, body: '' });
});

t.test(
  'a body that is too large, one that never ends, and nobody there: errors, and on it goes',
  async (t) => {
    let requests = 0;
    const url = await serving(t, (_request, response) => {
      requests += 1;
      if (requests === 1) response.end('x'.repeat(1_001));
      else if (requests === 2) response.write('begun');
      else if (requests === 3) response.destroy();
      else response.end('fine');
    });
    const poll = await polling(t, { url, maxBodyBytes: 1_000, timeoutMillis: 200 });
    await poll.pullUntil(() => poll.tuples('output').length > 0);
    t.match(poll.tuples('errors'), [
      { message: 'the body is larger than 1000 bytes', time: Number },
      { message: 'no complete answer within 200 ms' },
      { message: /hang up|aborted|reset/ },
    ]);
    t.match(poll.tuples('output')[0], { body: 'fine' });
    t.ok((poll.operator.counters()['requests'] ?? 0) >= 4);
    t.equal(poll.operator.counters()['failures'], 3);
  },
);

t.test('an address with a secret is not logged', async (t) => {
  const poll = await polling(t, { url: 'http://name:secret@127.0.0.1:1/?token=secret' });
  await poll.pullUntil(() => poll.tuples('errors').length > 2);
  t.notMatch(JSON.stringify(poll.logged), /secret/);
  t.match(poll.logged, [{ level: 'warn', message: /^127\.0\.0\.1:1: / }]);
  t.equal(poll.logged.length, 1, 'the same failure is told once');
});

t.test('teardown ends a request that hangs, and leaves no connection', async (t) => {
  let connections = 0;
  const url = await serving(t, (request) => {
    connections += 1;
    request.socket.on('close', () => {
      connections -= 1;
    });
  });
  const poll = await startOperator(HttpPoll, { url });
  await poll.pullUntil(() => connections === 1);
  await poll.stop();
  await untilTrue(() => connections === 0);
  t.strictSame(poll.tuples('errors'), []);
});

t.test('back-pressure: nobody takes the answers, so no more are asked for', async (t) => {
  let requests = 0;
  const url = await serving(t, (_request, response) => {
    requests += 1;
    response.end('x'.repeat(1024 * 1024 - 1));
  });
  const poll = await polling(t, { url });
  poll.pull(0);
  await untilTrue(() => requests >= 16);
  let rounds = 0;
  await untilTrue(() => {
    rounds += 1;
    return rounds > 40;
  });
  t.ok(requests <= 17, `${requests} of 1 MB each`);
  poll.pull(10);
  await untilTrue(() => requests > 18);
});

t.test('a new interval and a new address take effect at once, whatever is waited for', async (t) => {
  let hanging = 0;
  const slow = await serving(t, (request) => {
    hanging += 1;
    request.socket.on('close', () => {
      hanging -= 1;
    });
  });
  const quick = await serving(t, (_request, response) => response.end('quick'));
  const poll = await polling(t, { url: quick, intervalMillis: 86_400_000 });
  await poll.pullUntil(() => poll.tuples().length === 1);
  poll.change({ url: quick, intervalMillis: 10 });
  await poll.pullUntil(() => poll.tuples().length > 3);
  poll.change({ url: slow, intervalMillis: 86_400_000 });
  await poll.pullUntil(() => hanging === 1);
  poll.change({ url: quick, intervalMillis: 86_400_000 });
  await untilTrue(() => hanging === 0);
  const before = poll.tuples().length;
  await poll.pullUntil(() => poll.tuples().length > before);
  t.strictSame(poll.tuples('errors'), [], 'what is given up is no failure');
});

t.test('other protocols and nonsense are refused', async (t) => {
  for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'javascript:1', 'nonsense', '/path']) {
    await t.rejects(startOperator(HttpPoll, { url }), { name: 'ZodError' }, url);
  }
});

t.test('random: the same seed gives the same tuples, whatever the crashes', async (t) => {
  for (const kind of ['numbers', 'words', 'records', 'payload']) {
    const properties = { kind, seed: 's', total: 500, min: 10, max: 20, integers: true };
    const steady = await startOperator(RandomGenerator, properties);
    await steady.pullUntil(() => steady.ended);
    t.equal(steady.tuples().length, 500);

    const first = await startOperator(RandomGenerator, properties);
    first.pull(123);
    const checkpoint = first.checkpoint();
    const before = first.tuples();
    first.pull(50);
    const second = await startOperator(RandomGenerator, properties, { restore: checkpoint });
    await second.pullUntil(() => second.ended);
    t.strictSame([...before, ...second.tuples()], steady.tuples(), kind);

    const other = await startOperator(RandomGenerator, properties, { partition: { index: 1, count: 2 } });
    t.notSame(other.pull(100), steady.tuples().slice(0, 100), 'partitions differ');
  }
});

t.test('random: ranges, words and lengths', async (t) => {
  const numbers = await startOperator(RandomGenerator, { min: -2, max: 2, integers: true });
  t.strictSame([...new Set(numbers.pull(200))].sort(), [-1, -2, 0, 1]);
  const words = await startOperator(RandomGenerator, { kind: 'words', words: ['a', 'b'] });
  t.strictSame([...new Set(words.pull(100))].sort(), ['a', 'b']);
  const payload = await startOperator(RandomGenerator, { kind: 'payload' });
  t.match(
    payload.pull(10).map((text) => String(text).length),
    Array.from({ length: 10 }, () => 200),
  );
  const records = await startOperator(RandomGenerator, { kind: 'records' });
  t.match(records.pull(2), [
    { id: 1, word: /^[a-z]+$/, value: Number },
    { id: 2, word: String, value: Number },
  ]);
  const none = await startOperator(RandomGenerator, { total: 0 });
  none.pull();
  t.ok(none.ended);
});

t.test('random: never more than the rate allows', async (t) => {
  const started = performance.now();
  const generator = await startOperator(RandomGenerator, { tuplesPerSecond: 2_000, total: 400 });
  await generator.pullUntil(() => generator.ended, 1_000);
  const seconds = (performance.now() - started) / 1_000;
  t.ok(400 <= 2_000 * seconds + 1, `400 tuples in ${seconds} s`);
});

t.test('random: a rate below one a second still gives tuples', async (t) => {
  const generator = await startOperator(RandomGenerator, { tuplesPerSecond: 0.5 });
  t.strictSame(generator.pull(), []);
  const changed = performance.now();
  generator.change({ tuplesPerSecond: 1_000 });
  await generator.pullUntil(() => generator.tuples().length > 2);
  const allowed = performance.now() - changed + 1;
  t.ok(generator.tuples().length <= allowed, 'and nothing for the time before');
});

t.test('random: another seed begins its own row, another range goes on in the same one', async (t) => {
  const wanted = await startOperator(RandomGenerator, { seed: 'two' });
  const generator = await startOperator(RandomGenerator, { seed: 'one' });
  generator.pull(7);
  generator.change({ seed: 'two' });
  const [first, second] = wanted.pull(2).map(Number);
  t.strictSame(generator.pull(1), [first]);
  generator.change({ seed: 'two', max: 10 });
  t.strictSame(generator.pull(1), [Number(second) * 10]);
});

t.test('timer: ticks in a row, up to their number, on after a recovery', async (t) => {
  const timer = await startOperator(Timer, { intervalMillis: 5, ticks: 3 });
  const started = performance.now();
  await timer.pullUntil(() => timer.tuples().length === 2);
  t.ok(performance.now() - started >= 4, 'the second one an interval after the first');
  const again = await startOperator(Timer, { intervalMillis: 5, ticks: 3 }, { restore: timer.checkpoint() });
  await again.pullUntil(() => again.ended);
  t.match(
    [...timer.tuples(), ...again.tuples()],
    [
      { tick: 1, time: Number },
      { tick: 2, time: Number },
      { tick: 3, time: Number },
    ],
  );
});

t.test('timer: a new interval takes effect at once', async (t) => {
  const timer = await startOperator(Timer, { intervalMillis: 60_000 });
  timer.pull();
  timer.change({ intervalMillis: 5 });
  await timer.pullUntil(() => timer.tuples().length >= 3);
  t.match(timer.tuples().slice(0, 3), [{ tick: 1 }, { tick: 2 }, { tick: 3 }]);
});
