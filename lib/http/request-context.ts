import type { CallerRequest } from '../interfaces/auth.js';
import type { Principal } from './principal.js';
import type { GatewayRequest } from './request.js';
import type { Input } from './route.js';
import type { BoundRoute } from './table.js';
import type { OperationEnd } from './trace.js';

/** An operation, and the parameters that it is called with. */
export interface Called {
  readonly bound: BoundRoute;
  /** Decoded once. */
  readonly params: Readonly<Record<string, string>>;
}

/** What is known of a request so far. */
export interface RequestContext {
  readonly requestId: string;
  readonly path: string;
  user: Principal;
  match?: Called;
  input?: CheckedInput;
  /** Of an operation that changes something, once its trace was told. */
  end?: OperationEnd;
  /** What the authenticator adds to the answer. */
  headers?: Readonly<Record<string, string>>;
}

/** This is a class because of its getter, as the one below is. */
export class HttpCaller implements CallerRequest {
  readonly headers: GatewayRequest['headers'];
  readonly remoteAddress: string;
  readonly isSecure: boolean;
  readonly raw: unknown;
  readonly #request: GatewayRequest;
  readonly #context: RequestContext;

  constructor(request: GatewayRequest, context: RequestContext) {
    this.headers = request.headers;
    this.remoteAddress = request.remoteAddress;
    this.isSecure = request.isSecure ?? false;
    this.raw = request.raw;
    this.#request = request;
    this.#context = context;
  }

  /** Its own, so that authenticators may pass on copies of the whole. */
  readonly setHeader = (name: string, value: string): void => {
    this.#context.headers = { ...this.#context.headers, [name.toLowerCase()]: value };
  };

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** This is a class because of its getter: signals are made when somebody asks, and one in a literal makes a new shape of each request. */
export class CheckedInput implements Input<unknown, unknown, unknown> {
  readonly #request: GatewayRequest;

  constructor(
    request: GatewayRequest,
    readonly user: Principal,
    readonly caller: CallerRequest,
    readonly ifMatch: string | undefined,
    readonly params: unknown,
    readonly query: unknown,
    readonly body: unknown,
    readonly setHeader: (name: string, value: string | string[]) => void,
  ) {
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}
