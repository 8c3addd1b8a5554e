import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import type { GatewayRequest, GatewayResponse } from '../http/request.js';
import type { ForwardMethod, ForwardTarget } from '../interfaces/forwarder.js';
import { UnusableAnswer } from '../model/errors.js';
import { owned } from '../runtime/owned.js';
import { errorFilter } from './error-filter.js';
import { type ExchangeAnswer, exchange, type ForwardLimits, MaySendAgain } from './exchange.js';
import {
  forwardedFor,
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

/** How requests of one prefix are sent on. */
interface Forwarding {
  /** Names the target in errors. */
  readonly what: string;
  /** Prefix of the route, without a slash at its end: `/proxy/rm/v1`. */
  readonly mount: string;
  /** Path behind it and a slash, normal (`normalRest`). */
  readonly rest: string;
  readonly passing: Passing;
  /** Names of headers that the gateway and its host read, in small letters: they stay here. */
  readonly ownHeaders: ReadonlySet<string>;
  /** Of pages for people; absent: an API, which has no cookies and redirects nobody. */
  readonly web?: WebForwarding;
  /** Parameters of the query that no client may choose. */
  isRefused(parameter: string): boolean;
  /** What becomes of the body of an answer on its way. Default: nothing. Throws for one that must not pass. */
  filter?(answer: { readonly status: number; readonly contentType: string }): Transform | undefined;
  readonly limits: ForwardLimits;
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
    if (next === undefined) return toClient(request, answered, target, { ...forwarding, reached: leg.rest });
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
  const query = joinedQuery(leg.search, base.searchParams, forwarding.isRefused);
  const path = base.pathname + leg.rest;
  const url = new URL(`${base.origin}${path.replaceAll('#', '%23')}${query}`);
  try {
    const answered = await exchange({
      method: leg.method,
      base,
      path: path + query,
      headers: {
        ...headersOf(request, leg, forwarding, base),
        ...(await target.headers({ method: methodOf(leg.method), url })),
      },
      agent: request.isUpgrade ? undefined : target.agent,
      body: leg.body?.stream,
      trailers: leg.body?.trailers,
      client: request,
      what: forwarding.what,
      limits: forwarding.limits,
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
  { passing, ownHeaders, mount, filter, web }: Forwarding,
  base: URL,
): Headers {
  const passed = passingToTarget(request.headers, passing, ownHeaders);
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
  return {
    ...passed,
    ...(web ? webHeaders(request, web, base) : {}),
    ...forwardedFor(request, mount),
    ...(request.isUpgrade ? { connection: 'Upgrade', upgrade: 'websocket' } : {}),
    ...body?.headers,
  };
}

function toClient(
  request: GatewayRequest,
  { answer, socket }: ExchangeAnswer,
  target: ForwardTarget,
  forwarding: Forwarding & { readonly reached: string },
): GatewayResponse {
  const { statusCode: status = 502, headers } = answer;
  const passed = headersForClient(request, answer, target.base, forwarding);
  if (socket) {
    const upgraded = { ...passed, connection: 'Upgrade', upgrade: 'websocket' };
    return { status, headers: upgraded, body: '', tunnel: socket };
  }
  try {
    if (!forwarding.web && (status === 401 || status === 407)) {
      throw new UnusableAnswer(forwarding.what, `refuses the gateway (status ${status})`);
    }
    if (request.method === 'HEAD' || status === 204 || status === 304) {
      answer.resume();
      return { status, headers: passed, body: owned(Readable.from([])) };
    }
    const hasTrailers = headers['transfer-encoding'] !== undefined;
    const body = filtered(answer, status, passed, { ...forwarding, target });
    return {
      status,
      headers: passed,
      body,
      ...(hasTrailers ? { trailers: () => passingTrailers(answer.trailers) } : {}),
    };
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
  base: URL,
  { web, mount, rest, reached }: Forwarding & { readonly reached: string },
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
  { filter, what, target }: Omit<Forwarding, 'target'> & { readonly target: ForwardTarget },
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
