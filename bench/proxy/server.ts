import { Agent, createServer, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { httpHandler } from '../../adapters/host/http.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createGateway } from '../../lib/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';
import { floor, guarded } from './floor.js';

// One server in a process of its own: the target, or what stands before it: a bare `http-proxy`, a floor, or the gateway.
//   arguments: the kind, and the target's URL; tells its own by IPC, and what it takes of the machine whenever it is asked

const [, , kind = 'target', targetUrl = ''] = process.argv;
const chunk = Buffer.alloc(64 * 1024);
const small = Buffer.from(JSON.stringify({ value: 'x'.repeat(500) }));

const target: RequestListener = async (req, res) => {
  if (req.url?.endsWith('/small')) {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': small.length }).end(small);
  } else if (req.method === 'POST') {
    let size = 0;
    for await (const part of req) size += part.length;
    res.end(String(size));
  } else {
    // `/large/<bytes>`
    let left = Number(req.url?.split('/').at(-1)) / chunk.length;
    const source = new Readable({
      read() {
        this.push(left-- > 0 ? chunk : null);
      },
    });
    await pipeline(source, res).catch(() => {});
  }
};

async function ours(): Promise<RequestListener> {
  const agent = pool();
  const cluster = emptyCluster();
  const base = new URL('/ws/v1/', targetUrl);
  const forwarder = {
    target: async () => ({
      base,
      headers: async () => ({}),
      agent,
      failed: () => {},
    }),
  };
  const gateway = await createGateway({
    storage: memoryStorage(),
    cluster: { ...cluster, resourceManager: { ...cluster.resourceManager, forwarder } },
    auth: 'none',
  });
  const handle = httpHandler(gateway);
  return async (req, res) => {
    if (!(await handle(req, res))) res.writeHead(404).end();
  };
}

async function bare(agent: Agent | undefined): Promise<RequestListener> {
  const { default: httpProxy } = await import('http-proxy');
  const proxy = httpProxy.createProxyServer({ target: targetUrl, ...(agent ? { agent } : {}) });
  proxy.on('error', () => {});
  return (req, res) => proxy.web(req, res);
}

const pool = () => new Agent({ keepAlive: true, maxSockets: 32 });
const listeners: Readonly<Record<string, () => RequestListener | Promise<RequestListener>>> = {
  target: () => target,
  ours,
  floor: () => floor(targetUrl, pool(), () => {}),
  guarded: () => guarded(targetUrl, pool(), () => {}),
  'http-proxy': () => bare(undefined),
  'http-proxy, kept connections': () => bare(pool()),
};
const listener = await listeners[kind]?.();
if (!listener) throw new Error(`There is no ${kind}`);

let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20).unref();
process.on('message', (order) => {
  // The second one waits for what the first one frees.
  for (let round = 0; round < 2 && order === 'memory'; round++) global.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss: now, heapUsed, arrayBuffers } = process.memoryUsage();
  const cpuSeconds = (user + system) / 1e6;
  process.send?.({ peak: Math.max(peak, now), now, held: heapUsed + arrayBuffers, cpuSeconds });
  peak = now;
});
process.on('disconnect', () => process.exit());
const server = createServer(listener).listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  process.send?.({
    url: `http://127.0.0.1:${port}${['ours', 'floor', 'guarded'].includes(kind) ? '/proxy/rm/v1' : ''}`,
  });
});
