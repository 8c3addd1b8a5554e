import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

/** The server that is measured, in a process of its own; this one is its client. */
export interface Measured {
  /** Resolves what was answered. */
  post(path: string, file: string, status?: number): Promise<string>;
  postJson(path: string, body: unknown): Promise<void>;
  /** Resolves how many bytes came. */
  get(path: string): Promise<number>;
  /** Where a package is. */
  packagePath(name: string): string;
  /** How long its event loop stood at the longest meanwhile (ms). */
  watched(work: () => Promise<unknown>): Promise<number>;
  /** The clock and its processor time meanwhile (ms). */
  timed(work: () => Promise<unknown>): Promise<Spent>;
  /** Its memory before, and the most it had meanwhile (MB). */
  weighed(work: () => Promise<unknown>): Promise<{ before: number; peak: number }>;
  close(): Promise<void>;
}

export interface Spent {
  readonly clock: number;
  readonly processor: number;
}

export const packages = '/ws/v2/appPackages';

export async function startServer(directory: string): Promise<Measured> {
  const server = fork(new URL('./server.js', import.meta.url), [directory]);
  const [{ port }] = await once(server, 'message');
  const profile = await fetch(`http://127.0.0.1:${port}/ws/v2/profile/user`);
  const { userName } = z.object({ userName: z.string() }).parse(await profile.json());

  async function ask(order: string): Promise<unknown> {
    server.send(order);
    const [answer] = await once(server, 'message');
    return answer;
  }

  const started = (method: string, path: string, headers: Record<string, string | number> = {}) =>
    request({ port, host: '127.0.0.1', path, method, headers });

  return {
    async post(path, file, status = 200) {
      const { size } = await stat(file);
      const sending = started('POST', path, { 'content-length': size });
      const answered = once(sending, 'response');
      // A refused upload may be cut off behind its answer.
      const sent = pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), sending);
      sent.catch(() => {});
      const [response] = await answered;
      const answer = await textOf(response);
      if (response.statusCode !== status)
        throw new Error(`${path} answered ${response.statusCode}: ${answer}`);
      return answer;
    },
    async postJson(path, body) {
      const sending = started('POST', path, { 'content-type': 'application/json' });
      sending.end(JSON.stringify(body));
      const [response] = await once(sending, 'response');
      const answer = await textOf(response);
      if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${answer}`);
    },
    async get(path) {
      const [response]: IncomingMessage[] = await once(started('GET', path).end(), 'response');
      let bytes = 0;
      response?.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      if (response) await once(response, 'end');
      if (response?.statusCode !== 200) throw new Error(`${path} answered ${response?.statusCode}`);
      return bytes;
    },
    packagePath: (name) => `${packages}/${encodeURIComponent(userName)}/${name}/1.0.0`,
    async watched(work) {
      await ask('watch');
      await work();
      return Number(await ask('watched'));
    },
    async timed(work) {
      const before = Number(await ask('processor'));
      const clock = await timed(work);
      return { clock, processor: Number(await ask('processor')) - before };
    },
    async weighed(work) {
      const before = Number(await ask('weigh'));
      await work();
      return { before, peak: Number(await ask('weighed')) };
    },
    async close() {
      const exited = once(server, 'exit');
      server.disconnect();
      await exited;
    },
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
