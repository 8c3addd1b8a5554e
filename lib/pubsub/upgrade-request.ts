import type { IncomingHttpHeaders } from 'node:http';
import type { CallerRequest } from '../interfaces/auth.js';

/** The upgrade request of a WebSocket, before the handshake. */
export interface UpgradeRequest extends CallerRequest {
  /** Path and query. */
  readonly url: string;
}

/** What is known otherwise than the upgrade itself tells it. */
type Known = Partial<Pick<UpgradeRequest, 'headers' | 'remoteAddress' | 'isSecure' | 'setHeader'>>;

/** An upgrade with what is known otherwise. A class, as a copy would make the signal, which mostly nobody asks for. */
export class KnownUpgrade implements UpgradeRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly isSecure: boolean;
  readonly raw: unknown;
  readonly setHeader: (name: string, value: string) => void;
  readonly #request: UpgradeRequest;

  constructor(request: UpgradeRequest, known: Known) {
    this.#request = request;
    this.url = request.url;
    this.headers = known.headers ?? request.headers;
    this.remoteAddress = known.remoteAddress ?? request.remoteAddress;
    this.isSecure = known.isSecure ?? request.isSecure ?? false;
    this.raw = request.raw;
    this.setHeader = known.setHeader ?? request.setHeader ?? (() => {});
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }
}
