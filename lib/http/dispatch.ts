import { randomUUID } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { refuseTokenInUrl } from '../formats/url-credentials.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import { asGatewayError, ClientHungUp, type GatewayError, NotFound } from '../model/errors.js';
import { createAnswerHeaders } from './answer-headers.js';
import { type AdmissionOptions, admit, refuseForeignOrigin, userOf } from './authorization.js';
import { ifMatchOf } from './conditional.js';
import { isPreflight, preflightAnswer, readableByAll } from './cross-origin.js';
import { encodeError } from './error-answer.js';
import { anonymous } from './principal.js';
import { MethodNotAllowed } from './protocol-errors.js';
import { parseQuery } from './query.js';
import type { GatewayRequest, GatewayResponse } from './request.js';
import { type Called, CheckedInput, HttpCaller, type RequestContext } from './request-context.js';
import { logRequest } from './request-log.js';
import { answerBody, watchStream } from './response-body.js';
import type { Route } from './route.js';
import type { Match, Table } from './table.js';
import type { BegunOperation, Trace } from './trace.js';
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

export type Dispatch = (request: GatewayRequest) => Promise<GatewayResponse | undefined>;

/**
 * The pipeline, the same for every operation. Resolves `undefined` for a path that is not ours; never rejects.
 * The body is read after the access check, so nobody unknown makes us read one.
 */
export function createDispatch(options: DispatchOptions): Dispatch {
  const { table, clock } = options;
  const headersOf = createAnswerHeaders(options.origins);
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
    const context: RequestContext = { requestId, path, user: anonymous };
    const finish = (response: GatewayResponse, error?: GatewayError) => {
      const durationMillis = clock.monotonic() - startedAt;
      const operation = context.match?.bound.id ?? '';
      options.onAnswered?.({ operation, status: response.status, durationMillis });
      if (traced) Object.assign(traced, { operation, status: response.status });
      logRequest(options.logger, {
        request,
        path,
        requestId,
        route: operation,
        userName: context.user.userName,
        error,
        asksUsers: context.match?.bound.route.asksUsers ?? false,
        status: response.status,
        durationMillis,
      });
      const headers = headersOf(requestId, response.headers, addedTo(options, context));
      return answerWith(response, headers, response.body);
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
      const { bound, params } = found;
      const match: Called = { bound: bound instanceof Promise ? await bound : bound, params };
      const response = await answer(options, request, match, search, context);
      if (typeof response.body !== 'string') {
        await watchStream(response.body, match.bound.route.reply.kind, (err) => {
          if (request.signal.aborted) return;
          const level = match.bound.route.asksUsers ? 'warn' : 'error';
          options.logger[level](
            { event: 'http.response_truncated', requestId, route: match.bound.id, err },
            'answer cut short',
          );
        });
      }
      // Here and below: awaiting nothing would cost a turn of the queue, which small requests feel.
      const recorded = context.end?.({ status: response.status, error: undefined });
      if (recorded) await recorded;
      return finish(response);
    } catch (thrown) {
      const error = request.signal.aborted ? new ClientHungUp(thrown) : asGatewayError(thrown);
      traceFailure(options.trace, request, context, error);
      return finish(encodeError(error, requestId, options.challenge), error);
    }
  }
}

/** Also of an operation that was refused before its handler was called. */
function traceFailure(
  trace: Trace | undefined,
  request: GatewayRequest,
  context: RequestContext,
  error: GatewayError,
): void {
  const { match, end } = context;
  const outcome = { status: error.status, error };
  if (end) void end(outcome);
  else if (trace && match && isChange(match)) trace.refuse(begunOf(context, match, request), outcome);
}

async function answer(
  options: DispatchOptions,
  request: GatewayRequest,
  match: Called,
  search: string,
  context: RequestContext,
): Promise<GatewayResponse> {
  const { bound, params } = match;
  const { route, service } = bound;
  options.requireOpen?.();
  context.match = match;
  refuseForeignOrigin(options, request);
  refuseTokenInUrl(search, route.reply.kind === 'passthrough' ? 'own' : 'any');

  const caller = new HttpCaller(request, context);
  const user = await userOf(options, caller, route);
  context.user = user;
  const admitted = admit(options, match, user, caller);
  if (admitted) await admitted;

  let headers: Record<string, string | string[]> | undefined = deprecation(route);
  const input = new CheckedInput(
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
  context.input = input;
  if (options.trace && isChange(match)) context.end = options.trace.begin(begunOf(context, match, request));
  const encoded = route.reply.encode(await route.handle(service, input));
  const all = headers ? { ...encoded.headers, ...headers } : encoded.headers;
  return answerWith(encoded, all, answerBody(encoded.body));
}

/** Nearly all answers have three members: in a literal, for joining objects is a twentieth of what a small request costs. */
function answerWith(
  given: Omit<GatewayResponse, 'headers' | 'body'>,
  headers: GatewayResponse['headers'],
  body: GatewayResponse['body'],
): GatewayResponse {
  const { status, tunnel, trailers } = given;
  return tunnel || trailers ? { ...given, headers, body } : { status, headers, body };
}

/** What the authenticator adds, and what tells pages of all origins that they may read it. */
const addedTo = (options: DispatchOptions, context: RequestContext): RequestContext['headers'] =>
  isReadableByAll(options, context) ? { ...readableByAll, ...context.headers } : context.headers;

/** What is passed on is somebody else's, and that one says who may read it. */
const isReadableByAll = ({ isOpenToAllOrigins }: DispatchOptions, { match }: RequestContext): boolean =>
  match?.bound.route.reply.kind !== 'passthrough' && isOpenToAllOrigins?.() === true;

const begunOf = (
  { requestId, path, user, input }: RequestContext,
  { bound: listed, params }: Called,
  { remoteAddress }: GatewayRequest,
): BegunOperation => ({ requestId, listed, path, params, user, remoteAddress, input });

const isChange = ({ bound }: Called): boolean => bound.route.method !== 'GET';

const deprecation = (route: Route<unknown>): Record<string, string> | undefined =>
  route.deprecated === undefined ? undefined : { deprecation: 'true' };

const isMatch = (found: Match | readonly string[]): found is Match => 'place' in found;

export const pathOf = (url: string): string => split(url)[0];

function split(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
