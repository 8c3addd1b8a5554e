import type { Caller } from './rights.js';

/** The other end of a socket, as the host's authenticator and the gateway's accounts know it. */
export interface Peer {
  readonly caller: Caller;
  /** The session that the connection lives by: it is closed when that ends. */
  readonly sessionId: string | undefined;
  /** Asked for by `?errors=true`: messages of type `error` beside `data`. */
  readonly wantsErrors: boolean;
  /** Told of every message. */
  onUse(): void;
  /** Who it is after rights have changed; `undefined` when nobody knows it any more. */
  refresh(): Promise<Caller | undefined>;
}
