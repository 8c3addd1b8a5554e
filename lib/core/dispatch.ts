import { randomUUID } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import type { CallerRequest, Identity } from '../interfaces/auth.js';
import type { HostRules, OperationQuestion } from '../interfaces/authorize.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import { answerBody, watchStream } from './answer-body.js';
import { type Authenticate, nobodyUnlessRefused } from './callers.js';
import type { Capability } from './capabilities.js';
import {
  asGatewayError,
  ClientHungUp,
  errorBody,
  Forbidden,
  ForeignOrigin,
  type GatewayError,
  MethodNotAllowed,
  NotLoggedIn,
  NotSupported,
  Unreachable,
} from './errors.js';
import { foreignOrigin } from './origin.js';
import { anonymous, may, type Principal } from './principal.js';
import { parseQuery } from './query.js';
import type { GatewayRequest, GatewayResponse } from './request.js';
import { logRequest } from './request-log.js';
import type { Input, LicenseNeeds, Route } from './route.js';
import type { ListedRoute, Match, Table } from './table.js';
import { refuseTokenInUrl } from './url-credentials.js';
import { check } from './validate.js';

export interface DispatchOptions {
  readonly table: Table;
  readonly authenticate: Authenticate;
  /** What an identity may do now; rejects with `Forbidden` for one that may not come in. */
  readonly principalOf: (identity: Identity) => Promise<Principal>;
  /** Throws `NotReady` when the gateway has been closed. Default: it never is. */
  readonly requireOpen?: () => void;
  /** Asked where an operation needs something of the license; rejects with what the license lacks. */
  readonly requireLicense: (needs: LicenseNeeds) => Promise<void> | void;
  /** Told of each operation but GET, also when it was refused. Default: nobody. */
  readonly trace?: Trace;
  /** What a 401 says in `WWW-Authenticate`. Default: nothing. */
  readonly challenge?: () => string | undefined;
  /** The host's own rule for operations. Default: none. */
  readonly authorize?: HostRules['operation'] | undefined;
  readonly driverName: string;
  readonly capabilities: ReadonlySet<Capability>;
  /** Whole origins that may send changes besides our own. */
  readonly origins: readonly string[];
  readonly logger: Logger;
  readonly clock: Clock;
  /** Told of each answer. Default: nobody. */
  readonly onAnswered?: (answered: Answered) => void;
}

export interface Answered {
  /** Id of the operation; empty: there is none of this method. */
  readonly operation: string;
  readonly status: number;
  readonly durationMillis: number;
}

/** Of the tracing channel `headgate.request`: what is known of a request so far. */
export interface RequestTrace {
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
  operation?: string;
  status?: number;
}

export interface Trace {
  /** Its handler is about to be called. Must not throw. */
  begin(operation: BegunOperation): void;
  /** With `input` when its handler was called, and so `begin`. A success is answered when this resolves; it must not reject. */
  end(operation: TracedOperation): Promise<void>;
}

/** One operation that changes something. */
export interface BegunOperation {
  readonly requestId: string;
  readonly listed: ListedRoute;
  /** As on the wire, without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly user: Principal;
  readonly remoteAddress: string;
  /** What was read of it; absent when it was refused before. */
  readonly input: { readonly query: unknown; readonly body: unknown } | undefined;
}

/** And what became of it. */
export interface TracedOperation extends BegunOperation {
  readonly status: number;
  readonly error: GatewayError | undefined;
}

export type Dispatch = (request: GatewayRequest) => Promise<GatewayResponse | undefined>;

/**
 * The pipeline, the same for every operation. Resolves `undefined` for a path that is not ours; never rejects.
 * The body is read after the access check, so nobody unknown makes us read one.
 */
export function createDispatch(options: DispatchOptions): Dispatch {
  const { table, clock } = options;
  const tracing = tracingChannel<object, RequestTrace>('headgate.request');

  return (request) => {
    const requestId = randomUUID();
    if (!tracing.hasSubscribers || !table.owns(pathOf(request.url))) return serve(request, requestId);
    const context: RequestTrace = { method: request.method, path: pathOf(request.url), requestId };
    return tracing.tracePromise(() => serve(request, requestId, context), context);
  };

  async function serve(
    request: GatewayRequest,
    requestId: string,
    traced?: RequestTrace,
  ): Promise<GatewayResponse | undefined> {
    const [path = '', search] = split(request.url);
    const startedAt = clock.monotonic();
    const note: Note = { requestId, path, user: anonymous };
    const finish = (response: GatewayResponse, error?: GatewayError) => {
      const durationMillis = clock.monotonic() - startedAt;
      const operation = note.match?.bound.id ?? '';
      options.onAnswered?.({ operation, status: response.status, durationMillis });
      if (traced) Object.assign(traced, { operation, status: response.status });
      logRequest(options.logger, {
        request,
        path,
        requestId,
        route: operation,
        userName: note.user.userName,
        error,
        status: response.status,
        durationMillis,
      });
      return {
        status: response.status,
        headers: {
          'x-request-id': requestId,
          'cache-control': 'no-store',
          ...note.headers,
          ...response.headers,
        },
        body: response.body,
        ...(response.trailers ? { trailers: response.trailers } : {}),
        ...(response.tunnel ? { tunnel: response.tunnel } : {}),
      };
    };

    const trace = async (status: number, error?: GatewayError) => {
      const { match } = note;
      if (!options.trace || !match || !isChange(match)) return;
      await options.trace.end({ ...begunOf(note, match, request), status, error });
    };

    try {
      const found = table.match(request.method, path);
      if (found === undefined) return undefined;
      if (!isMatch(found)) throw new MethodNotAllowed(request.method, found);
      const response = await answer(options, request, found, search, note);
      if (typeof response.body !== 'string') {
        await watchStream(response.body, found.bound.route.reply.kind, (err) => {
          if (request.signal.aborted) return;
          options.logger.error({ requestId, route: note.match?.bound.id, err }, 'answer cut short');
        });
      }
      await trace(response.status);
      return finish(response);
    } catch (thrown) {
      const error = request.signal.aborted ? new ClientHungUp(thrown) : asGatewayError(thrown);
      void trace(error.status, error);
      return finish(encodeError(error, requestId, options.challenge), error);
    }
  }
}

