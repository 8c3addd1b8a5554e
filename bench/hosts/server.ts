import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import Router from '@koa/router';
import express from 'express';
import Koa from 'koa';
import { z } from 'zod';
import { expressMiddleware } from '../../adapters/host/express.js';
import { httpHandler, inFrontOf } from '../../adapters/host/http.js';
import { koaMiddleware } from '../../adapters/host/koa.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createGateway } from '../../lib/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';

// One server in a process of its own: a gateway's setting in one kind of host, or the same by hand.
//   argument: the kind; tells its port by IPC, and its processor time whenever it is asked

const kept = new Map<string, unknown>();
const Params = z.object({ user: z.string().min(1).max(255), key: z.string().min(1).max(255) });
const Setting = z.object({ value: z.unknown() });

const get = (params: unknown) => {
  const { user, key } = Params.parse(params);
  return JSON.stringify(kept.get(`${user}/${key}`) ?? null);
};
const put = (params: unknown, text: string) => {
  const { user, key } = Params.parse(params);
  kept.set(`${user}/${key}`, Setting.parse(JSON.parse(text)));
  return '{}';
};

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const bareHttp: RequestListener = async (req, res) => {
  const [, , , , , user = '', key = ''] = (req.url ?? '').split('?', 1)[0]?.split('/') ?? [];
  const params = { user: decodeURIComponent(user), key: decodeURIComponent(key) };
  const body = req.method === 'PUT' ? put(params, await textOf(req)) : get(params);
  res
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
};

function bareKoa(): RequestListener {
  const router = new Router();
  const path = '/ws/v2/profile/settings/:user/:key';
  router.get(path, (ctx) => {
    ctx.type = 'application/json';
    ctx.body = get(ctx.params);
  });
  router.put(path, async (ctx) => {
    ctx.type = 'application/json';
    ctx.body = put(ctx.params, await textOf(ctx.req));
  });
  return new Koa().use(router.routes()).callback();
}

function bareExpress(): RequestListener {
  const app = express();
  const path = '/ws/v2/profile/settings/:user/:key';
  app.get(path, (req, res) => void res.type('application/json').send(get(req.params)));
  app.put(
    path,
    async (req, res) => void res.type('application/json').send(put(req.params, await textOf(req))),
  );
  return app;
}

async function serverOf(kind: string) {
  if (kind === 'http bare') return createServer(bareHttp);
  if (kind === 'koa bare') return createServer(bareKoa());
  if (kind === 'express bare') return createServer(bareExpress());
  const gateway = await createGateway({ storage: memoryStorage(), cluster: emptyCluster(), auth: 'none' });
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

const server = await serverOf(process.argv[2] ?? '');
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ micros: user + system });
});
process.on('disconnect', () => process.exit());
