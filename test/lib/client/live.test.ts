import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import { attachWebSocket } from '../../../adapters/host/http.js';
import { type Client, type ClientError, createClient, type LiveOptions } from '../../../lib/client.js';
import { createProbe } from '../../../lib/host-probe.js';
import { settled, until } from '../../../packages/contracts/host-wire.js';
import { gatewayWithPasswords } from '../../helpers/accounts.js';
import { newGateway } from '../../helpers/gateway.js';
import { ownPort } from '../../helpers/ports.js';
import { until as untilAnswer } from '../../helpers/waiting.js';

/** A server on a port that can be stopped and started again. */
async function restartable(t: { teardown(stop: () => Promise<void>): unknown }) {
  let server: Server | undefined;
  const port = await ownPort();
  const stop = async () => {
    const closing = server;
    server = undefined;
    if (!closing) return;
    const closed = once(closing, 'close');
    closing.close();
    await closed;
  };
  let end = async () => {};
  const start = async () => {
    const { gateway } = createProbe();
    const starting = createServer();
    server = starting;
    const detach = attachWebSocket(starting, gateway);
    starting.listen(port, '127.0.0.1');
    await once(starting, 'listening');
    end = async () => {
      detach();
      await gateway.close();
      await stop();
    };
  };
  t.teardown(() => end());
  return { start, stop: () => end(), baseUrl: () => `http://127.0.0.1:${port}` };
}

const addressOf = (server: Server): AddressInfo => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address;
};

function clientOf(
  t: { teardown(close: () => void): unknown },
  baseUrl: string,
  live: LiveOptions = {},
): Client {
  const client = createClient({ baseUrl, token: 'probe', live: { retryMillis: 10, ...live } });
  t.teardown(() => client.close());
  return client;
}

t.test('the gateway’s topics arrive with their data', async (t) => {
  const { client } = await newGateway(t);
  const metrics: { numAppsRunning: number }[] = [];
  client.subscribe('cluster.metrics', (data) => metrics.push(data));
  await until('metrics come', () => metrics.length > 0);
  t.equal(metrics[0]?.numAppsRunning, 0);
});

t.test('a message comes with its data as text, too: integers beyond 2^53 are whole there', async (t) => {
  const host = await restartable(t);
  await host.start();
  const client = clientOf(t, host.baseUrl());
  const texts: string[] = [];
  const counts: number[] = [];
  client.subscribe('wide', (_, text) => texts.push(text));
  client.countSubscribers('wide', (count) => counts.push(count));
  await until('it listens', () => counts.at(-1) === 1);
  const socket = new WebSocket(`${host.baseUrl().replace('http', 'ws')}/pubsub`, {
    headers: { authorization: 'Bearer probe' },
  });
  await once(socket, 'open');
  socket.send('{"type":"publish","topic":"wide","data":{"id":7312345678901234567}}');
  await until('it came', () => texts.length === 1);
  socket.terminate();
  t.strictSame(texts, ['{"id":7312345678901234567}']);
});

t.test('several listeners share one subscription, and end it together', async (t) => {
  const host = await restartable(t);
  await host.start();
  const [one, two] = [clientOf(t, host.baseUrl()), clientOf(t, host.baseUrl())];
  const seen: string[] = [];
  const counts: number[] = [];
  const endFirst = one.subscribe('a', (data) => seen.push(`first ${data}`));
  const endSecond = one.subscribe('a', (data) => seen.push(`second ${data}`));
  two.countSubscribers('a', (count) => counts.push(count));
  await until('it listens', () => counts.at(-1) === 1);
  two.publish('a', 1);
  await until('both heard', () => seen.length === 2);
  endFirst();
  endFirst();
  two.publish('a', 2);
  await until('the second heard', () => seen.length === 3);
  t.strictSame(seen, ['first 1', 'second 1', 'second 2']);
  endSecond();
  await until('nobody listens', () => counts.at(-1) === 0);
});

t.test('after a restart of the gateway everything goes on', async (t) => {
  const host = await restartable(t);
  await host.start();
  const states: boolean[] = [];
  const one = clientOf(t, host.baseUrl(), { onState: ({ connected }) => states.push(connected) });
  const two = clientOf(t, host.baseUrl());
  const seen: unknown[] = [];
  const counts: number[] = [];
  one.subscribe('a', (data) => seen.push(data));
  two.countSubscribers('a', (count) => counts.push(count));
  await until('it listens', () => counts.at(-1) === 1);
  two.publish('a', 'before');
  await until('it came', () => seen.length === 1);
  for (let i = 0; i < 3; i++) {
    await host.stop();
    await until('the connection is gone', () => states.at(-1) === false);
    counts.length = 0;
    await host.start();
    await until('both are back', () => states.at(-1) === true && counts.at(-1) === 1);
    two.publish('a', i);
    await until('it came', () => seen.length === i + 2);
  }
  t.strictSame(seen, ['before', 0, 1, 2]);
});

