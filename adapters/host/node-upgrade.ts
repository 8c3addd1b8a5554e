import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { UpgradeRequest } from '../../lib/index.js';

/** Node's upgrade as the core wants it. The signal is made when somebody asks for it: mostly nobody does. */
export class NodeUpgrade implements UpgradeRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly isSecure: boolean;
  readonly raw: IncomingMessage;
  #gone: AbortController | undefined;

  constructor(request: IncomingMessage) {
    this.url = request.url ?? '';
    this.headers = request.headers;
    this.remoteAddress = request.socket.remoteAddress ?? '';
    this.isSecure = 'encrypted' in request.socket;
    this.raw = request;
  }

  /** Aborted when the client hangs up before the upgrade is decided. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.raw.socket.closed) this.hungUp();
      else this.raw.socket.once('close', this.hungUp);
    }
    return this.#gone.signal;
  }

  /** The socket belongs to others from now on. */
  decided(): void {
    if (this.#gone) this.raw.socket.off('close', this.hungUp);
  }

  private readonly hungUp = (): void => this.#gone?.abort();
}
