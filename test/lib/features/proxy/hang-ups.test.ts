import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import type { Socket } from 'node:net';
import t from 'tap';
import { as } from '../../../helpers/people.js';
import { eventually, until } from '../../../helpers/waiting.js';
import { proxied } from './proxied.js';

// Who leaves while a proxy works for them, and answers that have come as a whole when the gateway passes them on.

const root = as('root', 'admin').headers;
const rm = '/proxy/rm/v1/cluster/info';
const kinds = ['http', 'Express', 'Koa'] as const;

function ask(url: string): ClientRequest {
  const req = request(url, { agent: false, headers: root });
  req.on('error', () => {});
  return req.end();
}

async function answerOf(url: string) {
  const [res] = await once(ask(url), 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk);
  return { status: res.statusCode, body: Buffer.concat(chunks) };
}

t.test('a client that leaves while the target is looked for', async (t) => {
  const place = await proxied(t);
  for (const kind of kinds) {
    const signals: AbortSignal[] = [];
    place.lookUp = async (options) => {
      const { signal } = options ?? {};
      if (!signal) throw new Error('The driver got no signal');
      signals.push(signal);
      await once(signal, 'abort');
    };
    let asked = 0;
    place.listener = (_, res) => {
      asked++;
      res.end();
    };
    const req = ask(place.hosts[kind] + rm);
    const signal = await eventually(() => signals[0]);
    t.equal(signal.aborted, false);
    req.destroy();
    await until(
      () => signal.aborted,
      (isAborted) => isAborted,
    );
    place.lookUp = async () => {};
    await answerOf(place.hosts[kind] + rm);
    t.equal(asked, 1, `${kind}: nobody is asked for who has left`);
  }
});

t.test('a target that is not found in time', async (t) => {
  const place = await proxied(t, { timeouts: { resourceManagerMillis: 50 } });
  for (const kind of kinds) {
    let signal: AbortSignal | undefined;
    place.lookUp = (options) => {
      signal = options?.signal;
      // Deaf to it.
      return new Promise(() => {});
    };
    const { status, body } = await answerOf(place.hosts[kind] + rm);
    t.match([status, JSON.parse(body.toString()).code], [504, 'TIMED_OUT']);
    t.ok(signal?.aborted, `${kind}: the driver is told`);
  }
});

t.test('a client that leaves in the middle of an answer', async (t) => {
  const place = await proxied(t);
  for (const kind of kinds) {
    let left: Promise<unknown> | undefined;
    place.listener = (_, res) => {
      left = once(res, 'close');
      res.writeHead(200, { 'content-length': 1000 }).write('half an answer');
    };
    const req = ask(place.hosts[kind] + rm);
    const [res] = await once(req, 'response');
    const [chunk] = await once(res, 'data');
    t.equal(String(chunk), 'half an answer');
    req.destroy();
    await left;
    t.pass(`${kind}: the target is left alone`);
  }
});

t.test('a target that leaves right behind the last byte', async (t) => {
  const place = await proxied(t);
  for (const kind of kinds) {
    const end = (text: string) => {
      place.listener = (req) => req.socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n${text}`);
    };
    end('content-length: 5\r\n\r\nwhole');
    t.match(await answerOf(place.hosts[kind] + rm), { status: 200, body: Buffer.from('whole') });
    end('\r\nuntil the end');
    t.match(await answerOf(place.hosts[kind] + rm), { status: 200, body: Buffer.from('until the end') });
    end('content-length: 6\r\n\r\nwhole');
    await t.rejects(answerOf(place.hosts[kind] + rm), { code: 'ECONNRESET' }, `${kind}: one byte is missing`);
  }
});

t.test('answers that come whole or in pieces let go of the connection', async (t) => {
  const place = await proxied(t);
  const connections = new Set<Socket>();
  place.target.on('connection', (socket) => connections.add(socket));
  // What Node's client reads at once, and what it holds of a body before somebody reads it.
  const edges = [16 * 1024, 64 * 1024];
  const lengths = [0, 1, ...edges.flatMap((edge) => [edge - 1, edge, edge + 1]), 300_000];
  for (const kind of kinds) {
    for (const length of lengths) {
      const body = Buffer.alloc(length, 'neither in order nor twice; ');
      place.listener = (_, res) => {
        res.writeHead(200, { 'content-length': length });
        res.end(body);
      };
      t.ok((await answerOf(place.hosts[kind] + rm)).body.equals(body), `${kind}: ${length} bytes at once`);
      place.listener = (_, res) => {
        res.writeHead(200, { 'content-length': length });
        res.write(body.subarray(0, length / 2), () => res.end(body.subarray(length / 2)));
      };
      t.ok((await answerOf(place.hosts[kind] + rm)).body.equals(body), `${kind}: ${length} bytes in pieces`);
    }
  }
  t.equal(connections.size, 1, 'one connection served them all');
});
