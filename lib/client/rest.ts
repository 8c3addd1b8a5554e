import type { ZodType } from 'zod';
import type { Route } from '../http/route.js';
import type { Cookies } from './cookies.js';
import { ClientError, errorOf } from './error.js';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface RestOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly cookies: Cookies;
  readonly fetch: Fetch;
  readonly checkReplies: boolean;
}

/** A call as the types of `RestClient` let through. */
interface AnyCall {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** One call of one route: the same for every operation. */
export async function callRoute(options: RestOptions, route: Route<never>, call: AnyCall): Promise<unknown> {
  const url = options.baseUrl + pathOf(route.path, fields(call.params)) + searchOf(fields(call.query));
  const what = `${route.method} ${route.path}`;
  const response = await send(options, url, requestOf(options, route, call), what);
  options.cookies.store(response.headers);
  if (!response.ok) throw await errorOf(response, what);
  return answerOf(options, route, response, what);
}

function requestOf(
  options: RestOptions,
  route: Route<never>,
  call: AnyCall,
): RequestInit & { duplex?: 'half' } {
  const cookie = options.cookies.header();
  const headers = { ...options.headers(), ...(cookie === undefined ? {} : { cookie }) };
  const init = { method: route.method, ...(call.signal ? { signal: call.signal } : {}) };
  if (route.body === undefined || call.body === undefined) {
    return { ...init, headers: { ...headers, ...call.headers } };
  }
  const [first] = route.body.contentTypes;
  const contentType = first === undefined || first === '*' ? 'application/octet-stream' : first;
  return {
    ...init,
    headers: { ...headers, 'content-type': contentType, ...call.headers },
    body: route.body.kind === 'json' ? JSON.stringify(call.body) : uploadOf(call.body),
    // A stream is sent while it is made; `fetch` wants to hear that the answer comes afterwards.
    duplex: 'half',
  };
}

async function send(options: RestOptions, url: string, init: RequestInit, what: string): Promise<Response> {
  try {
    return await options.fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ClientError(0, 'UNREACHABLE', `${what}: no answer from ${options.baseUrl}`, { cause });
  }
}

async function answerOf(
  options: RestOptions,
  route: Route<never>,
  response: Response,
  what: string,
): Promise<unknown> {
  const { reply } = route;
  if (reply.kind === 'text' || reply.kind === 'file' || reply.kind === 'passthrough') return response;
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (reply.kind === 'either' && !isJson) return response;
  const value = await response.json().catch((cause: unknown) => {
    throw new ClientError(response.status, 'UNEXPECTED_REPLY', `${what}: the answer is not JSON`, { cause });
  });
  if (reply.kind === 'empty') return undefined;
  if (options.checkReplies && reply.schema) checkReply(reply.schema, value, response, what);
  return value;
}

function checkReply(schema: ZodType, value: unknown, response: Response, what: string): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const [issue] = result.error.issues;
  const place = [what, ...(issue?.path.map(String) ?? [])].join(' ');
  throw new ClientError(
    response.status,
    'UNEXPECTED_REPLY',
    `${place}: ${issue?.message ?? 'not as documented'}`,
    {
      details: result.error.issues,
      requestId: response.headers.get('x-request-id') ?? undefined,
    },
  );
}

/** Parameters are encoded as segments; the rest of a path (`{rest...}`) is the caller's own encoding. */
function pathOf(pattern: string, params: Readonly<Record<string, unknown>>): string {
  return pattern.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, rest: string | undefined) => {
    const value = String(params[name] ?? '');
    if (rest) return value;
    // Every URL parser takes dots for a way up, encoded or not: the call would reach something else.
    if (value === '' || value === '.' || value === '..' || loneSurrogate.test(value)) {
      throw new ClientError(
        0,
        'INVALID_CALL',
        `The path parameter ${name} can't be ${JSON.stringify(value)}`,
      );
    }
    return encodeURIComponent(value);
  });
}

const loneSurrogate = /\p{Surrogate}/u;

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

function uploadOf(body: unknown): string | Uint8Array | Blob | ReadableStream {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof Blob || body instanceof ReadableStream) return body;
  if (!isAsyncIterable(body)) {
    throw new ClientError(0, 'INVALID_CALL', 'The body is neither text nor bytes nor a stream of bytes');
  }
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
