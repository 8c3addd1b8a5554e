import { Agent, type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  answerText,
  ContainerFailed,
  callFailure,
  owned,
  Silence,
  UnusableAnswer,
} from 'headgate/driver-kit';
import { z } from 'zod';
import type { RuntimeAddress } from './address.js';
import type { DockerLimits } from './options.js';

interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Until the answer begins, and between two pieces of it. Default: the limit for plain questions. */
  readonly timeoutMillis?: number;
  /** Answers beside 2xx that are none of the errors below. */
  readonly fine?: readonly number[];
}

/**
 * The runtime's HTTP API, in the newest version that it speaks. Rejects with `Unreachable`, `TimedOut`,
 * `UnusableAnswer`, with `ContainerFailed` and what the runtime says, or with the reason of the signal.
 */
export interface Http {
  /** `undefined` when the answer is 404. */
  ask<T>(path: string, schema: z.ZodType<T>, call?: Call): Promise<T | undefined>;
  /** Resolves the status. */
  order(path: string, call?: Call): Promise<number>;
  /** What comes, piece by piece. */
  stream(path: string, call?: Call): AsyncIterable<Buffer>;
  close(): void;
}

const Message = z.object({ message: z.string() });

export function createHttp(address: RuntimeAddress, limits: DockerLimits): Http {
  const what = `The container runtime at ${address.url}`;
  // Pulls, stops and commands take minutes: what the watch asks never waits for them.
  const questions = new Agent({ maxSockets: 16 });
  const orders = new Agent({ maxSockets: 64 });

  function send(path: string, call: Call): Promise<IncomingMessage> {
    const { method = 'GET', body, signal, timeoutMillis = limits.timeoutMillis } = call;
    const isStream = body !== undefined && 'pipe' in body;
    const text = body === undefined || isStream ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const req = owned(
        request({
          ...address.connection,
          agent: method === 'GET' ? questions : orders,
          method,
          path,
          headers: {
            host: 'localhost',
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
            ...call.headers,
          },
        }),
      );
      const abort = () => req.destroy(new Error('aborted'));
      signal?.addEventListener('abort', abort);
      req.once('close', () => signal?.removeEventListener('abort', abort));
      let waited: { destroy(error: Error): unknown } = req;
      req.setTimeout(timeoutMillis, () => waited.destroy(new Silence()));
      req.on('error', reject);
      req.once('response', (res) => {
        waited = res;
        res.on('error', () => {});
        resolve(res);
      });
      // Who sends an archive learns from the answer why the runtime does not want the rest of it.
      if (isStream) pipeline(body as Readable, req).catch(reject);
      else req.end(text);
    });
  }

  async function answer(path: string, call: Call): Promise<{ status: number; text: string }> {
    call.signal?.throwIfAborted();
    try {
      const res = await send(path, call);
      const text = await answerText(res, limits.answerBytes, what);
      return { status: res.statusCode ?? 0, text };
    } catch (error) {
      throw callFailure(error, { signal: call.signal, what });
    }
  }

  function requireFine(status: number, text: string, fine: readonly number[] = []): void {
    if ((status >= 200 && status < 300) || fine.includes(status)) return;
    const said = Message.safeParse(parsed(text));
    if (!said.success) throw new UnusableAnswer(what, `answered with status ${status}`);
    throw new ContainerFailed(`The container runtime says: ${said.data.message.trim()}`);
  }

  return {
    async ask(path, schema, call = {}) {
      const { status, text } = await answer(path, call);
      if (status === 404) return undefined;
      requireFine(status, text, call.fine);
      const read = schema.safeParse(parsed(text));
      if (read.success) return read.data;
      throw new UnusableAnswer(what, 'answered with something else than was asked for', {
        cause: read.error,
      });
    },
    async order(path, call = {}) {
      const { status, text } = await answer(path, { method: 'POST', ...call });
      requireFine(status, text, call.fine);
      return status;
    },
    async *stream(path, call = {}) {
      call.signal?.throwIfAborted();
      try {
        const res = await send(path, call);
        const status = res.statusCode ?? 0;
        if (status >= 300) requireFine(status, await answerText(res, limits.answerBytes, what));
        for await (const piece of res) yield Buffer.from(piece);
      } catch (error) {
        throw callFailure(error, { signal: call.signal, what });
      }
    },
    close() {
      questions.destroy();
      orders.destroy();
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
