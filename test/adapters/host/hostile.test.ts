import { createServer, type RequestListener } from 'node:http';
import express from 'express';
import Koa from 'koa';
import t from 'tap';
import { expressMiddleware } from '../../../adapters/host/express.js';
import { attachWebSocket, httpHandler } from '../../../adapters/host/http.js';
import { koaMiddleware } from '../../../adapters/host/koa.js';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { createClient } from '../../../lib/client.js';
import { createGateway, type Gateway } from '../../../lib/index.js';
import { emptyCluster } from '../../helpers/empty-cluster.js';
import { type LogLine, loggerInto } from '../../helpers/gateway.js';
import { hostOn, notTheGateway } from '../../helpers/hosts.js';
import { dial, frame, rawWebSocket, toTheEnd } from '../../helpers/raw.js';

// Bytes that no client of ours sends, on the hosts that there are. An exception that reaches the host ends this test.

const hosts: Record<string, (gateway: Gateway) => RequestListener> = {
  'plain http': (gateway) => {
    const handle = httpHandler(gateway);
    return (req, res) => void handle(req, res, () => notTheGateway(req, res));
  },
  Express: (gateway) => express().use(expressMiddleware(gateway)).use(notTheGateway),
  Koa: (gateway) => {
    const app = new Koa();
    app.use(koaMiddleware(gateway)).use((ctx) => {
      ctx.respond = false;
      notTheGateway(ctx.req, ctx.res);
    });
    return app.callback();
  },
};

const text = (value: string) => Buffer.from(value);
const fragments = (count: number) =>
  Buffer.concat(Array.from({ length: count }, (_, i) => frame(i === 0 ? 0x01 : 0x00, text('x'))));

/** What is sent on an open WebSocket, and the code that it is closed with. */
const frames: Record<string, readonly [sent: Buffer, code: number]> = {
  'a frame without a mask': [Buffer.concat([Buffer.from([0x81, 2]), text('{}')]), 1002],
  'bad UTF-8': [frame(0x81, Buffer.from([0xc3, 0x28])), 1007],
  'half of a surrogate pair': [frame(0x81, Buffer.from([0xed, 0xa0, 0x80])), 1007],
  'an unknown opcode': [frame(0x83, text('x')), 1002],
  'a reserved bit': [frame(0xc1, text('x')), 1002],
  'a continuation of nothing': [frame(0x80, text('x')), 1002],
  'a text within a text': [Buffer.concat([frame(0x01, text('x')), frame(0x81, text('x'))]), 1002],
  'too many fragments': [fragments(40), 1008],
  'a fragmented ping': [frame(0x09, text('x')), 1002],
  'a long ping': [frame(0x89, Buffer.alloc(200)), 1002],
  'a close code that is none': [frame(0x88, Buffer.from([0, 1])), 1002],
  'half a close code': [frame(0x88, Buffer.from([3])), 1002],
  'a length over the limit': [frame(0x81, text('x'), 8 * 1024 * 1024 + 1), 1009],
  'a length beyond all numbers': [frame(0x81, text('x'), 2n ** 63n - 1n), 1009],
  noise: [Buffer.alloc(4096, 'GET / HTTP/1.1\r\n\r\n'), 1002],
};

