import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import Router from '@koa/router';
import express from 'express';
import Koa from 'koa';
import { z } from 'zod';
import { expressMiddleware } from '../../adapters/host/express.js';
import { httpHandler, inFrontOf } from '../../adapters/host/http.js';
import { koaMiddleware } from '../../adapters/host/koa.js';
import { createProbe, ProbeSetting } from '../../lib/host-probe.js';
import { answerCounter } from '../../lib/instrumentation.js';
import { createMetrics } from '../../lib/runtime/metrics.js';

// One server in a process of its own: the core with the host contract's routes in one kind of host, or the same by hand.
//   argument: the kind; tells its port by IPC, and its processor time whenever it is asked

const Name = z.object({ name: z.string() });
const settings = new Map<string, ProbeSetting>();

function get(params: unknown): string {
  const setting = settings.get(Name.parse(params).name);
  if (!setting) throw new Error('There is no such setting');
  return JSON.stringify(setting);
}

function put(params: unknown, text: string): string {
  const { name } = Name.parse(params);
  settings.set(name, ProbeSetting.parse(JSON.parse(text)));
  return '{}';
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** What no gateway can leave out: an access check, and on an answer the request's id, that nobody may keep it, and what browsers may do with it. */
interface Guard {
  mayCome(req: IncomingMessage): Promise<boolean>;
  headers(): Record<string, string>;
}

const none: Guard = { mayCome: async () => true, headers: () => ({}) };
const guard: Guard = {
  mayCome: async ({ headers, method }) =>
    headers.authorization !== 'Bearer nobody' && (method === 'GET' || headers.origin === undefined),
  headers: () => ({
    'x-request-id': randomUUID(),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'content-security-policy': "frame-ancestors 'self'",
  }),
};

const bareHttp =
  ({ mayCome, headers }: Guard): RequestListener =>
  async (req, res) => {
    if (!(await mayCome(req))) return void res.writeHead(401).end();
    const [, , , , , name = ''] = (req.url ?? '').split('?', 1)[0]?.split('/') ?? [];
    const params = { name: decodeURIComponent(name) };
    const body = req.method === 'PUT' ? put(params, await textOf(req)) : get(params);
    res
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers(),
      })
      .end(body);
  };

function bareKoa({ mayCome, headers }: Guard): RequestListener {
  const router = new Router();
  router.use(async (ctx, next) => {
    if (!(await mayCome(ctx.req))) return ctx.throw(401);
    ctx.set(headers());
    await next();
  });
  router.get('/ws/v2/probe/settings/:name', (ctx) => {
    ctx.set('content-type', 'application/json');
    ctx.body = get(ctx.params);
  });
  router.put('/ws/v2/probe/settings/:name', async (ctx) => {
    ctx.set('content-type', 'application/json');
    ctx.body = put(ctx.params, await textOf(ctx.req));
  });
  return new Koa().use(router.routes()).callback();
}

function bareExpress(): RequestListener {
  const app = express();
  app.get('/ws/v2/probe/settings/:name', (req, res) => {
    res.type('application/json').send(get(req.params));
  });
  app.put('/ws/v2/probe/settings/:name', async (req, res) => {
    res.type('application/json').send(put(req.params, await textOf(req)));
  });
  return app;
}

function serverOf(kind: string) {
  if (kind === 'http bare') return createServer(bareHttp(none));
  if (kind === 'http guarded') return createServer(bareHttp(guard));
  if (kind === 'koa bare') return createServer(bareKoa(none));
  if (kind === 'koa guarded') return createServer(bareKoa(guard));
  if (kind === 'express bare') return createServer(bareExpress());
  const { gateway } = createProbe({
    silent: true,
    ...(kind === 'http unmeasured' ? {} : { onAnswered: answerCounter(createMetrics()) }),
  });
  if (kind === 'http' || kind === 'http unmeasured') {
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
