import { createServer, type RequestListener, type Server } from 'node:http';
import express from 'express';
import Koa from 'koa';
import { expressMiddleware } from '../../../../adapters/host/express.js';
import { attachWebSocket, httpHandler } from '../../../../adapters/host/http.js';
import { koaMiddleware } from '../../../../adapters/host/koa.js';
import { proxyRoutes } from '../../../../lib/features/proxy/routes.js';
import { createProxyService, type ProxyService } from '../../../../lib/features/proxy/service.js';
import type { ServiceTarget, ServiceTargets } from '../../../../lib/features/services/service.js';
import { createDispatch, pathOf } from '../../../../lib/http/dispatch.js';
import { anonymous } from '../../../../lib/http/principal.js';
import { buildTable } from '../../../../lib/http/table.js';
import type { Gateway } from '../../../../lib/index.js';
import { NotFound, NotReady } from '../../../../lib/model/errors.js';
import { machineClock } from '../../../../lib/options.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { type LogLine, loggerInto, newGateway } from '../../../helpers/gateway.js';
import { listening } from '../../../helpers/listening.js';
import { people } from '../../../helpers/people.js';
import { noApplications } from './no-applications.js';

type Test = Parameters<typeof newGateway>[0];

export interface ServicePlace {
  /** Below each, the gateway; Express and Koa have it at `/console`. */
  readonly hosts: Readonly<Record<'http' | 'Express' | 'Koa', string>>;
  readonly proxy: ProxyService;
  /** Of the service `web`; replace it as the test needs. */
  listener: RequestListener;
  /** The server of `web`, below `/app/`. */
  readonly web: Server;
  readonly webUrl: string;
  /** Of the proxy's hosts together. */
  readonly logs: readonly LogLine[];
  /** How `web` wants to be called. */
  wishes: Partial<ServiceTarget>;
}

/** The proxy's own room and nothing else, in hosts of every kind, before a service that is a server of the test. */
export async function serviceProxies(t: Test): Promise<ServicePlace> {
  const web = createServer((req, res) => self.listener(req, res));
  const run = await listening(web);
  const services: ServiceTargets = {
    async target(name) {
      if (name === 'idle') throw new NotReady('The service idle does not run');
      if (name !== 'web' && name !== 'w') throw new NotFound('service', name);
      return {
        name: 'web',
        base: new URL('/app/', run.baseUrl),
        followRedirect: true,
        requestHeaders: {},
        replaceStrings: [],
        ...self.wishes,
      };
    },
  };
  const proxy = createProxyService({
    cluster: emptyCluster(),
    applications: noApplications,
    timeouts: { resourceManagerMillis: 1000 },
    services,
    ownCookies: ['headgate_session'],
    ownHeaders: ['X-Proof'],
    origins: [],
    options: { limits: { answerMillis: 5000, tunnelsPerUser: 3 } },
  });
  const logs: LogLine[] = [];
  const living = await newGateway(t, { auth: people });
  const table = buildTable({ proxy: proxyRoutes }, { proxy });
  const gateway: Gateway = {
    ...living.gateway,
    routes: table.routes,
    owns: (url) => table.owns(pathOf(url)),
    operationAt: (method, url) => table.operationAt(method, pathOf(url)),
    handle: createDispatch({
      table,
      authenticate: people.authenticate,
      principalOf: (identity) => ({ ...anonymous, userName: identity.userName, identity }),
      requireLicense: () => {},
      driverName: 'none',
      capabilities: new Set(),
      origins: [],
      logger: loggerInto(logs),
      clock: machineClock,
    }),
  };
  const app = express();
  app.use('/console', expressMiddleware(gateway));
  const koa = new Koa();
  koa.on('error', () => {});
  koa.use(koaMiddleware(gateway, { prefix: '/console' }));
  const handle = httpHandler(gateway);
  const plain: RequestListener = async (req, res) => {
    if (!(await handle(req, res))) res.writeHead(404).end('not the gateway');
  };
  const listeners: [RequestListener, string][] = [
    [plain, ''],
    [app, '/console'],
    [koa.callback(), '/console'],
  ];
  const urls: string[] = [];
  for (const [listener, prefix] of listeners) {
    const server = createServer(listener);
    const detach = attachWebSocket(server, gateway, { prefix, refuseUnknown: true });
    const { baseUrl, close } = await listening(server);
    urls.push(baseUrl + prefix);
    t.teardown(async () => {
      detach();
      await close();
    });
  }
  t.teardown(async () => {
    proxy.close();
    await run.close();
  });
  const self: ServicePlace = {
    hosts: { http: urls[0] ?? '', Express: urls[1] ?? '', Koa: urls[2] ?? '' },
    proxy,
    logs,
    listener: (_, res) => res.end('from the service'),
    web,
    webUrl: run.baseUrl,
    wishes: {},
  };
  return self;
}
