import type { IncomingHttpHeaders } from 'node:http';
import { onHangUp } from './hang-up.js';
import type { GatewayRequest } from './request.js';
import type { Forwarded } from './trusted-proxies.js';

/**
 * A request as its client sent it to the first of the trusted proxies. Signal and body are those of what came here: they are
 * made when somebody asks for them.
 */
export class ForwardedRequest implements GatewayRequest {
  readonly method: string;
  readonly url: string;
  readonly prefix: string;
  readonly isSecure: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly parsedBody: unknown;
  readonly raw: unknown;
  readonly isUpgrade: boolean;
  readonly #request: GatewayRequest;

  constructor(request: GatewayRequest, client: Forwarded) {
    this.#request = request;
    this.method = request.method;
    this.url = request.url;
    this.prefix = request.prefix ?? '';
    this.isSecure = client.isSecure ?? request.isSecure ?? false;
    this.headers = headersFor(request.headers, client);
    this.remoteAddress = client.remoteAddress;
    this.parsedBody = request.parsedBody;
    this.raw = request.raw;
    this.isUpgrade = request.isUpgrade ?? false;
  }

  get body(): GatewayRequest['body'] {
    return this.#request.body;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  onHangUp(gone: () => void): () => void {
    return onHangUp(this.#request, gone);
  }

  arrivedBody(): Buffer | undefined {
    return this.#request.arrivedBody?.();
  }

  trailers(): NodeJS.Dict<string> {
    return this.#request.trailers?.() ?? {};
  }
}

/** `Host` is what the client asked for. */
export const headersFor = (headers: IncomingHttpHeaders, { host }: Forwarded): IncomingHttpHeaders =>
  host === undefined ? headers : { ...headers, host };
