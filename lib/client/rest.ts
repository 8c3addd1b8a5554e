import type { Reply } from '../http/reply.js';
import type { Method } from '../http/route.js';
import type { Cookies } from './cookies.js';
import { ClientError, errorOf } from './error.js';

/** What must be known of an operation to call it. Its schemas stay with the gateway, which checks what it is sent. */
export interface Operation {
  readonly method: Method;
  /** Parameters in braces, as in the route. */
  readonly path: string;
  /** How a body is sent; absent where none is taken. Whatever is no JSON goes as the bytes that it is. */
  readonly body?: { readonly isJson: boolean; readonly contentType: string };
  readonly reply: Reply<unknown>['kind'];
}

/** What is wrong with a JSON answer of that operation; empty when it is as documented. */
export type ReplyCheck = (
  operation: string,
  answer: unknown,
) => readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface RestOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly cookies: Cookies;
  readonly fetch: Fetch;
  readonly checkReplies?: ReplyCheck | undefined;
}

/** A call as the types of `RestClient` let through. */
interface AnyCall {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** One call: the same for every operation. */
export async function callOperation(
  options: RestOptions,
  id: string,
  operation: Operation,
  call: AnyCall,
): Promise<unknown> {
  const { reply } = operation;
  const what = nameOf(operation);
  const response = await responseTo(options, operation, call);
  if (comesAsResponse(reply, response)) return response;
  const value = await response.json().catch((cause: unknown) => {
    throw new ClientError(response.status, 'UNEXPECTED_REPLY', `${what}: the answer is not JSON`, { cause });
  });
  if (reply === 'empty') return undefined;
  const problems = options.checkReplies?.(id, value) ?? [];
  if (problems.length > 0) throw undocumented(problems, response, what);
  return value;
}

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

/** Where an operation is asked, for what the browser opens by itself: a link, a picture. */
export const urlFor = (
  { baseUrl }: Pick<RestOptions, 'baseUrl'>,
  { path }: Operation,
  call: AnyCall,
): string => baseUrl + pathOf(path, fields(call.params)) + searchOf(fields(call.query));

/** The answer as it was sent. Rejects with what the gateway refused it for. */
export async function responseTo(
  options: RestOptions,
  operation: Operation,
  call: AnyCall,
): Promise<Response> {
  const url = urlFor(options, operation, call);
  const what = nameOf(operation);
  const response = await send(options, url, requestOf(options, operation, call), what);
  options.cookies.store(response.headers);
  if (!response.ok) throw await errorOf(response, what);
  return response;
}

function requestOf(
  options: RestOptions,
  { method, body }: Operation,
  call: AnyCall,
): RequestInit & { duplex?: 'half' } {
  const cookie = options.cookies.header();
  const headers = { ...options.headers(), ...(cookie === undefined ? {} : { cookie }) };
  const init = { method, ...(call.signal ? { signal: call.signal } : {}) };
  if (body === undefined || call.body === undefined) {
    return { ...init, headers: { ...headers, ...call.headers } };
  }
  return {
    ...init,
    headers: { ...headers, 'content-type': body.contentType, ...call.headers },
    body: body.isJson ? JSON.stringify(call.body) : uploadOf(call.body),
    // A stream is sent while it is made; `fetch` wants to hear that the answer comes afterwards.
    duplex: 'half',
  };
}

async function send(options: RestOptions, url: string, init: RequestInit, what: string): Promise<Response> {
  try {
    return await options.fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    const from = options.baseUrl || 'where the page is from';
    throw new ClientError(0, 'UNREACHABLE', `${what}: no answer from ${from}${reasonOf(cause)}`, { cause });
  }
}

/** Why there was none. Node says it in the cause of an error that itself says nothing; browsers do not say it. */
function reasonOf(failure: unknown): string {
  const cause = failure instanceof Error ? failure.cause : undefined;
  if (!(cause instanceof Error)) return '';
  // Of several addresses that were tried there is no message.
  return `: ${cause.message || ('code' in cause ? String(cause.code) : cause.name)}`;
}

/** Texts and files, to be read as a stream or whole; and of what may be either, what is no JSON. */
function comesAsResponse(reply: Operation['reply'], response: Response): boolean {
  if (reply !== 'either') return reply === 'text' || reply === 'file' || reply === 'passthrough';
  return !(response.headers.get('content-type')?.startsWith('application/json') ?? false);
}

function undocumented(problems: ReturnType<ReplyCheck>, response: Response, what: string): ClientError {
  const [first] = problems;
  const place = [what, ...(first?.path.map(String) ?? [])].join(' ');
  const message = `${place}: ${first?.message ?? 'not as documented'}`;
  return new ClientError(response.status, 'UNEXPECTED_REPLY', message, {
    details: problems,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
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
  if (body instanceof Blob) return body;
  if (!(body instanceof ReadableStream || isAsyncIterable(body))) {
    throw new ClientError(0, 'INVALID_CALL', 'The body is neither text nor bytes nor a stream of bytes');
  }
  if (!sendsStreams()) {
    throw new ClientError(
      0,
      'INVALID_CALL',
      'This browser sends no streams: give the body as a Blob or a File',
    );
  }
  if (body instanceof ReadableStream) return body;
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

/** Not every browser does: one takes a stream for an object and would send its name, another refuses to send it. */
function sendsStreams(): boolean {
  let isAsked = false;
  const init = {
    method: 'POST',
    body: new ReadableStream(),
    get duplex(): 'half' {
      isAsked = true;
      return 'half';
    },
  };
  const isText = new Request('http://localhost', init).headers.has('content-type');
  return isAsked && !isText;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