const handshake = {
  host: 'localhost',
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const plain = { connection: 'close', upgrade: undefined };

interface RawRequest {
  readonly line?: string;
  /** In place of those of a good handshake; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Further lines, as they stand. */
  readonly more?: readonly string[];
  readonly status: number;
}

/** Requests, most of them for a WebSocket, and what they are answered: by the gateway, the host or Node. */
const requests: Record<string, RawRequest> = {
  'no key': { headers: { 'sec-websocket-key': undefined }, status: 400 },
  'a key that is none': { headers: { 'sec-websocket-key': '\x01\x7f' }, status: 400 },
  'a short key': { headers: { 'sec-websocket-key': 'c2hvcnQ=' }, status: 400 },
  'two keys': { more: ['sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='], status: 400 },
  'no version': { headers: { 'sec-websocket-version': undefined }, status: 400 },
  'an old version': { headers: { 'sec-websocket-version': '7' }, status: 400 },
  'a version that is none': { headers: { 'sec-websocket-version': '13, 13' }, status: 400 },
  'a malformed protocol': { headers: { 'sec-websocket-protocol': 'a b,,' }, status: 400 },
  'a malformed extension': { headers: { 'sec-websocket-extensions': ';;=' }, status: 101 },
  'another upgrade': { headers: { upgrade: 'h2c' }, status: 400 },
  'another method': { line: 'POST /pubsub HTTP/1.1', status: 405 },
  'a foreign page': { headers: { origin: 'https://evil.example' }, status: 403 },
  'a page that hides': { headers: { origin: 'null' }, status: 403 },
  'an origin that is none': { headers: { origin: 'http://[::bad' }, status: 403 },
  'another path': { line: 'GET /pubsub/../secret HTTP/1.1', status: 404 },
  'a path that is none': { line: 'GET //[::bad HTTP/1.1', status: 404 },
  // Node asks for it in other requests only; a page can't leave it out.
  'no host': { headers: { host: undefined }, status: 101 },
  'a version of HTTP that is none': { line: 'GET /pubsub HTTP/9.9', status: 400 },
  'a header without a name': { more: [': x'], status: 400 },
  'a header with a control character': { more: ['x-bad: a\x00b'], status: 400 },
  'a header that is too long': { more: [`x-long: ${'x'.repeat(70_000)}`], status: 431 },
  'no upgrade at all': { headers: plain, status: 404 },
  'two lengths': { headers: plain, more: ['content-length: 1', 'content-length: 2'], status: 400 },
  'a length below nothing': { headers: plain, more: ['content-length: -1'], status: 400 },
  'a length and pieces': {
    headers: plain,
    more: ['content-length: 1', 'transfer-encoding: chunked'],
    status: 400,
  },
  'too many headers': { more: Array.from({ length: 5000 }, (_, i) => `x-${i}: yes`), status: 431 },
};

function bytesOf({ line = 'GET /pubsub HTTP/1.1', headers = {}, more = [] }: RawRequest): string {
  const lines = Object.entries({ ...handshake, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return `${[line, ...lines, ...more].join('\r\n')}\r\n\r\n`;
}

for (const [name, listenerOf] of Object.entries(hosts)) {
  t.test(name, async (t) => {
    const logs: LogLine[] = [];
    const gateway = await createGateway({
      storage: memoryStorage(),
      cluster: emptyCluster(),
      auth: 'none',
      logger: loggerInto(logs),
      pubsub: { limits: { connectionsPerUser: 200 } },
    });
    const host = await hostOn(createServer(listenerOf(gateway)), gateway);
    const { baseUrl } = host;
    const client = createClient({ baseUrl });
    t.teardown(async () => {
      client.close();
      await gateway.close();
      await host.close();
    });
    const heard: unknown[] = [];
    const said: number[] = [];
    let arrived = () => {};
    client.subscribe('others', (data) => {
      heard.push(data);
      arrived();
    });
    const othersGoOn = () =>
      new Promise<void>((resolve) => {
        arrived = resolve;
        said.push(said.length);
        client.publish('others', said.length - 1);
      });

    for (const [what, [bytes, code]] of Object.entries(frames)) {
      const socket = await rawWebSocket(baseUrl);
      const ended = toTheEnd(socket);
      socket.write(bytes);
      const answer = Buffer.from(await ended, 'latin1');
      t.equal(answer[0], 0x88, `${what}: a close frame`);
      t.equal(answer.readUInt16BE(2), code, what);
      await othersGoOn();
    }

    for (const [what, request] of Object.entries(requests)) {
      const socket = await dial(baseUrl);
      const ended = toTheEnd(socket);
      socket.write(bytesOf(request), 'latin1');
      // What is still open then has been accepted.
      if (request.status === 101) socket.end(frame(0x88, Buffer.from([3, 232])));
      const answer = await ended;
      const [status] = /(?<=^HTTP\/1\.1 )\d+/.exec(answer) ?? ['none'];
      // Node may reset the connection before its own refusal is read.
      t.ok(
        status === String(request.status) || (request.status === 431 && status === 'none'),
        `${what}: ${status}`,
      );
      if (status === '101') t.notMatch(answer, /sec-websocket-(extensions|protocol)/i);
      await othersGoOn();
    }

    const half = bytesOf(requests['a malformed extension'] ?? { status: 0 }).slice(0, 80);
    for (let i = 0; i < 20; i++) {
      const [early, late] = [await dial(baseUrl), await rawWebSocket(baseUrl)];
      early.write(half, () => early.resetAndDestroy());
      late.write(frame(0x01, Buffer.alloc(1000, 'x'), 100_000), () => late.resetAndDestroy());
    }
    await othersGoOn();
    t.strictSame(heard, said, 'others lost nothing');
    t.equal((await fetch(`${baseUrl}/elsewhere`)).headers.get('x-host'), 'yes', 'the host goes on');
    t.strictSame(
      logs.filter(({ level }) => level === 'error'),
      [],
    );
  });
}

t.test('two attachments to one server: the later one has the connection, and the host goes on', async (t) => {
  const gateway = await createGateway({ storage: memoryStorage(), cluster: emptyCluster(), auth: 'none' });
  const server = createServer(notTheGateway);
  const detach = attachWebSocket(server, gateway);
  const host = await hostOn(server, gateway);
  t.teardown(async () => {
    detach();
    await gateway.close();
    await host.close();
  });
  const both = await rawWebSocket(host.baseUrl);
  const ended = toTheEnd(both);
  both.write(frame(0x88, Buffer.from([3, 232])));
  t.equal((await ended).charCodeAt(0), 0x88);
  const asking = await dial(host.baseUrl);
  asking.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  t.match(String(await toTheEnd(asking)), /^HTTP\/1.1 404/);
});
