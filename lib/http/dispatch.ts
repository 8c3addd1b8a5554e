import { randomUUID } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { refuseTokenInUrl } from '../formats/url-credentials.js';
import type { CallerRequest } from '../interfaces/auth.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import {
  asGatewayError,
  ClientHungUp,
  errorBody,
  type GatewayError,
  MethodNotAllowed,
  NotFound,
  NotLoggedIn,
} from '../model/errors.js';
import { type AdmissionOptions, admit, refuseForeignOrigin, userOf } from './authorization.js';
import { ifMatchOf } from './conditional.js';
import { isPreflight, preflightAnswer, readableByAll } from './cross-origin.js';
import { createGuard } from './guards.js';
import { anonymous, type Principal } from './principal.js';
import { parseQuery } from './query.js';
import type { GatewayRequest, GatewayResponse } from './request.js';
import { logRequest } from './request-log.js';
import { answerBody, watchStream } from './response-body.js';
import type { Input, Route } from './route.js';
import type { ListedRoute, Match, Table } from './table.js';
import { check } from './validate.js';

export interface DispatchOptions extends AdmissionOptions {
  readonly table: Table;
  /** Throws `NotReady` when the gateway has been closed. Default: it never is. */
  readonly requireOpen?: () => void;
  /** Told of each operation but GET, also when it was refused. Default: nobody. */
  readonly trace?: Trace;
  /** What a 401 says in `WWW-Authenticate`. Default: nothing. */
  readonly challenge?: () => string | undefined;
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
interface RequestTrace {
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
  const guard = createGuard(options.origins);
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
      const headers = {
        'x-request-id': requestId,
        'cache-control': 'no-store',
        ...(isReadableByAll(options, note) ? readableByAll : undefined),
        ...note.headers,
        ...response.headers,
      };
      return { ...response, headers: guard(headers) };
    };

    const trace = (status: number, error?: GatewayError): Promise<void> | undefined => {
      const { match } = note;
      if (!options.trace || !match || !isChange(match)) return undefined;
      return options.trace.end({ ...begunOf(note, match, request), status, error });
    };

    try {
      const found = table.match(request.method, path);
      if (found === undefined) {
        if (table.owns(path)) throw new NotFound('path', path.slice(0, 200));
        return undefined;
      }
      if (!isMatch(found)) {
        if (isPreflight(request) && options.isOpenToAllOrigins?.()) return finish(preflightAnswer(found));
        throw new MethodNotAllowed(request.method, found);
      }
      const response = await answer(options, request, found, search, note);
      if (typeof response.body !== 'string') {
        await watchStream(response.body, found.bound.route.reply.kind, (err) => {
          if (request.signal.aborted) return;
          options.logger.error(
            { event: 'http.response_truncated', requestId, route: note.match?.bound.id, err },
            'answer cut short',
          );
        });
      }
      // Here and below: awaiting nothing would cost a turn of the queue, which small requests feel.
      const recorded = trace(response.status);
      if (recorded) await recorded;
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

  const caller = new Caller(request, note);
  const user = await userOf(options, caller, route);
  note.user = user;
  const admitted = admit(options, match, user, caller);
  if (admitted) await admitted;

  let headers: Record<string, string> | undefined = deprecation(route);
  const input = new Checked(
    request,
    user,
    caller,
    ifMatchOf(route, request),
    route.params ? check(route.params, params, 'params') : undefined,
    route.query ? check(route.query, parseQuery(search), 'query') : undefined,
    route.body ? await route.body.read(request) : undefined,
    (name, content) => {
      headers = { ...headers, [name]: content };
    },
  );
  note.input = input;
  if (isChange(match)) options.trace?.begin(begunOf(note, match, request));
  const encoded = route.reply.encode(await route.handle(service, input));
  return {
    ...encoded,
    headers: headers ? { ...encoded.headers, ...headers } : encoded.headers,
    body: answerBody(encoded.body),
  };
}

/** A class for its getter, as below. */
class Caller implements CallerRequest {
  readonly headers: GatewayRequest['headers'];
  readonly remoteAddress: string;
  readonly isSecure: boolean;
  readonly raw: unknown;
  readonly #request: GatewayRequest;
  readonly #note: Note;

  constructor(request: GatewayRequest, note: Note) {
    this.headers = request.headers;
    this.remoteAddress = request.remoteAddress;
    this.isSecure = request.isSecure ?? false;
    this.raw = request.raw;
    this.#request = request;
    this.#note = note;
  }

  /** Its own, so that authenticators may pass on copies of the whole. */
  readonly setHeader = (name: string, value: string): void => {
    this.#note.headers = { ...this.#note.headers, [name.toLowerCase()]: value };
  };

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** A class for its getter: signals are made when somebody asks, and one in a literal makes a new shape of each request. */
class Checked implements Input<unknown, unknown, unknown> {
  readonly #request: GatewayRequest;

  constructor(
    request: GatewayRequest,
    readonly user: Principal,
    readonly caller: CallerRequest,
    readonly ifMatch: string | undefined,
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

/** What is passed on is somebody else's, who says himself who may read it. */
const isReadableByAll = ({ isOpenToAllOrigins }: DispatchOptions, { match }: Note): boolean =>
  match?.bound.route.reply.kind !== 'passthrough' && isOpenToAllOrigins?.() === true;

const begunOf = (
  { requestId, path, user, input }: Note,
  { bound: listed, params }: Match,
  { remoteAddress }: GatewayRequest,
): BegunOperation => ({ requestId, listed, path, params, user, remoteAddress, input });

const isChange = ({ bound }: Match): boolean => bound.route.method !== 'GET';

const deprecation = (route: Route<unknown>): Record<string, string> | undefined =>
  route.deprecated === undefined ? undefined : { deprecation: 'true' };

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
