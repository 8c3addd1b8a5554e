import { answerText, ContainerFailed, callFailure, UnusableAnswer } from 'headgate/driver-kit';
import * as z from 'zod';
import type { RuntimeAddress } from './address.js';
import type { DockerLimits } from './options.js';
import { createRequests, type RequestCall } from './requests.js';

interface Call extends RequestCall {
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
  const requests = createRequests(address, limits.timeoutMillis);

  async function answer(path: string, call: Call): Promise<{ status: number; text: string }> {
    call.signal?.throwIfAborted();
    try {
      const res = await requests.send(path, call);
      const text = await answerText(res, limits.answerBytes, what);
      return { status: res.statusCode ?? 0, text };
    } catch (error) {
      throw callFailure(error, { signal: call.signal, what });
    }
  }

  return {
    async ask(path, schema, call = {}) {
      const { status, text } = await answer(path, call);
      if (status === 404) return undefined;
      requireFine(what, status, text, call.fine);
      const read = schema.safeParse(parsed(text));
      if (read.success) return read.data;
      throw new UnusableAnswer(what, 'answered with something else than was asked for', {
        cause: read.error,
      });
    },
    async order(path, call = {}) {
      const { status, text } = await answer(path, { method: 'POST', ...call });
      requireFine(what, status, text, call.fine);
      return status;
    },
    async *stream(path, call = {}) {
      call.signal?.throwIfAborted();
      try {
        const res = await requests.send(path, call);
        const status = res.statusCode ?? 0;
        if (status >= 300) requireFine(what, status, await answerText(res, limits.answerBytes, what));
        for await (const piece of res) yield Buffer.from(piece);
      } catch (error) {
        throw callFailure(error, { signal: call.signal, what });
      }
    },
    close: requests.close,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requireFine(what: string, status: number, text: string, fine: readonly number[] = []): void {
  if ((status >= 200 && status < 300) || fine.includes(status)) return;
  const said = Message.safeParse(parsed(text));
  if (!said.success) throw new UnusableAnswer(what, `answered with status ${status}`);
  throw new ContainerFailed(`The container runtime says: ${said.data.message.trim()}`);
}
