import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';

/** A request as every host adapter hands it over. The core sees no framework. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query as they came on the wire, without the prefix that the gateway is mounted at. */
  readonly url: string;
  /** What stands before `url` in the URL that the host was asked for: `/console`. Default: nothing. */
  readonly prefix?: string;
  /** Whether it came over TLS that ends in this process. Default: false. */
  readonly isSecure?: boolean;
  readonly headers: IncomingHttpHeaders;
  /** Address of the socket's other end. */
  readonly remoteAddress: string;
  /** The body, unread. It is read only if the route asks for it, and after the access check. */
  readonly body: Readable;
  /**
   * All of the body, where it has come already and nobody has read of it, as most small ones have: cheaper than the stream,
   * and nothing is left of that. Absent, or `undefined`: read `body`.
   */
  arrivedBody?(): Buffer | undefined;
  /** What came behind the body; to be asked when that has ended. Absent when the host can't tell. */
  trailers?(): NodeJS.Dict<string>;
  /** What the host's body parser made of the body; absent when no parser ran. */
  readonly parsedBody?: unknown;
  /** The host's own object (`IncomingMessage`, Express `req`, Koa `ctx`), for the host's authenticator. */
  readonly raw: unknown;
  /** The client asks for another protocol (a WebSocket): an answer with a `tunnel` grants it. Default: false. */
  readonly isUpgrade?: boolean;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
  /**
   * Calls `gone` once when the client hangs up, at once if that has happened, and returns what takes that back: cheaper than
   * the signal, where that is made for who asks. Absent: listen to `signal`.
   */
  onHangUp?(gone: () => void): () => void;
}

export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** A stream is piped with back-pressure and destroyed when the client hangs up. */
  readonly body: string | Readable;
  /** With status 101: what the client's connection is joined to from now on. Whoever takes it ends it. */
  readonly tunnel?: Duplex;
  /** Sent behind a body that has no length; asked when that has ended. */
  readonly trailers?: () => Readonly<Record<string, string>>;
}
