import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { YarnCluster } from './cluster.js';

/** What a part of the cluster answered: data for the double to be held against. */
export interface Recorded {
  readonly request: string;
  readonly body?: unknown;
  readonly status: number;
  /** Only those that a client has to look at. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON; cut when it is a long text. */
  readonly answer: unknown;
}

export interface RecordedCommand {
  readonly command: string;
  readonly exit: number;
  readonly out: string;
  readonly error: string;
}

const kept = ['content-type', 'location', 'content-range', 'accept-ranges', 'refresh'];

export interface Recorder {
  /** Asks, and keeps the answer under the name. Resolves the answer. */
  ask(
    name: string,
    url: string,
    init?: { method?: string; body?: unknown; range?: string },
  ): Promise<unknown>;
  command(name: string, text: string): Promise<string>;
  /** Writes `<directory>/<part>.json` for every part that was asked. */
  save(directory: string): Promise<void>;
}

/** Names are `<part>/<what>`: one file for each part. */
export function recorder(cluster: YarnCluster): Recorder {
  const parts = new Map<string, Record<string, unknown>>();
  const keep = (name: string, value: unknown) => {
    const [part = '', ...rest] = name.split('/');
    const file = parts.get(part) ?? {};
    file[rest.join('/')] = value;
    parts.set(part, file);
  };
  const general = anonymous(cluster);

  return {
    async ask(name, url, { method = 'GET', body, range } = {}) {
      const {
        status,
        headers: all,
        text,
      } = await exchange(url, method, {
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(range === undefined ? {} : { range }),
      });
      const headers = Object.fromEntries(Object.entries(all).filter(([key]) => kept.includes(key)));
      const json = headers['content-type']?.includes('json') && text !== '';
      keep(name, {
        request: `${method} ${general(new URL(url).pathname + new URL(url).search)}`,
        ...(body === undefined ? {} : { body }),
        status,
        headers: JSON.parse(general(JSON.stringify(headers))),
        answer: json ? shortened(JSON.parse(general(text))) : general(cut(text)),
      });
      return json ? JSON.parse(text) : text;
    },
    command(name, line) {
      return new Promise((resolve) => {
        const env = { ...process.env, HOME: join(cluster.directory, 'home') };
        execFile(cluster.apex, ['-r', '-e', line], { env }, (error, out, errors) => {
          const exit = typeof error?.code === 'number' ? error.code : 0;
          const recorded: RecordedCommand = {
            command: general(line),
            exit,
            out: general(cut(out)),
            error: general(cut(errors)),
          };
          keep(name, recorded);
          resolve(out);
        });
      });
    },
    async save(directory) {
      await mkdir(directory, { recursive: true });
      for (const [part, answers] of parts)
        await writeFile(join(directory, `${part}.json`), `${JSON.stringify(answers, null, 2)}\n`);
    },
  };
}

/** Not `fetch`: a data node says 100 (Continue) to a PUT without being asked, which is an error to it. */
async function exchange(url: string, method: string, { body, range }: { body?: string; range?: string }) {
  const headers = {
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...(range === undefined ? {} : { range }),
  };
  const sent = request(url, { method, headers });
  sent.end(body);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode ?? 0, headers: reply.headers, text: await text(reply) };
}

/** Ten of a thousand settings tell how they look. */
const shortened = (answer: { readonly properties?: unknown }) =>
  Array.isArray(answer.properties) ? { properties: answer.properties.slice(0, 10) } : answer;

const cut = (text: string) =>
  text.length > 6000 ? `${text.slice(0, 5000)}\n[...]\n${text.slice(-1000)}` : text;

/** Ports and directories of this one run become names. */
function anonymous(cluster: YarnCluster): (text: string) => string {
  const ports = new Map(Object.entries(cluster.ports).map(([name, port]) => [String(port), name]));
  return (text) =>
    text
      .replaceAll(/localhost:(\d+)/g, (whole, port) => (ports.has(port) ? `{${ports.get(port)}}` : whole))
      .replaceAll(cluster.directory, '{directory}')
      .replaceAll(cluster.directory.replaceAll('/', '\\/'), '{directory}');
}
