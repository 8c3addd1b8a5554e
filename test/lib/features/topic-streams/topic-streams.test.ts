import { once } from 'node:events';
import net from 'node:net';
import { join } from 'node:path';
import { EventSource } from 'eventsource';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { gatewayWithPasswords, passwordOf } from '../../../helpers/accounts.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as, people } from '../../../helpers/people.js';
import { snippetsOf } from '../../../helpers/snippets.js';
import { root } from '../../../helpers/sources.js';
import { untilTrue } from '../../../helpers/waiting.js';

/** A browser's way to listen, with headers that a page could not set. */
function listen(t: Test, url: string, headers: Record<string, string> = {}) {
  const source = new EventSource(url, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
  });
  t.teardown(() => source.close());
  const messages: unknown[] = [];
  const closes: unknown[] = [];
  const refusals: unknown[] = [];
  source.addEventListener('message', ({ data }) => messages.push(JSON.parse(data)));
  source.addEventListener('close', ({ data }) => closes.push(JSON.parse(data)));
  source.addEventListener('error', ({ code }) => refusals.push(code));
  return { source, messages, closes, refusals };
}

const streamOf = (baseUrl: string, topic: string) => `${baseUrl}/ws/v2/topics/${encodeURIComponent(topic)}`;

/** How many listen, as the gateway tells it. */
async function listeners(
  t: Test,
  newClient: Awaited<ReturnType<typeof newGateway>>['newClient'],
  topic: string,
  headers = {},
) {
  const counts: number[] = [];
  const client = newClient({ headers });
  t.teardown(() => client.close());
  client.countSubscribers(topic, (count) => counts.push(count));
  return (count: number) => untilTrue(() => counts.at(-1) === count);
}

t.test('what is published comes as on the WebSocket, and hanging up ends it', async (t) => {
  const { baseUrl, client, newClient } = await newGateway(t);
  const count = await listeners(t, newClient, 'lobby/é');
  const { source, messages } = listen(t, streamOf(baseUrl, 'lobby/é'));
  await count(1);
  for (const data of [{ text: 'grüße 👋\n\nover' }, [1, 2], 'x'.repeat(100_000)])
    client.publish('lobby/é', data);
  await untilTrue(() => messages.length === 3);
  t.strictSame(messages, [
    { type: 'data', topic: 'lobby/é', data: { text: 'grüße 👋\n\nover' } },
    { type: 'data', topic: 'lobby/é', data: [1, 2] },
    { type: 'data', topic: 'lobby/é', data: 'x'.repeat(100_000) },
  ]);
  source.close();
  await count(0);
});

t.test('JSON with line ends in it is one event', async (t) => {
  const { baseUrl, newClient } = await newGateway(t);
  const count = await listeners(t, newClient, 'lobby');
  const { messages } = listen(t, streamOf(baseUrl, 'lobby'));
  await count(1);
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub`);
  await once(socket, 'open');
  socket.send('{"type":"publish","topic":"lobby","data":{\r\n"a":\n1,\r"b":2}}');
  await untilTrue(() => messages.length === 1);
  socket.close();
  t.strictSame(messages, [{ type: 'data', topic: 'lobby', data: { a: 1, b: 2 } }]);
});

t.test('a snapshot comes at once, and nobody holds the answer back', async (t) => {
  const { baseUrl } = await newGateway(t);
  const { messages } = listen(t, streamOf(baseUrl, 'cluster.metrics'));
  await untilTrue(() => messages.length > 0);
  t.match(messages[0], { type: 'data', topic: 'cluster.metrics', data: Object });
  const stop = new AbortController();
  const { status, headers } = await fetch(streamOf(baseUrl, 'cluster.metrics'), { signal: stop.signal });
  stop.abort();
  t.equal(status, 200);
  t.match(Object.fromEntries(headers), {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
});

t.test('who may not listen is told why, before anything is sent', async (t) => {
  const { baseUrl } = await newGateway(t, { auth: people });
  const ask = async (topic: string, headers = {}) => {
    const answer = await fetch(streamOf(baseUrl, topic), { headers });
    const { code } = JSON.parse(await answer.text());
    return [answer.status, code];
  };
  t.strictSame(await ask('lobby'), [401, 'NOT_LOGGED_IN']);
  t.strictSame(await ask('audit', as('eve').headers), [403, 'FORBIDDEN']);
  t.strictSame(await ask('_internal.x', as('eve').headers), [403, 'FORBIDDEN']);
  t.strictSame(await ask('é'.repeat(128), as('eve').headers), [404, 'NOT_FOUND']);
  const evil = { ...as('eve').headers, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const foreign = await fetch(streamOf(baseUrl, 'lobby'), { headers: evil });
  await foreign.body?.cancel();
  t.equal(foreign.headers.get('access-control-allow-origin'), null, 'no page of another origin can read it');
});

t.test('it ends with the session that it was opened by', async (t) => {
  const { baseUrl, user } = await gatewayWithPasswords(t);
  const ann = await user('ann', 'operator');
  const login = await fetch(`${baseUrl}/ws/v2/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName: 'ann', password: passwordOf('ann') }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const { messages, closes, refusals } = listen(t, streamOf(baseUrl, 'lobby'), { cookie });
  await untilTrue(() => {
    ann.publish('lobby', 'hello');
    return messages.length > 0;
  });
  const logout = await fetch(`${baseUrl}/ws/v2/logout`, { method: 'POST', headers: { cookie } });
  t.equal(logout.status, 200);
  await untilTrue(() => closes.length > 0);
  t.match(closes[0], { code: 1008 });
  await untilTrue(() => refusals.includes(401));
});

