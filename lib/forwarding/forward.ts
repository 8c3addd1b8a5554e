import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import type { GatewayRequest, GatewayResponse } from '../http/request.js';
import type { ForwardMethod, ForwardTarget } from '../interfaces/forwarder.js';
import { UnusableAnswer } from '../model/errors.js';
import { owned } from '../runtime/owned.js';
import { errorFilter } from './error-filter.js';
import { type ExchangeAnswer, exchange, type ForwardLimits, MaySendAgain } from './exchange.js';
import {
  addForwardedFor,
  type Headers,
  type Passing,
  passingToClient,
  passingToTarget,
  passingTrailers,
} from './headers.js';
import { locationForClient, resolved } from './locations.js';
import { joinedQuery } from './query.js';
import { type SentBody, sentBody } from './sent-body.js';
import { cookiesForClient, type WebForwarding, webHeaders } from './web.js';

/** What holds for all that a proxy sends on. */
export interface ForwardingRules {
  readonly passing: Passing;
  /** Names of headers that the gateway and its host read, in small letters: they stay here. */
  readonly ownHeaders: ReadonlySet<string>;
  /** Parameters of the query that no client may choose. */
  isRefused(parameter: string): boolean;
  readonly limits: ForwardLimits;
}

/** How one request is sent on. */
interface Forwarding {
  readonly rules: ForwardingRules;
  /** Names the target in errors. */
  readonly what: string;
  /** Prefix of the route, without a slash at its end: `/proxy/rm/v1`. */
  readonly mount: string;
  /** Path behind it and a slash, normal (`normalRest`). */
  readonly rest: string;
  /** Of pages for people; absent: an API, which has no cookies and redirects nobody. */
  readonly web?: WebForwarding;
  /** What becomes of the body of an answer on its way. Default: nothing. Throws for one that must not pass. */
  filter?(answer: { readonly status: number; readonly contentType: string }): Transform | undefined;
  /** Asked again when nobody could be reached there. */
  target(): Promise<ForwardTarget>;
}

/** One try at one place: what a redirect changes of a request. */
interface Leg {
  readonly method: string;
  readonly rest: string;
  /** Without `?`. */
  readonly search: string;
  readonly body: SentBody | undefined;
}

interface Sent {
  readonly answered: ExchangeAnswer;
  readonly target: ForwardTarget;
}

/** In a row. */
const maxRedirects = 10;

/** Sends a request on, and resolves what was answered, its body unread. */
export async function forward(request: GatewayRequest, forwarding: Forwarding): Promise<GatewayResponse> {
  let leg: Leg = {
    method: request.method,
    rest: forwarding.rest,
    search: searchOf(request.url),
    body: sentBody(request),
  };
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const { answered, target } = await sendPatiently(request, leg, forwarding);
    const next = forwarding.web?.followsRedirects ? redirected(answered, leg, target.base) : undefined;
    if (next === undefined) return toClient(request, { answered, target }, leg.rest, forwarding);
    answered.answer.destroy();
    leg = next;
  }
  throw new UnusableAnswer(forwarding.what, `redirects more than ${maxRedirects} times in a row`);
}

async function sendPatiently(request: GatewayRequest, leg: Leg, forwarding: Forwarding): Promise<Sent> {
  try {
    return await send(request, leg, forwarding);
  } catch (error) {
    // A kept connection that the other side has closed, an address that holds no more, one on standby.
    const isSpent = leg.body?.stream?.readableDidRead ?? false;
    if (!(error instanceof MaySendAgain) || isSpent || request.signal.aborted) throw error;
  }
  return send(request, leg, forwarding);
}

async function send(request: GatewayRequest, leg: Leg, forwarding: Forwarding): Promise<Sent> {
  const target = await forwarding.target();
  target.admit?.({ method: methodOf(leg.method), rest: leg.rest });
  const { base } = target;
  const query = joinedQuery(leg.search, base.searchParams, forwarding.rules.isRefused);
  const path = base.pathname + leg.rest;
  const headers = headersOf(request, leg, forwarding, base);
  try {
    const answered = await exchange({
      method: leg.method,
      base,
      path: path + query,
      headers: Object.assign(
        headers,
        await target.headers(new AuthorizedRequest(leg.method, base, path, query)),
      ),
      agent: request.isUpgrade ? undefined : target.agent,
      body: leg.body?.stream,
      trailers: leg.body?.trailers,
      client: request,
      what: forwarding.what,
      limits: forwarding.rules.limits,
      isUpgrade: request.isUpgrade ?? false,
    });
    if (!forwarding.web && isElsewhere(answered, leg, base)) {
      answered.answer.destroy();
      throw new MaySendAgain(forwarding.what, new Error('it sends us elsewhere'));
    }
    return { answered, target };
  } catch (error) {
    if (!request.signal.aborted) target.failed();
    throw error;
  }
}

/** What a target knows of a request when it says who the gateway is. A class, because hardly any asks for the URL. */
class AuthorizedRequest {
  readonly method: ForwardMethod;
  readonly #base: URL;
  readonly #path: string;
  readonly #query: string;

  constructor(method: string, base: URL, path: string, query: string) {
    this.method = methodOf(method);
    this.#base = base;
    this.#path = path;
    this.#query = query;
  }

  get url(): URL {
    return new URL(`${this.#base.origin}${this.#path.replaceAll('#', '%23')}${this.#query}`);
  }
}

