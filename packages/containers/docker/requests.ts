import { Agent, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { owned, Silence } from 'headgate/driver-kit';
import type { RuntimeAddress } from './address.js';

export interface RequestCall {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Until the answer begins, and between two pieces of it. Default: the limit for plain questions. */
  readonly timeoutMillis?: number;
}

/** Sends requests over connections that are kept, to one runtime. */
interface Requests {
  /** Resolves when the answer begins. */
  send(path: string, call: RequestCall): Promise<IncomingMessage>;
  close(): void;
}

export function createRequests(address: RuntimeAddress, usualMillis: number): Requests {
  // Pulls, stops and commands take minutes: what the watch asks never waits for them.
  const questions = new Agent({ maxSockets: 16 });
  const orders = new Agent({ maxSockets: 64 });

  return {
    send(path, { method = 'GET', body, headers, signal, timeoutMillis = usualMillis }) {
      const text = body === undefined || body instanceof Readable ? undefined : JSON.stringify(body);
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
              ...headers,
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
        if (body instanceof Readable) pipeline(body, req).catch(reject);
        else req.end(text);
      });
    },

    close() {
      questions.destroy();
      orders.destroy();
    },
  };
}