t.test('they count among the sockets of a user, until they are closed', async (t) => {
  const { baseUrl, newClient } = await newGateway(t, {
    auth: people,
    pubsub: { limits: { connectionsPerUser: 2 } },
  });
  const ann = as('ann').headers;
  const count = await listeners(t, newClient, 'lobby', as('bob').headers);
  const [one] = [listen(t, streamOf(baseUrl, 'lobby'), ann), listen(t, streamOf(baseUrl, 'lobby'), ann)];
  await count(2);
  const third = await fetch(streamOf(baseUrl, 'lobby'), { headers: ann });
  t.equal(third.status, 429);
  await third.body?.cancel();
  one.source.close();
  await count(1);
  const head = await fetch(streamOf(baseUrl, 'lobby'), { method: 'HEAD', headers: ann });
  t.equal(head.status, 200);
  listen(t, streamOf(baseUrl, 'lobby'), ann);
  await count(2);
});

t.test('a client that takes nothing is ended, and the others get everything', async (t) => {
  const { baseUrl, client, newClient, logs } = await newGateway(t);
  const count = await listeners(t, newClient, 'lobby');
  const frozen = net.connect(Number(new URL(baseUrl).port), '127.0.0.1');
  frozen.on('error', () => {});
  frozen.write('GET /ws/v2/topics/lobby HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(frozen, 'data');
  frozen.pause();
  const { messages } = listen(t, streamOf(baseUrl, 'lobby'));
  await count(2);
  const text = 'x'.repeat(1_000_000);
  const isEnded = () => logs.some(({ fields }) => fields['event'] === 'hub.socket_too_slow');
  for (let sent = 1; !isEnded(); sent++) {
    if (sent > 100) throw new Error('It may keep 100 MB waiting');
    client.publish('lobby', text);
    await untilTrue(() => messages.length === sent);
  }
  await count(1);
  frozen.destroy();
});

t.test('a gateway that closes says so', async (t) => {
  const { baseUrl, gateway } = await newGateway(t);
  const { messages, closes } = listen(t, streamOf(baseUrl, 'cluster.metrics'));
  await untilTrue(() => messages.length > 0);
  await gateway.close();
  await untilTrue(() => closes.length > 0);
  t.match(closes[0], { code: 1001 });
});

t.test('the program of docs/pubsub.md', async (t) => {
  const { baseUrl, gateway } = await newGateway(t);
  const snippet = snippetsOf(join(root, 'docs/pubsub.md')).find(({ attributes }) => 'events' in attributes);
  const printed: unknown[] = [];
  const program = new Function('EventSource', 'console', snippet?.text ?? 'throw new Error("It is gone")');
  class OfPage extends EventSource {
    constructor(path: string) {
      super(baseUrl + path);
      t.teardown(() => this.close());
    }
  }
  program(OfPage, { log: (value: unknown) => printed.push(value) });
  await untilTrue(() => printed.length > 0);
  t.match(printed[0], { type: 'data', topic: 'cluster.metrics', data: Object });
  await gateway.close();
  await untilTrue(() => printed.some((value) => Reflect.get(Object(value), 'code') === 1001));
});