/** One on standby, with the address of another: by a header of its own, or by a redirect. */
const isElsewhere = (
  { answer: { headers, statusCode = 0 } }: ExchangeAnswer,
  { rest }: Leg,
  base: URL,
): boolean =>
  headers.refresh !== undefined ||
  (statusCode >= 300 &&
    statusCode < 400 &&
    headers.location !== undefined &&
    locationForClient(headers.location, { base, rest }) === undefined);

/** What a browser would ask for next, as long as that stays at the target and no cookie would be lost on the way. */
function redirected({ answer }: ExchangeAnswer, leg: Leg, base: URL): Leg | undefined {
  const { statusCode = 0, headers } = answer;
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  const isSafe = leg.method === 'GET' || leg.method === 'HEAD';
  const becomesGet = statusCode === 303 || (statusCode < 303 && leg.method === 'POST');
  if ((!isSafe && !becomesGet) || headers['set-cookie'] !== undefined) return undefined;
  const place = resolved(headers.location, { base, rest: leg.rest });
  if (!place || place.origin !== base.origin || !place.pathname.startsWith(base.pathname)) return undefined;
  return {
    method: isSafe ? leg.method : 'GET',
    rest: place.pathname.slice(base.pathname.length),
    search: place.search.slice(1),
    body: undefined,
  };
}

function headersOf(
  request: GatewayRequest,
  { body, method }: Leg,
  { rules, mount, filter, web }: Forwarding,
  base: URL,
): Headers {
  // One object from here to the connection: joining several costs more than all the rest of a small request's headers.
  const passed = passingToTarget(request.headers, rules.passing, rules.ownHeaders);
  if (filter) {
    // What is filtered has to be readable, and whole.
    passed['accept-encoding'] = 'identity';
    delete passed['range'];
    delete passed['if-range'];
  }
  // A redirect has taken the body away.
  if (method !== request.method) {
    for (const name of Object.keys(passed)) if (name.startsWith('content-')) delete passed[name];
  }
  if (web) Object.assign(passed, webHeaders(request, web, base));
  addForwardedFor(passed, request, mount);
  if (request.isUpgrade) Object.assign(passed, upgrading);
  return body ? Object.assign(passed, body.headers) : passed;
}

const upgrading: Headers = { connection: 'Upgrade', upgrade: 'websocket' };

function toClient(
  request: GatewayRequest,
  { answered: { answer, socket }, target }: Sent,
  reached: string,
  forwarding: Forwarding,
): GatewayResponse {
  const { statusCode: status = 502, headers } = answer;
  const passed = headersForClient(request, answer, { base: target.base, reached }, forwarding);
  if (socket) return { status, headers: Object.assign(passed, upgrading), body: '', tunnel: socket };
  try {
    if (!forwarding.web && (status === 401 || status === 407)) {
      throw new UnusableAnswer(forwarding.what, `refuses the gateway (status ${status})`);
    }
    if (request.method === 'HEAD' || status === 204 || status === 304) {
      answer.resume();
      return { status, headers: passed, body: owned(Readable.from([])) };
    }
    const body = filtered(answer, status, passed, forwarding, target);
    const hasTrailers = headers['transfer-encoding'] !== undefined;
    if (!hasTrailers) return { status, headers: passed, body };
    return { status, headers: passed, body, trailers: () => passingTrailers(answer.trailers) };
  } catch (error) {
    answer.destroy();
    throw error;
  }
}

const noPage: Headers = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
};

/** Places in the gateway's own terms, and cookies only of services. */
function headersForClient(
  request: GatewayRequest,
  { headers }: IncomingMessage,
  { base, reached }: { readonly base: URL; readonly reached: string },
  { web, mount, rest }: Forwarding,
): Headers {
  const passed = passingToClient(headers);
  for (const name of ['location', 'content-location']) {
    const value = passed[name];
    if (typeof value !== 'string') continue;
    const place = locationForClient(value, { base, rest: reached, asked: rest });
    if (place !== undefined) passed[name] = place;
    // Pages may send people to other sites, where the gateway does not follow.
    else if (!web) delete passed[name];
  }
  // What others make up is data, never a page of the gateway's origin.
  if (!web) Object.assign(passed, noPage);
  delete passed['set-cookie'];
  const cookies = headers['set-cookie'];
  if (web && cookies) {
    const path = `${request.prefix ?? ''}${mount}`;
    const own = cookiesForClient(cookies, web.ownCookies, { base, path });
    if (own.length > 0) passed['set-cookie'] = own;
  }
  return passed;
}

function filtered(
  answer: IncomingMessage,
  status: number,
  headers: Headers,
  { filter, what }: Forwarding,
  target: ForwardTarget,
): Readable {
  const ofError = status >= 400 && target.errorBody;
  const through = ofError
    ? errorFilter((text) => ofError.call(target, text))
    : filter?.({ status, contentType: answer.headers['content-type'] ?? '' });
  if (!through) return answer;
  if (!/^(identity)?$/i.test(answer.headers['content-encoding'] ?? '')) {
    throw new UnusableAnswer(what, 'answered in an encoding that it was asked not to use');
  }
  for (const name of ['content-length', 'content-md5', 'accept-ranges', 'etag']) delete headers[name];
  return pipeline(answer, through, () => {
    // Whoever reads it hears of a break.
  });
}

const methods: readonly ForwardMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];
const methodOf = (method: string): ForwardMethod => methods.find((known) => known === method) ?? 'GET';

function searchOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
