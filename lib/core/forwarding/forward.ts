import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import type { ForwardMethod, ForwardTarget } from '../../interfaces/cluster.js';
import { UnusableAnswer } from '../errors.js';
import type { GatewayRequest, GatewayResponse } from '../request.js';
import { exchange, type ForwardLimits, MaySendAgain } from './exchange.js';
import {
  forwardedFor,
  type Headers,
  type Passing,
  passingToClient,
  passingToTarget,
  passingTrailers,
} from './headers.js';
import { placeForClient } from './places.js';
import { joinedQuery } from './query.js';
import { type SentBody, sentBody } from './sent-body.js';

/** How requests of one prefix are sent on. */
export interface Forwarding {
  /** Names the target in errors. */
  readonly what: string;
  /** Prefix of the route, without a slash at its end: `/proxy/rm/v1`. */
  readonly mount: string;
  /** Path behind it and a slash, normal (`normalRest`). */
  readonly rest: string;
  readonly passing: Passing;
  /** Parameters of the query that no client may choose. */
  isRefused(parameter: string): boolean;
  /** What becomes of the body of an answer on its way. Default: nothing. */
  filter?(answer: { readonly status: number; readonly contentType: string }): Transform | undefined;
  readonly limits: ForwardLimits;
  /** Asked again when nobody could be reached there. */
  target(): Promise<ForwardTarget>;
}

/** Sends a request on, and resolves what was answered, its body unread. */
export async function forward(request: GatewayRequest, forwarding: Forwarding): Promise<GatewayResponse> {
  const body = sentBody(request);
  try {
    return await sendOnce(request, body, forwarding);
  } catch (error) {
    // A kept connection that the other side has closed, an address that holds no more, one on standby.
    const isSpent = body?.stream?.readableDidRead ?? false;
    if (!(error instanceof MaySendAgain) || isSpent || request.signal.aborted) throw error;
  }
  return sendOnce(request, body, forwarding);
}

async function sendOnce(
  request: GatewayRequest,
  body: SentBody | undefined,
  forwarding: Forwarding,
): Promise<GatewayResponse> {
  const target = await forwarding.target();
  const { base } = target;
  const query = joinedQuery(searchOf(request.url), base.searchParams, forwarding.isRefused);
  const url = new URL(base);
  url.pathname = base.pathname + forwarding.rest;
  url.search = query;
  try {
    const answer = await exchange({
      method: request.method,
      base,
      path: base.pathname + forwarding.rest + query,
      headers: {
        ...headersOf(request, forwarding),
        ...body?.headers,
        ...(await target.headers({ method: methodOf(request.method), url })),
      },
      agent: target.agent,
      body: body?.stream,
      trailers: body?.trailers,
      signal: request.signal,
      what: forwarding.what,
      limits: forwarding.limits,
    });
    return toClient(request, answer, base, forwarding);
  } catch (error) {
    if (!request.signal.aborted) target.failed();
    throw error;
  }
}

function headersOf(request: GatewayRequest, { passing, mount, filter }: Forwarding): Headers {
  const passed = passingToTarget(request.headers, passing);
  if (filter) {
    // What is filtered has to be readable, and whole.
    passed['accept-encoding'] = 'identity';
    delete passed['range'];
    delete passed['if-range'];
  }
  return { ...passed, ...forwardedFor(request, mount) };
}

function toClient(
  request: GatewayRequest,
  answer: IncomingMessage,
  base: URL,
  forwarding: Forwarding,
): GatewayResponse {
  const { statusCode: status = 502, headers } = answer;
  try {
    const passed = withPlaces(passingToClient(headers), { base, rest: forwarding.rest, status });
    if (passed === undefined) throw new MaySendAgain(forwarding.what, new Error('It sends us elsewhere'));
    delete passed['set-cookie'];
    if (status === 401 || status === 407) {
      throw new UnusableAnswer(forwarding.what, `refuses the gateway (status ${status})`);
    }
    if (request.method === 'HEAD' || status === 204 || status === 304) {
      answer.resume();
      return { status, headers: passed, body: Readable.from([]) };
    }
    const trailers =
      headers['transfer-encoding'] === undefined ? undefined : () => passingTrailers(answer.trailers);
    const body = filtered(answer, status, passed, forwarding);
    return { status, headers: passed, body, ...(trailers ? { trailers } : {}) };
  } catch (error) {
    answer.destroy();
    throw error;
  }
}

/** Places in the gateway's own terms; `undefined` when the client is sent to where it can't get. */
function withPlaces(
  headers: Headers,
  { base, rest, status }: { base: URL; rest: string; status: number },
): Headers | undefined {
  // One on standby, with the address of another.
  if (headers['refresh'] !== undefined) return undefined;
  for (const name of ['location', 'content-location']) {
    const value = headers[name];
    if (typeof value !== 'string') continue;
    const place = placeForClient(value, { base, rest });
    if (place !== undefined) headers[name] = place;
    else if (name === 'location' && status >= 300 && status < 400) return undefined;
    else delete headers[name];
  }
  return headers;
}

function filtered(
  answer: IncomingMessage,
  status: number,
  headers: Headers,
  { filter, what }: Forwarding,
): Readable {
  const through = filter?.({ status, contentType: answer.headers['content-type'] ?? '' });
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