async function answer(
  options: DispatchOptions,
  request: GatewayRequest,
  match: Match,
  search: string,
  note: Note,
): Promise<GatewayResponse> {
  const { bound, params } = match;
  const { route, service } = bound;
  options.requireOpen?.();
  note.match = match;
  refuseForeignOrigin(options, request);
  refuseTokenInUrl(search, route.reply.kind === 'passthrough' ? 'own' : 'any');

  const caller: CallerRequest = {
    headers: request.headers,
    remoteAddress: request.remoteAddress,
    raw: request.raw,
    setHeader(name, value) {
      note.headers = { ...note.headers, [name.toLowerCase()]: value };
    },
  };
  const user = await userOf(options, caller, route);
  note.user = user;
  requireAccess(route, user);
  await requireHost(options, {
    kind: 'operation',
    operation: bound.id,
    method: route.method,
    path: route.path,
    params,
    user,
    caller,
  });
  if (route.licensed || route.lockable) await options.requireLicense(route);
  if (route.requires && !options.capabilities.has(route.requires)) {
    throw new NotSupported(options.driverName, route.requires);
  }

  const headers: Record<string, string> = deprecation(route);
  const input = new Checked(
    request,
    user,
    caller,
    route.params ? check(route.params, params, 'params') : undefined,
    route.query ? check(route.query, parseQuery(search), 'query') : undefined,
    route.body ? await route.body.read(request) : undefined,
    (name, content) => {
      headers[name] = content;
    },
  );
  note.input = input;
  if (isChange(match)) options.trace?.begin(begunOf(note, match, request));
  const { body, ...encoded } = route.reply.encode(await route.handle(service, input));
  return {
    ...encoded,
    headers: { ...encoded.headers, ...headers },
    body: answerBody(body),
  };
}

/** A class for its getter: signals are made when somebody asks, and one in a literal makes a new shape of each request. */
class Checked implements Input<unknown, unknown, unknown> {
  readonly #request: GatewayRequest;

  constructor(
    request: GatewayRequest,
    readonly user: Principal,
    readonly caller: CallerRequest,
    readonly params: unknown,
    readonly query: unknown,
    readonly body: unknown,
    readonly setHeader: (name: string, value: string) => void,
  ) {
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

async function userOf(
  { authenticate, principalOf }: DispatchOptions,
  caller: CallerRequest,
  route: Route<unknown>,
): Promise<Principal> {
  try {
    const identity = await authenticate(caller);
    return identity ? await principalOf(identity) : anonymous;
  } catch (error) {
    if (route.access !== 'public') throw error;
    return nobodyUnlessRefused(error) ?? anonymous;
  }
}

function refuseForeignOrigin(options: DispatchOptions, request: GatewayRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const origin = foreignOrigin(request.headers, options.origins);
  if (origin !== undefined) throw new ForeignOrigin(origin);
}

function requireAccess(route: Route<unknown>, user: Principal): void {
  if (route.access === 'public') return;
  if (user === anonymous) throw new NotLoggedIn();
  if (route.access === 'user') return;
  if (route.access === 'admin') {
    if (!user.isAdmin) throw new Forbidden('Only an administrator may do this');
  } else if (!may(user, route.access)) {
    throw new Forbidden(`This needs the permission ${route.access}`, { permission: route.access });
  }
}

/** After our own rights, so the host can only take away. */
async function requireHost({ authorize }: DispatchOptions, question: OperationQuestion): Promise<void> {
  if (!authorize) return;
  let isAllowed: boolean;
  try {
    isAllowed = await authorize(question);
  } catch (error) {
    throw new Unreachable("The host's permission check", error);
  }
  if (isAllowed !== true) throw new Forbidden('The host of this gateway does not allow it');
}

const begunOf = (
  { requestId, path, user, input }: Note,
  { bound: listed, params }: Match,
  { remoteAddress }: GatewayRequest,
): BegunOperation => ({ requestId, listed, path, params, user, remoteAddress, input });

const isChange = ({ bound }: Match): boolean => bound.route.method !== 'GET';

const deprecation = (route: Route<unknown>): Record<string, string> =>
  route.deprecated === undefined ? {} : { deprecation: 'true' };

function encodeError(
  error: GatewayError,
  requestId: string,
  challenge: DispatchOptions['challenge'],
): GatewayResponse {
  const asked = error instanceof NotLoggedIn ? challenge?.() : undefined;
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json',
      ...(asked === undefined ? {} : { 'www-authenticate': asked }),
      ...error.headers,
    },
    body: JSON.stringify(errorBody(error, requestId)),
  };
}

/** What is known of a request so far. */
interface Note {
  readonly requestId: string;
  readonly path: string;
  user: Principal;
  match?: Match;
  input?: Checked;
  /** What the authenticator adds to the answer. */
  headers?: Readonly<Record<string, string>>;
}

const isMatch = (found: Match | readonly string[]): found is Match => 'bound' in found;

export const pathOf = (url: string): string => split(url)[0];

function split(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
