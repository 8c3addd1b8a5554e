import type { IncomingMessage, ServerResponse } from 'node:http';
import Router from '@koa/router';
import type { Gateway } from '../../lib/index.js';
import { NodeRequest } from './incoming.js';
import { type MountOptions, mountedAt, urlBelow } from './mount.js';
import { besideHosts, lingering, withTrailers } from './outgoing.js';

export type { MountOptions } from './mount.js';
export { attachWebSocket, type WebSocketOptions } from './ws.js';

/** What we use of Koa's context: its own objects, since each property that it only passes on to them costs a call or two. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** With `body`, where a body parser ran. */
  readonly request: object;
  readonly response: {
    status: number;
    body: unknown;
    set(headers: Readonly<Record<string, string | string[]>>): unknown;
  };
  readonly originalUrl: string;
}

export type KoaMiddleware = (ctx: KoaContext, next: () => Promise<unknown>) => Promise<void>;

/**
 * The gateway in a Koa host. A whole host:
 *
 * ```js
 * import Koa from 'koa';
 * import { createGateway } from 'headgate';
 * import { localCluster } from '@headgate/engine';
 * import { koaMiddleware } from 'headgate/koa';
 * import { memoryStorage } from 'headgate/storage/memory';
 *
 * const cluster = localCluster({ directory: './data' });
 * const gateway = await createGateway({ storage: memoryStorage(), cluster, auth: 'none' });
 * const app = new Koa();
 * app.use(koaMiddleware(gateway, { prefix: '/streams' }));
 * app.use((ctx) => {
 *   ctx.body = 'The host is still there\n';
 * });
 * app.listen(9090, '127.0.0.1');
 * ```
 *
 * Every operation is a named route of a real `@koa/router`, so the host's middleware finds `ctx._matchedRoute` and
 * `ctx._matchedRouteName` after `await next()`. Parameters are the core's, from the URL as it came: the router decodes
 * some and passes malformed ones on.
 *
 * Bodies are read by the core's own bounded reader, not by koa-body: that one swallows uploads sent as a form or as text,
 * and overflows the stack on deep JSON. Where the host has run koa-body or another parser before us, `ctx.request.body` is
 * used; mount the gateway before it if you can.
 */
export function koaMiddleware(gateway: Gateway, options: MountOptions = {}): KoaMiddleware {
  const prefix = mountedAt('koaMiddleware', gateway, options);
  const below = urlBelow(prefix);

  const answer: KoaMiddleware = async (ctx, next) => {
    const { req, res, response, originalUrl } = ctx;
    const parsedBody = 'body' in ctx.request ? ctx.request.body : undefined;
    const request = new NodeRequest(req, res, {
      url: below(req.url ?? '') ?? '',
      originalUrl,
      raw: ctx,
      parsedBody,
    });
    const answered = await gateway.handle(request);
    if (!answered) return void (await next());
    const { status, headers, body } = withTrailers(res, lingering(request, answered));
    try {
      response.status = status;
      // Before the body: Koa looks into one without a type for what it could be.
      response.set(besideHosts(res, headers));
    } catch (error) {
      // Nobody would read it.
      if (typeof body !== 'string') body.destroy();
      throw error;
    }
    response.body = body;
  };
  const routers = routersOf(gateway, prefix, answer);

  return async (ctx, next) => {
    const { method = '', url: target = '' } = ctx.req;
    const url = below(target);
    if (url === undefined || !gateway.owns(url)) return void (await next());
    // What no route takes (another method) the core answers too.
    const unrouted = () => answer(ctx, next);
    const router = routers.get(gateway.operationAt(method, url) ?? '');
    await (router?.route(ctx, unrouted) ?? unrouted());
  };
}

interface RoutedBy {
  /** A method, so that Koa's own context type may stand where we name only a part of it. */
  route(ctx: KoaContext, next: () => Promise<unknown>): Promise<unknown> | unknown;
}

/** By the ids of operations. A router tries its routes one by one, and the core knows already which one it is. */
const routersOf = (gateway: Gateway, prefix: string, answer: KoaMiddleware): ReadonlyMap<string, RoutedBy> =>
  new Map(
    gateway.routes.map(({ id, route }) => {
      const router = new Router({ sensitive: true, strict: true });
      router.register(literal(prefix) + pattern(route.path), [route.method], answer, { name: id });
      return [id, { route: router.routes() }];
    }),
  );

/** `{name}` to `:name`, `{rest...}` to `*rest`. */
const pattern = (path: string): string =>
  path.replace(/\{(\w+)\.\.\.\}/g, '*$1').replace(/\{(\w+)\}/g, ':$1');

const literal = (prefix: string): string => prefix.replace(/[{}()[\]+?!:*\\]/g, '\\$&');
