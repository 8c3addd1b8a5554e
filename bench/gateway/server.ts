import { hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { userInfo } from 'node:os';
import Router from '@koa/router';
import express from 'express';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { passwordSessions } from '../../adapters/auth/password.js';
import { expressMiddleware } from '../../adapters/host/express.js';
import { httpHandler } from '../../adapters/host/http.js';
import { koaMiddleware } from '../../adapters/host/koa.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createGateway, type Gateway, type GatewayOptions } from '../../lib/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';
import { type AnswerWithId, leastOf, settingPath, type UserOf } from './least.js';

// One server in a process of its own: a whole gateway in one kind of host, or its operations for settings by hand, as fast as
// that can be written or as it usually is.
//   argument: the kind; tells its port by IPC, and who may ask: a user, with the cookie of a session by hand, or the
//   password of the administrator who may make one; and its processor time whenever it is asked

const Setting = z.object({ value: z.unknown() });
const settings = new Map<string, z.output<typeof Setting>>();

/** Gets the answer's text; `undefined`: there is nothing. */
type Answer = (text: string | undefined) => void;

function serve(req: IncomingMessage, answer: Answer): void {
  const [, user = '', key = ''] = settingPath.exec(req.url ?? '') ?? [];
  const at = `${decodeURIComponent(user)}/${decodeURIComponent(key)}`;
  if (req.method === 'GET') {
    const setting = settings.get(at);
    answer(setting && JSON.stringify(setting));
    return;
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    settings.set(at, Setting.parse(JSON.parse(Buffer.concat(chunks).toString())));
    answer('{}');
  });
}

const guards = {
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': "frame-ancestors 'self'",
};

const everybody = userInfo().username;

/** The name of a session's user, in memory by the hash of what is in the cookie. */
function sessionsByHand(): UserOf {
  const sessions = new Map([[hash('sha256', leastSecret, 'base64url'), leastUser]]);
  return ({ headers }) => {
    const secret = /(?:^|;) *headgate_session=([^;]*)/.exec(headers.cookie ?? '')?.[1];
    return secret === undefined ? undefined : sessions.get(hash('sha256', secret, 'base64url'));
  };
}

const leastUser = 'ada';
const leastSecret = randomBytes(32).toString('base64url');

/** As long as what a browser sends after a login. */
const leastCookie = `headgate_session=${leastSecret}; headgate_device=${randomBytes(48).toString('base64url')}`;

function sendAtOnce(res: ServerResponse): AnswerWithId {
  return (requestId, text) => {
    if (text === undefined) return void res.writeHead(404).end();
    const length = Buffer.byteLength(text);
    res.writeHead(200, { 'content-length': length, 'x-request-id': requestId, ...guards });
    // In one piece, as the adapters do.
    res.write(text);
    process.nextTick(end, res);
  };
}

const end = (res: ServerResponse) => void res.end();

const least: Record<string, (userOf: UserOf) => RequestListener> = {
  http(userOf) {
    const serveLeast = leastOf(memoryStorage(), userOf, () => {});
    return (req, res) => serveLeast(req, sendAtOnce(res));
  },
  /** By a named route of its router, so that the host's middleware finds which one it was. */
  Koa(userOf) {
    const serveLeast = leastOf(memoryStorage(), userOf, () => {});
    const router = new Router({ sensitive: true, strict: true });
    const answer = (ctx: Koa.Context) =>
      new Promise<void>((resolve) =>
        serveLeast(ctx.req, (requestId, text) => {
          if (text !== undefined) {
            ctx.response.status = 200;
            ctx.response.set({ 'x-request-id': requestId, ...guards });
            ctx.response.body = text;
          }
          resolve();
        }),
      );
    router.register('/ws/v2/profile/settings/:user/:key', ['GET'], answer, { name: 'getSetting' });
    router.register('/ws/v2/profile/settings/:user/:key', ['PUT'], answer, { name: 'putSetting' });
    return new Koa().use(router.routes()).callback();
  },
  Express(userOf) {
    const serveLeast = leastOf(memoryStorage(), userOf, () => {});
    return express().use((req, res) => serveLeast(req, sendAtOnce(res)));
  },
};

