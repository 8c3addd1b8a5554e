import Koa from 'koa';
import { koaBody } from 'koa-body';
import t from 'tap';
import { koaMiddleware } from '../../../adapters/host/koa.js';
import { hostContract } from '../../../packages/contracts/index.js';
import { newGateway } from '../../helpers/gateway.js';
import { hostOf, notTheGateway } from '../../helpers/hosts.js';

const last: Koa.Middleware = (ctx) => {
  ctx.respond = false;
  notTheGateway(ctx.req, ctx.res);
};

const host = (...middleware: Koa.Middleware[]) => {
  const app = new Koa();
  app.on('error', () => {});
  for (const each of [...middleware, last]) app.use(each);
  return app.callback();
};

/** What koa-mount does to a context. */
const mounted =
  (prefix: string, middleware: Koa.Middleware): Koa.Middleware =>
  async (ctx, next) => {
    const { path } = ctx;
    if (!path.startsWith(`${prefix}/`)) return next();
    ctx.path = path.slice(prefix.length);
    await middleware(ctx, async () => {
      ctx.path = path;
      await next();
      ctx.path = path.slice(prefix.length);
    });
    ctx.path = path;
  };

t.test('Koa', async (t) => {
  await hostContract(t, { start: (gateway) => hostOf(gateway, host(koaMiddleware(gateway))) });
});

t.test('Koa at a prefix', async (t) => {
  const prefix = '/con:sole(1)';
  await hostContract(t, {
    start: (gateway) => hostOf(gateway, host(koaMiddleware(gateway, { prefix })), prefix),
  });
});

t.test('Koa, mounted at a path', async (t) => {
  await hostContract(t, {
    start: (gateway) => hostOf(gateway, host(mounted('/console', koaMiddleware(gateway))), '/console'),
  });
});

t.test('Koa after koa-body', async (t) => {
  await hostContract(t, {
    parses: ['application/json', 'text/plain'],
    start: (gateway) => hostOf(gateway, host(koaBody(), koaMiddleware(gateway))),
  });
});

t.test('the host’s middleware finds the route that answered', async (t) => {
  const { gateway } = await newGateway(t);
  const seen: unknown[] = [];
  const note: Koa.Middleware = async (ctx, next) => {
    await next();
    seen.push([ctx['_matchedRouteName'], ctx['_matchedRoute'], ctx['routerPath'], ctx.status]);
  };
  const running = await hostOf(gateway, host(note, koaMiddleware(gateway, { prefix: '/console' })));
  t.teardown(running.close);
  await fetch(`${running.baseUrl}/console/ws/v2/health`);
  await fetch(`${running.baseUrl}/console/ws/v2/health`, { method: 'DELETE' });
  t.strictSame(seen, [
    ['getHealth', '/console/ws/v2/health', '/console/ws/v2/health', 200],
    [undefined, undefined, undefined, 405],
  ]);
});

t.test('the host’s middleware may change the answer', async (t) => {
  const { gateway } = await newGateway(t);
  const change: Koa.Middleware = async (ctx, next) => {
    await next();
    ctx.set('x-by-host', 'yes');
  };
  const running = await hostOf(gateway, host(change, koaMiddleware(gateway)));
  t.teardown(running.close);
  const answer = await fetch(`${running.baseUrl}/ws/v2/health`);
  t.equal(answer.headers.get('x-by-host'), 'yes');
  t.same(await answer.json(), { status: 'ok', reasons: [] });
});
