import { once } from 'node:events';
import http from 'node:http';
import t from 'tap';
import { z } from 'zod';
import type { attachWebSocket } from '../../../adapters/host/ws.js';
import type { HubBatch, HubSocket, UpgradeHandler } from '../../../lib/index.js';
import { textFrame } from '../../../lib/pubsub/frame.js';
import { append, emptyPending } from '../../../lib/pubsub/pending.js';
import { topicFor } from '../../../lib/pubsub/topic.js';
import { attachSendOnly } from '../../helpers/send-only.js';
import { untilTrue } from '../../helpers/waiting.js';
import { principal, stage } from './stage.js';

// Hosts that have less than a raw socket: messages in, messages out, and how many bytes are not taken yet.

const topic = topicFor<undefined>();
const topics = {
  room: {
    state: topic({ name: 'cluster.state', summary: '', access: 'user', data: z.unknown(), kind: 'snapshot' }),
  },
};
const padding = 'x'.repeat(64 * 1024);
const data = (n: number) => JSON.stringify({ n, padding });

/** Its sockets are looked at a hundred times a second, so that a test need not wait for it. */
const often = { pingMs: 250, pongMs: 60_000 };

t.test('a batch is the same messages as texts and as frames, each made once', async (t) => {
  const frames = ['{"a":1}', `"${'é'.repeat(200)}"`, `"${padding}"`].map((text) => textFrame('', text));
  const batch = frames.reduce(append, emptyPending());
  t.strictSame(batch.messages.map(String), ['{"a":1}', `"${'é'.repeat(200)}"`, `"${padding}"`]);
  t.equal(batch.messages, batch.messages);
  t.equal(batch.frames, batch.frames);
  t.strictSame(Buffer.concat(batch.frames), Buffer.concat(frames.map(({ bytes }) => bytes)));
  t.equal(batch.messages[2]?.buffer, frames[2]?.bytes.buffer, 'not copied');
});

t.test('a slow consumer of a host that only sends gets the newest, the others get all', async (t) => {
  const { hub, open } = await stage(t, { topics, attach: attachSendOnly, limits: often });
  const [frozen, healthy] = [await open('ann'), await open('bob')];
  for (const peer of [frozen, healthy]) {
    peer.subscribe('cluster.state');
    await peer.settled();
  }
  frozen.socket?.pause();
  const count = 600;
  for (let n = 0; n < count; n++) {
    hub.publish('cluster.state', data(n));
    await healthy.until(() => healthy.texts.length === n + 1);
  }
  t.equal(hub.stats.slowSockets, 1);
  frozen.socket?.resume();
  const numbers = () => frozen.dataOf('cluster.state').map((data) => Number(Reflect.get(Object(data), 'n')));
  await frozen.until(() => numbers().at(-1) === count - 1, 'the newest, though nobody tells of a drain');
  t.ok(numbers().length < count, `${numbers().length} of ${count} got through`);
  t.strictSame(
    numbers(),
    numbers().toSorted((a, b) => a - b),
  );
  t.match(hub.stats, { tooSlow: 0, slowSockets: 0 });
});

t.test('events beyond the limit close it with a code and a reason', async (t) => {
  const { hub, open } = await stage(t, { attach: attachSendOnly });
  const [frozen, healthy] = [await open('ann'), await open('bob')];
  for (const peer of [frozen, healthy]) {
    peer.subscribe('news');
    await peer.settled();
  }
  frozen.socket?.pause();
  for (let sent = 1; hub.stats.tooSlow === 0 && sent < 2000; sent++) {
    hub.publish('news', data(sent));
    await healthy.until(() => healthy.texts.length === sent);
  }
  frozen.socket?.resume();
  t.match(await frozen.closed, { code: 1013, reason: /^Too slow: more than 16777216 bytes/ });
});

t.test('a client that sends too fast is closed where reading can not be stopped', async (t) => {
  const { hub, open } = await stage(t, {
    attach: attachSendOnly,
    limits: { messagesPerSecond: 1, messageBurst: 10 },
  });
  const ann = await open();
  for (let n = 0; n < 100; n++) ann.publish('a', n);
  t.match(await ann.closed, { code: 1013, reason: 'You send more than 1 messages a second' });
  const { received } = hub.stats;
  t.ok(received > 10 && received < 100, `after ${received} messages`);
});