t.test('what is published before the connection is there waits for it, up to a limit', async (t) => {
  const host = await restartable(t);
  await host.start();
  const seen: unknown[] = [];
  const counts: number[] = [];
  const listener = clientOf(t, host.baseUrl());
  listener.subscribe('a', (data) => seen.push(data));
  listener.countSubscribers('a', (count) => counts.push(count));
  await until('it listens', () => counts.at(-1) === 1);
  const client = clientOf(t, host.baseUrl(), { maxQueued: 3 });
  for (const data of [1, 2, 3]) client.publish('a', data);
  t.throws(() => client.publish('a', 4), /3 messages wait/);
  await until('they came', () => seen.length === 3);
  t.strictSame(seen, [1, 2, 3]);
});

t.test('a topic that is refused says so', async (t) => {
  const { user } = await gatewayWithPasswords(t);
  const ann = await user('ann', 'operator');
  const errors: ClientError[] = [];
  ann.subscribe(
    'applications.unknown',
    () => t.fail('It came'),
    (error) => errors.push(error),
  );
  await until('it is refused', () => errors.length > 0);
  t.match(errors[0], { code: 'FORBIDDEN', details: { topic: 'applications.unknown' } });
});

t.test('the session of the calls is that of the WebSocket, and an upgrade refused says why', async (t) => {
  const { baseUrl, newClient } = await gatewayWithPasswords(t);
  const states: { connected: boolean; error?: ClientError }[] = [];
  const client = createClient({
    baseUrl,
    live: { retryMillis: 10, maxRetryMillis: 50, onState: (state) => states.push(state) },
  });
  t.teardown(() => client.close());
  const counts: number[] = [];
  client.countSubscribers('a', (count) => counts.push(count));
  await until('it is refused', () => states.length > 0);
  t.match(states[0], { connected: false, error: { status: 401, code: 'NOT_LOGGED_IN' } });
  await client.login({ body: { userName: 'admin', password: 'the gate is open' } });
  await until('it is let in', () => counts.length > 0);
  t.ok(states.at(-1)?.connected);
  newClient();
});

t.test('a peer that went silent is given up', async (t) => {
  // A server that takes the WebSocket and never says a word.
  const { WebSocketServer } = await import('ws');
  const server = createServer();
  let connections = 0;
  const asked: string[] = [];
  const silent = new WebSocketServer({ server });
  silent.on('connection', (socket) => {
    connections++;
    socket.on('message', (data) => asked.push(data.toString()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of silent.clients) socket.terminate();
    server.close();
  });
  const client = clientOf(t, `http://127.0.0.1:${addressOf(server).port}`, { silenceMillis: 20 });
  client.subscribe('a', () => {});
  await until('it came again', () => connections >= 3);
  t.ok(asked.includes('{"type":"getLatestTopics"}'), 'it asked before it gave up');
});

t.test('close ends the connection and the tries', async (t) => {
  const host = await restartable(t);
  await host.start();
  const states: boolean[] = [];
  const client = clientOf(t, host.baseUrl(), { onState: ({ connected }) => states.push(connected) });
  client.subscribe('a', () => {});
  await until('it is connected', () => states.at(-1) === true);
  client.close();
  await until('it is closed', () => states.at(-1) === false);
  await host.stop();
  const tries: boolean[] = [];
  const trying = clientOf(t, host.baseUrl(), { onState: ({ connected }) => tries.push(connected) });
  trying.subscribe('a', () => {});
  await until('it tried again', () => tries.length >= 2);
  trying.close();
  await host.start();
  await settled(() => tries.length);
  t.notOk(tries.includes(true));
});

t.test('the names of topics are told to whoever asks', async (t) => {
  const host = await restartable(t);
  await host.start();
  const client = clientOf(t, host.baseUrl());
  t.strictSame(await client.latestTopics(), [], 'the connection is opened for it');
  client.publish('named', 1);
  await untilAnswer(
    () => client.latestTopics(),
    (names) => names.includes('named'),
  );
  const given = new AbortController();
  const waiting = client.latestTopics(given.signal);
  given.abort(new Error('enough'));
  await t.rejects(waiting, { message: 'enough' });
  const last = client.latestTopics();
  client.close();
  await t.rejects(last, { code: 'UNREACHABLE' });
});
