import type { IncomingMessage, ServerResponse } from 'node:http';
import Router from '@koa/router';
import type { Gateway } from '../../lib/index.js';
import { NodeRequest } from './incoming.js';
import { type MountOptions, normalPrefix, urlBelow } from './mount.js';
import { lingering, withTrailers } from './outgoing.js';

export type { MountOptions } from './mount.js';
export { attachWebSocket, type WebSocketOptions } from './ws.js';

/** What we use of Koa's context. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** With `body`, where a body parser ran. */
  readonly request: object;
  readonly url: string;
  readonly originalUrl: string;
  status: number;
  body: unknown;
  set(name: string, value: string | string[]): unknown;
}

export type KoaMiddleware = (ctx: KoaContext, next: () => Promise<unknown>) => Promise<void>;

/**
 * The gateway in a Koa host. A whole host:
 *
 * ```js
 * import Koa from 'koa';
 * import { createGateway } from 'headgate';
 * import { localCluster } from 'headgate/cluster/local';
 * import { koaMiddleware } from 'headgate/koa';
 * import { memoryStorage } from 'headgate/storage/memory';
 *
 * const cluster = localCluster({ directory: './data' });
 * const gateway = await createGateway({ storage: memoryStorage(), cluster, auth: 'none' });
 * const app = new Koa();
 * app.use(koaMiddleware(gateway, { prefix: '/console' }));
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
  const prefix = normalPrefix(options.prefix);
  const below = urlBelow(prefix);

  const answer: KoaMiddleware = async (ctx, next) => {
    const { req, res, originalUrl } = ctx;
    const parsedBody = 'body' in ctx.request ? ctx.request.body : undefined;
    const request = new NodeRequest(req, res, {
      url: below(ctx.url) ?? '',
      originalUrl,
      raw: ctx,
      parsedBody,
    });
    const answered = await gateway.handle(request);
    if (!answered) {
      await next();
      return;
    }
    const { status, headers, body } = withTrailers(res, lingering(req, request, answered));
    try {
      ctx.status = status;
      // Before the body: Koa looks into one without a type for what it could be.
      for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
    } catch (error) {
      // Nobody would read it.
      if (typeof body !== 'string') body.destroy();
      throw error;
    }
    ctx.body = body;
  };
  const routers = routersOf(gateway, prefix, answer);

  return async (ctx, next) => {
    const url = below(ctx.url);
    if (url === undefined || !gateway.owns(url)) {
      await next();
      return;
    }
    // What no route takes (another method) the core answers too.
    const unrouted = () => answer(ctx, next);
    await (routers.get(familyOf(url))?.route(ctx, unrouted) ?? unrouted());
  };
}

interface RoutedBy {
  /** A method, so that Koa's own context type may stand where we name only a part of it. */
  route(ctx: KoaContext, next: () => Promise<unknown>): Promise<unknown> | unknown;
}

/** A router tries its routes one by one: one for each family (`/ws/v2/profile`) keeps the lists short. */
function routersOf(gateway: Gateway, prefix: string, answer: KoaMiddleware): ReadonlyMap<string, RoutedBy> {
  const routers = new Map<string, Router>();
  const routed = new Map<string, RoutedBy>();
  for (const { id, route } of gateway.routes) {
    const family = familyOf(route.path);
    const router = routers.get(family) ?? new Router({ sensitive: true, strict: true });
    router.register(literal(prefix) + pattern(route.path), [route.method], answer, { name: id });
    routers.set(family, router);
    routed.set(family, { route: router.routes() });
  }
  return routed;
}

const familyOf = (url: string): string => /^(?:\/[^/?]*){0,3}/.exec(url)?.[0] ?? '';

/** `{name}` to `:name`, `{rest...}` to `*rest`. */
const pattern = (path: string): string =>
  path.replace(/\{(\w+)\.\.\.\}/g, '*$1').replace(/\{(\w+)\}/g, ':$1');

const literal = (prefix: string): string => prefix.replace(/[{}()[\]+?!:*\\]/g, '\\$&');