t.test('what waits to be read is bounded there too', async (t) => {
  const { hub } = await stage(t, { limits: { hardLimitBytes: 1_000_000 } });
  const socket = new Recorder();
  const connection = hub.connect(socket, {
    caller: { principal: principal('ann') },
    sessionId: undefined,
    wantsErrors: false,
    onUse() {},
    refresh: async () => ({ principal: principal('ann') }),
  });
  const long = Buffer.from(`{"type":"publish","topic":"a","data":"${'x'.repeat(400_000)}"}`);
  for (let n = 0; n < 3; n++) connection.receive(long);
  t.strictSame(socket.closes, [], 'one is read, two wait');
  connection.receive(long);
  t.strictSame(socket.closes, [[1013, 'More than 1000000 bytes of yours wait to be read']]);
});

t.test('who can not be pinged is not ended for its silence', async (t) => {
  const { hub, open } = await stage(t, { attach: attachSendOnly, limits: { pingMs: 25, pongMs: 25 } });
  const silent = await open();
  let ticks = 0;
  const other = hub.connect(Object.assign(new Recorder(), { ping: () => ticks++ }), {
    caller: { principal: principal('bob'), application: 'application_1_1' },
    sessionId: undefined,
    wantsErrors: false,
    onUse() {},
    refresh: async () => undefined,
  });
  await untilTrue(() => ticks > 5);
  other.closed();
  await silent.settled();
  t.equal(hub.stats.connections, 1);
});

t.test('a socket that comes when rights have changed meanwhile is closed', async (t) => {
  let pubsub: UpgradeHandler | undefined;
  const { hub } = await stage(t, {
    attach(_, gateway) {
      pubsub = gateway.pubsub;
      return () => {};
    },
  });
  const accept = async () => {
    const headers = { 'x-user': 'ann' };
    const decision = await pubsub?.accept({ url: '/pubsub', headers, remoteAddress: '::1', raw: undefined });
    if (!decision || 'refused' in decision) throw new Error('It was refused');
    return decision;
  };
  const [early, late] = [new Recorder(), new Recorder()];
  (await accept()).connect(early);
  const admitted = await accept();
  hub.sessionEnded('of somebody');
  admitted.connect(late);
  t.strictSame(early.closes, []);
  t.strictSame(late.closes, [[1013, 'Rights have changed; connect again']]);
});

t.test('server-sent events: a socket that has one way only', async (t) => {
  const { hub, server } = await stage(t, { topics, attach: attachEvents });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const path = '/events?topic=cluster.state&topic=news&errors=true&topic=audit';
  const [answer] = await once(http.get({ port, path, headers: { 'x-user': 'ann' } }), 'response');
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await untilTrue(() => text.includes('FORBIDDEN'));
  t.match(text, /"topic":"audit"/, 'who may not hear a topic is told');
  text = '';
  hub.publish('cluster.state', '{\n"n": 1}');
  hub.publish('news', '2');
  await untilTrue(() => text.split('\n\n').length === 3);
  t.equal(
    text,
    'data: {"type":"data","topic":"cluster.state","data":{\ndata: "n": 1}}\n\n' +
      'data: {"type":"data","topic":"news","data":2}\n\n',
  );
  const ended = once(answer, 'end');
  hub.close();
  await ended;
  t.match(hub.stats, { connections: 0, topics: 0 });
});

/** Keeps what it is told. */
class Recorder implements HubSocket {
  readonly closes: [number, string][] = [];
  readonly bufferedAmount = 0;

  send(): number {
    return 0;
  }
  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }
  terminate(): void {}
}

/** Listens to the topics that the address names. */
const attachEvents: typeof attachWebSocket = (server, { pubsub }) => {
  server.removeAllListeners('request');
  server.on('request', async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { url = '', headers } = request;
    const decision = await pubsub.accept({ url, headers, remoteAddress: '::1', raw: request });
    if ('refused' in decision) return response.writeHead(decision.refused.status).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const connection = decision.connect(new EventStream(response));
    response.on('drain', () => connection.drained());
    response.on('close', () => {
      connection.closed();
      decision.leave();
    });
    for (const topic of new URL(url, 'http://host').searchParams.getAll('topic')) {
      connection.receive(Buffer.from(JSON.stringify({ type: 'subscribe', topic })));
    }
  });
  return () => {};
};

/** Of each batch, for all that get it. */
const eventTexts = new WeakMap<HubBatch, string>();

class EventStream implements HubSocket {
  constructor(private readonly response: http.ServerResponse) {}

  send(batch: HubBatch): number {
    const text = eventTexts.get(batch) ?? batch.messages.map(eventOf).join('');
    eventTexts.set(batch, text);
    this.response.write(text);
    return this.bufferedAmount;
  }

  get bufferedAmount(): number {
    return this.response.writableLength;
  }

  close(): void {
    this.response.end();
  }

  terminate(): void {
    this.response.destroy();
  }
}

const eventOf = (message: Buffer): string =>
  `data: ${String(message).replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n\n`;
