import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import Router from '@koa/router';
import express from 'express';
import Koa from 'koa';
import { z } from 'zod';
import { expressMiddleware } from '../../adapters/host/express.js';
import { httpHandler, inFrontOf } from '../../adapters/host/http.js';
import { koaMiddleware } from '../../adapters/host/koa.js';
import { createProbe } from '../../contracts/host-probe.js';

// One server in a process of its own: the core with the host contract's routes in one kind of host, or the same by hand.
//   argument: the kind; tells its port by IPC, and its processor time whenever it is asked

const Name = z.object({ name: z.string() });
const Document = z.looseObject({ count: z.number().optional() });

const get = (params: unknown) =>
  JSON.stringify({ name: Name.parse(params).name, query: {}, remoteAddress: '' });
const put = (params: unknown, text: string) => {
  Name.parse(params);
  return JSON.stringify(Document.parse(JSON.parse(text)));
};

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const bareHttp: RequestListener = async (req, res) => {
  const [, , , , , name = ''] = (req.url ?? '').split('?', 1)[0]?.split('/') ?? [];
  const params = { name: decodeURIComponent(name) };
  const body = req.method === 'PUT' ? put(params, await textOf(req)) : get(params);
  res
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
};

function bareKoa(): RequestListener {
  const router = new Router();
  router.get('/ws/v2/probe/names/:name', (ctx) => {
    ctx.type = 'application/json';
    ctx.body = get(ctx.params);
  });
  router.put('/ws/v2/probe/documents/:name', async (ctx) => {
    ctx.type = 'application/json';
    ctx.body = put(ctx.params, await textOf(ctx.req));
  });
  return new Koa().use(router.routes()).callback();
}

function bareExpress(): RequestListener {
  const app = express();
  app.get('/ws/v2/probe/names/:name', (req, res) => {
    res.type('application/json').send(get(req.params));
  });
  app.put('/ws/v2/probe/documents/:name', async (req, res) => {
    res.type('application/json').send(put(req.params, await textOf(req)));
  });
  return app;
}

function serverOf(kind: string) {
  if (kind === 'http bare') return createServer(bareHttp);
  if (kind === 'koa bare') return createServer(bareKoa());
  if (kind === 'express bare') return createServer(bareExpress());
  const { gateway } = createProbe({ silent: true });
  if (kind === 'http') {
    const handle = httpHandler(gateway);
    return createServer((req, res) => void handle(req, res));
  }
  if (kind === 'koa') return createServer(new Koa().use(koaMiddleware(gateway)).callback());
  const app = express();
  if (kind === 'express') app.use(expressMiddleware(gateway));
  const server = createServer(app);
  if (kind === 'in front of express') inFrontOf(server, gateway);
  return server;
}

const server = serverOf(process.argv[2] ?? '');
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ micros: user + system });
});
process.on('disconnect', () => process.exit());