const byHand: Record<string, () => RequestListener> = {
  http: () => (req, res) =>
    serve(req, (text) => {
      if (text === undefined) return void res.writeHead(404).end();
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      res.writeHead(200, headers).end(text);
    }),
  Koa: () =>
    new Koa()
      .use(
        (ctx) =>
          new Promise<void>((resolve) =>
            serve(ctx.req, (text) => {
              ctx.type = 'application/json';
              ctx.body = text;
              resolve();
            }),
          ),
      )
      .callback(),
  Express() {
    const app = express();
    app.all(settingPath, (req, res) =>
      serve(req, (text) => {
        if (text === undefined) res.sendStatus(404);
        else res.type('application/json').send(text);
      }),
    );
    return app;
  },
};

/** As their documentation has it: a router with parameters, a body parser for all, objects as answers. */
const usual: Record<string, () => RequestListener> = {
  Koa() {
    const router = new Router({ prefix: '/ws/v2/profile/settings' });
    router.get('/:user/:key', (ctx) => {
      const setting = settings.get(`${ctx.params['user']}/${ctx.params['key']}`);
      if (setting) ctx.body = setting;
    });
    router.put('/:user/:key', (ctx) => {
      settings.set(`${ctx.params['user']}/${ctx.params['key']}`, Setting.parse(ctx.request.body));
      ctx.body = {};
    });
    return new Koa().use(koaBody()).use(router.routes()).use(router.allowedMethods()).callback();
  },
  Express() {
    const router = express.Router();
    router.get('/:user/:key', (req, res) => {
      const setting = settings.get(`${req.params.user}/${req.params.key}`);
      if (setting) res.json(setting);
      else res.sendStatus(404);
    });
    router.put('/:user/:key', (req, res) => {
      settings.set(`${req.params.user}/${req.params.key}`, Setting.parse(req.body));
      res.json({});
    });
    return express().use(express.json()).use('/ws/v2/profile/settings', router);
  },
};

const hosts: Record<string, (gateway: Gateway) => RequestListener> = {
  http(gateway) {
    const handle = httpHandler(gateway);
    return (req, res) => void handle(req, res);
  },
  Koa: (gateway) => new Koa().use(koaMiddleware(gateway)).callback(),
  Express: (gateway) => express().use(expressMiddleware(gateway)),
};

const password = 'the right one';

async function listener(kind: string): Promise<RequestListener> {
  const [host = '', how = 'gateway'] = kind.split(' ');
  const made = await ways[how]?.(host);
  if (!made) throw new Error(`There is no ${kind}`);
  return made;
}

type Way = (host: string) => Promise<RequestListener | undefined>;

const ways: Readonly<Record<string, Way>> = {
  least: async (host) => least[host]?.(() => everybody),
  'least-sessions': async (host) => least[host]?.(sessionsByHand()),
  'by-hand': async (host) => byHand[host]?.(),
  usual: async (host) => usual[host]?.(),
  gateway: async (host) => hosts[host]?.(await gateway({ auth: 'none' })),
  sessions: async (host) =>
    hosts[host]?.(await gateway({ auth: passwordSessions(), initialAdmin: { password } })),
};

const gateway = (access: Pick<GatewayOptions, 'auth' | 'initialAdmin'>): Promise<Gateway> =>
  createGateway({ storage: memoryStorage(), cluster: emptyCluster(), ...access });

function callerOf(kind: string): { user: string; cookie?: string; password?: string } {
  if (kind.endsWith(' least-sessions')) return { user: leastUser, cookie: leastCookie };
  return kind.endsWith(' sessions') ? { user: everybody, password } : { user: everybody };
}

const [, , kind = ''] = process.argv;
const server = createServer(await listener(kind));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  process.send?.({ port, ...callerOf(kind) });
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ micros: user + system });
});
process.on('disconnect', () => process.exit());
