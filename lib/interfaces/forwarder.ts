import type { Agent } from 'node:http';
import type { CallOptions } from './call-options.js';

/** Where a proxy route sends its calls. */
export interface Forwarder {
  /**
   * Asked for each call: what stands for the cluster may move. Rejects with `Conflict` when there is nobody now (an
   * application that has ended, `APPLICATION_ENDED`, or does not run yet), with `Unreachable` or `TimedOut` when that can't be
   * found out.
   */
  target(options?: CallOptions): Promise<ForwardTarget>;
}

/** One place to send a call to, which `node:http` or `node:https` does. Cookies and credentials of clients do not go along. */
export interface ForwardTarget {
  /**
   * Its path ends with a slash, and what stands behind the prefix of the route goes there; its query parameters
   * replace those of the client that have the same name.
   */
  readonly base: URL;
  /**
   * What goes along and outdoes what the client sent: who the gateway is, so that the server lets it in. `url` is made when it
   * is read: an object that was spread has none.
   */
  headers(request: {
    readonly method: ForwardMethod;
    readonly url: URL;
  }): Promise<Readonly<Record<string, string>>>;
  /** Throws for what must not go there; `rest`: the path behind the base, undecoded. Default: everything may. */
  admit?(request: { readonly method: ForwardMethod; readonly rest: string }): void;
  /** What is passed on of the body of an error, of which at most 256 KiB are read. Default: what came. */
  errorBody?(text: string): string;
  /** With the certificates and the limits of the driver. */
  readonly agent: Agent;
  /** Nobody could be reached there: the next target is looked for anew, and its base has the same path. */
  failed(): void;
}

export type ForwardMethod = 'GET' | 'PUT' | 'POST' | 'DELETE';
