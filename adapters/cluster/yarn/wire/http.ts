import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Agent, errors, request } from 'undici';
import { TimedOut, Unreachable, UnusableAnswer } from '../../../../lib/index.js';

export interface HttpCall {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Names the other side in errors. */
  readonly what: string;
}

/** Redirects are answers too: who follows them decides where to. */
export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
}

export interface HttpStream {
  readonly status: number;
  header(name: string): string | undefined;
  /** Read it to its end, or destroy it. */
  readonly body: Readable;
}

/** Rejects with `Unreachable`, `TimedOut`, `UnusableAnswer`, or the reason of the signal. */
export interface HttpClient {
  ask(url: string, call: HttpCall): Promise<HttpAnswer>;
  open(url: string, call: HttpCall): Promise<HttpStream>;
  /** Ends its connections; calls that are under way fail. */
  close(): Promise<void>;
}

export interface HttpLimits {
  /** Connections to one address; calls beyond wait for one. */
  readonly connections: number;
  /** Until connected, until the answer begins, and between two pieces of it, milliseconds. */
  readonly patienceMillis: number;
  /** Of one answer that is held as a whole, bytes. */
  readonly answerBytes: number;
}

/** Connections of one kind, apart from others: those that hang take no place from calls to somebody else. */
export function createHttpClient({ connections, patienceMillis, answerBytes }: HttpLimits): HttpClient {
  const dispatcher = new Agent({
    connections,
    connect: { timeout: patienceMillis },
    headersTimeout: patienceMillis,
    bodyTimeout: patienceMillis,
  });

  async function open(url: string, { method = 'GET', headers = {}, body, signal, what }: HttpCall) {
    try {
      const answer = await request(url, {
        dispatcher,
        method,
        headers,
        body: body ?? null,
        ...(signal ? { signal } : {}),
      });
      return {
        status: answer.statusCode,
        header: (name: string) => headerOf(answer.headers, name),
        body: answer.body,
      };
    } catch (error) {
      throw failure(error, what, signal);
    }
  }

  return {
    open,
    async ask(url, call) {
      const { body, ...answer } = await open(url, call);
      try {
        return { ...answer, text: await textOf(body, answerBytes, call.what) };
      } catch (error) {
        throw failure(error, call.what, call.signal);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

async function textOf(body: Readable, maxBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) throw new UnusableAnswer(what, `answered with more than ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function failure(error: unknown, what: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof UnusableAnswer) return error;
  const isLate =
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError;
  return isLate ? new TimedOut(what) : new Unreachable(what, error);
}
