import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { owned } from '../../lib/driver-kit.js';
import type { Gateway, GatewayRequest, GatewayResponse } from '../../lib/index.js';
import { type MountOptions, mountedAt, urlBelow } from './mount.js';
import { lingering, type SentRequest } from './outgoing.js';
import { SpentBody, WebBody } from './web-body.js';

export type { MountOptions } from './mount.js';

/** What a `Request` does not tell, and the host may know. */
export interface FetchInfo {
  /**
   * Address of the client. Without it all clients are one to what counts by address: the lock-out of logins, their turns, the
   * audit log.
   */
  readonly remoteAddress?: string | undefined;
  /** Whether TLS ends in this process. Default: what the URL says. */
  readonly isSecure?: boolean;
  /** What the host has made of a body that it has read already. Default: nothing. */
  readonly parsedBody?: unknown;
  /** The host's own object, for its authenticator. Default: the request. */
  readonly raw?: unknown;
}

/**
 * Resolves `undefined` for what is not the gateway's, and has touched nothing. Rejects only when the answer can't be made a
 * `Response`.
 */
export type FetchHandler = (request: Request, info?: FetchInfo) => Promise<Response | undefined>;

/**
 * The gateway for hosts that answer a `Request` by a `Response`: Hono, route handlers of Next, SvelteKit. In Hono:
 *
 *     const handle = fetchHandler(gateway, { prefix: '/streams' });
 *     app.use(async (c, next) => (await handle(c.req.raw, { remoteAddress })) ?? next());
 *
 * Bodies are streams both ways, with back-pressure. Such hosts have no trailers, and the dots of a path are gone before anybody
 * sees it. Topics come by `GET /ws/v2/topics/{topic}` where the host has no WebSocket.
 */
export function fetchHandler(gateway: Gateway, options: MountOptions = {}): FetchHandler {
  const prefix = mountedAt('fetchHandler', gateway, options);
  const below = urlBelow(prefix);
  return async (request, info = {}) => {
    const url = below(request.url);
    if (url === undefined || !gateway.owns(url)) return undefined;
    const incoming = new FetchRequest(request, info, url, prefix);
    const answer = await gateway.handle(incoming);
    return answer && responseOf(request, incoming, lingering(incoming, answer));
  };
}

class FetchRequest implements GatewayRequest, SentRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly isSecure: boolean;
  readonly parsedBody: unknown;
  readonly raw: unknown;
  readonly body: Readable;
  readonly #gone = new AbortController();

  constructor(
    request: Request,
    info: FetchInfo,
    readonly url: string,
    readonly prefix: string,
  ) {
    const { protocol, host } = new URL(request.url);
    this.method = request.method;
    // Hosts keep some headers to themselves, this one among them.
    this.headers = { host, ...Object.fromEntries(request.headers) };
    this.remoteAddress = info.remoteAddress ?? '';
    this.isSecure = info.isSecure ?? protocol === 'https:';
    this.parsedBody = info.parsedBody;
    this.raw = info.raw ?? request;
    this.body = bodyOf(request);
    if (request.signal.aborted) this.hangUp();
    else request.signal.addEventListener('abort', () => this.hangUp(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  get isRead(): boolean {
    return !(this.body instanceof WebBody) || this.body.isRead;
  }

  async discardRest(): Promise<void> {
    if (this.body instanceof WebBody) await this.body.discard();
  }

  /** The client takes nothing any more. */
  hangUp(): void {
    this.#gone.abort();
  }
}

function bodyOf({ body, bodyUsed }: Request): Readable {
  if (bodyUsed) return owned(new SpentBody());
  return owned(body ? new WebBody(body) : Readable.from([]));
}

function responseOf(
  { method }: Request,
  incoming: FetchRequest,
  { status, headers: given, body }: GatewayResponse,
): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given))
    for (const value of [values].flat()) headers.append(name, value);
  const hasNone = method === 'HEAD' || status === 204 || status === 304;
  if (typeof body === 'string') {
    if (status !== 204 && status !== 304 && !headers.has('content-length'))
      headers.set('content-length', String(Buffer.byteLength(body)));
    return new Response(hasNone ? null : body, { status, headers });
  }
  if (hasNone) {
    body.destroy();
    return new Response(null, { status, headers });
  }
  body.once('close', () => {
    if (!body.readableEnded) incoming.hangUp();
  });
  return new Response(Readable.toWeb(body), { status, headers });
}
