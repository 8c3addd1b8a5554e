import { Agent, createServer, type RequestListener, type Server } from 'node:http';
import express from 'express';
import Koa from 'koa';
import { expressMiddleware } from '../../../../adapters/host/express.js';
import { attachWebSocket } from '../../../../adapters/host/http.js';
import { koaMiddleware } from '../../../../adapters/host/koa.js';
import type { Forwarder } from '../../../../lib/driver-kit.js';
import { Conflict, type GatewayOptions } from '../../../../lib/index.js';
import { faultyCluster } from '../../../doubles/cluster.js';
import { newGateway, type TestGateway } from '../../../helpers/gateway.js';
import { listening } from '../../../helpers/listening.js';
import { people } from '../../../helpers/people.js';

export const appid = 'application_1_0001';
export const endedAppid = 'application_1_0002';

type Test = Parameters<typeof newGateway>[0];

export interface Proxied extends TestGateway {
  /** The same gateway in a host of each kind; Express and Koa have it at `/console`. */
  readonly hosts: Readonly<Record<'http' | 'Express' | 'Koa', string>>;
  /** What the targets answer; replace it as the test needs. */
  listener: RequestListener;
  /** Of the targets, for what no listener can do. */
  readonly target: Server;
  readonly targetUrl: string;
  /** Bases that are handed out, one after the other; the last one stays. Default: those of the one target. */
  bases: URL[];
  /** Awaited before a base is handed out. Default: nothing. */
  lookUp: (options: Parameters<Forwarder['target']>[0]) => Promise<void>;
  /** How often somebody was told that nobody could be reached. */
  failures: number;
}

/** A gateway whose resource manager and masters are a real server of the test's own. */
export async function proxied(t: Test, options: Partial<GatewayOptions> = {}): Promise<Proxied> {
  const target = createServer((req, res) => self.listener(req, res));
  const targetRun = await listening(target);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const forwarder = (path: string): Forwarder => ({
    async target(options) {
      await self.lookUp(options);
      const base = self.bases.length > 1 ? self.bases.shift() : self.bases[0];
      return {
        base: base ?? new URL(path, targetRun.baseUrl),
        headers: async () => ({ 'x-gateway': 'it is me' }),
        agent,
        failed: () => {
          self.failures++;
        },
      };
    },
  });
  const cluster = faultyCluster(
    [
      { id: appid, user: 'ada' },
      { id: endedAppid, user: 'ada' },
    ],
    { forwarder: forwarder('/ws/v2/stram/') },
  );
  const { master } = cluster;
  const living = await newGateway(t, {
    auth: people,
    cluster: {
      ...cluster,
      resourceManager: { ...cluster.resourceManager, forwarder: forwarder('/ws/v1/?user.name=hadoop') },
      master: async (id, call) =>
        id === endedAppid ? { ...(await master(id, call)), forwarder: { target: gone } } : master(id, call),
    },
    ...options,
  });

  const app = express();
  app.use('/console', expressMiddleware(living.gateway));
  const koa = new Koa();
  koa.on('error', () => {});
  koa.use(koaMiddleware(living.gateway, { prefix: '/console' }));
  const more = await Promise.all(
    [createServer(app), createServer(koa.callback())].map(async (server) => {
      const detach = attachWebSocket(server, living.gateway, { prefix: '/console' });
      const { baseUrl, close } = await listening(server);
      return {
        url: `${baseUrl}/console`,
        async close() {
          detach();
          await close();
        },
      };
    }),
  );
  t.teardown(async () => {
    for (const { close } of more) await close();
    agent.destroy();
    await targetRun.close();
  });
  const self: Proxied = {
    ...living,
    hosts: { http: living.baseUrl, Express: more[0]?.url ?? '', Koa: more[1]?.url ?? '' },
    listener: (_, res) => res.end('from the target'),
    target,
    targetUrl: targetRun.baseUrl,
    bases: [],
    lookUp: async () => {},
    failures: 0,
  };
  return self;
}

const gone = async (): Promise<never> => {
  throw new Conflict('APPLICATION_ENDED', 'The application has ended');
};
