import {
  Forbidden,
  GatewayError,
  type HttpAnswer,
  type HttpCall,
  type HttpClient,
  type HttpStream,
  UnusableAnswer,
} from 'headgate/driver-kit';
import * as z from 'zod';
import { readAnswer } from '../wire/json.js';
import { NoSpace, saysNoSpace } from '../wire/no-space.js';
import type { ClusterFiles } from './cluster-files.js';

const name = 'The file system of the cluster';

const Statuses = z.object({
  FileStatuses: z.object({
    FileStatus: z.array(
      z.object({
        pathSuffix: z.string(),
        type: z.string(),
        length: z.number(),
        modificationTime: z.number(),
      }),
    ),
  }),
});
const Done = z.object({ boolean: z.boolean() });
const Failed = z.object({ RemoteException: z.object({ exception: z.string(), message: z.string() }) });

interface NameNodes {
  readonly urls: readonly string[];
  /** Who asks, on a cluster without security; `undefined`: requests prove that themselves. */
  readonly user: string | undefined;
  readonly http: HttpClient;
}

/** The cluster's file system over WebHDFS. With several name nodes the one that is active is found by asking. */
export function webHdfs(
  deps: NameNodes & {
    /** Data nodes are sent to with a token in the URL. */
    readonly dataNodes: HttpClient;
  },
): ClusterFiles {
  const { http, dataNodes } = deps;
  const ask = nameNodes(deps);

  async function open(path: string, signal: AbortSignal | undefined): Promise<HttpStream | undefined> {
    // Without a length: that of a file which is being written is behind what can be read.
    const sent = await ask(path, 'OPEN', { signal });
    if (sent.status === 404) return undefined;
    const target = sent.header('location');
    if (sent.status !== 307 || target === undefined) throw refusal(sent, path);
    const answer = await dataNodes.open(target, { signal, what: name });
    if (answer.status === 200) return answer;
    answer.body.destroy();
    if (answer.status === 404) return undefined;
    throw new UnusableAnswer(name, `answered with status ${answer.status}`);
  }

  return {
    async list(path, signal) {
      const answer = await ask(path, 'LISTSTATUS', { signal });
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw refusal(answer, path);
      const { FileStatuses } = readAnswer(Statuses, answer.text, name);
      return FileStatuses.FileStatus.map((entry) => ({
        name: entry.pathSuffix,
        isFolder: entry.type === 'DIRECTORY',
        length: entry.length,
        modifiedAt: entry.modificationTime,
      }));
    },

    async readText(path, signal) {
      const sent = await ask(path, 'OPEN', { signal });
      if (sent.status === 404) return undefined;
      const target = sent.header('location');
      if (sent.status !== 307 || target === undefined) throw refusal(sent, path);
      const answer = await dataNodes.ask(target, { signal, what: name });
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw refusal(answer, path);
      return answer.text;
    },

    async *stream(path, signal) {
      const answer = await open(path, signal);
      if (answer) yield* answer.pieces();
    },

    async writeText(path, text, signal) {
      const sent = await ask(path, 'CREATE', { method: 'PUT', signal }, { overwrite: 'true' });
      const target = sent.header('location');
      if (sent.status !== 307 || target === undefined) throw refusal(sent, path);
      const answer = await dataNodes.ask(target, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: text,
        signal,
        what: name,
      });
      if (answer.status >= 300) throw refusal(answer, path);
    },

    async remove(path, signal) {
      const answer = await ask(path, 'DELETE', { method: 'DELETE', signal }, { recursive: 'true' });
      if (answer.status === 404) return false;
      if (answer.status !== 200) throw refusal(answer, path);
      return readAnswer(Done, answer.text, name).boolean;
    },

    close: async () => http.close(),
  };
}

/** Asks for the first answer that is not of a standby: of the file system, or the way to a data node. */
function nameNodes({ urls, user, http }: NameNodes) {
  let active = urls[0] ?? '';

  const urlOf = (base: string, path: string, op: string, more: Readonly<Record<string, string>>) =>
    `${base}/webhdfs/v1${path.split('/').map(encodeURIComponent).join('/')}?${new URLSearchParams({ op, ...more, ...(user === undefined ? {} : { 'user.name': user }) })}`;

  return async function ask(
    path: string,
    op: string,
    call: Pick<HttpCall, 'method' | 'signal'>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    let problem: unknown;
    for (const base of [active, ...urls.filter((url) => url !== active)]) {
      try {
        const answer = await http.ask(urlOf(base, path, op, more), { ...call, what: name });
        if (answer.status === 403 && exceptionOf(answer)?.exception === 'StandbyException') {
          problem = new UnusableAnswer(name, 'has no active name node');
          continue;
        }
        active = base;
        return answer;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        problem = error;
      }
    }
    throw problem;
  };
}

function exceptionOf({ text }: HttpAnswer) {
  try {
    return Failed.safeParse(JSON.parse(text)).data?.RemoteException;
  } catch {
    return undefined;
  }
}

/** The path is the cluster's business, and in the log; what it says is for who asked. */
function refusal(answer: HttpAnswer, path: string): GatewayError {
  const told = exceptionOf(answer);
  if (told?.exception === 'AccessControlException')
    return new Forbidden('The gateway may not do this in the file system of the cluster', { path });
  if (told?.exception === 'SafeModeException')
    return new UnusableAnswer(name, 'is in safe mode: it can be read, and not changed');
  const said = `${told?.exception}: ${told?.message}`;
  if (saysNoSpace(said)) return new NoSpace(said.split('\n')[0]?.slice(0, 500) ?? '');
  const cause = new Error(`${answer.status} for ${path}: ${told?.exception} ${told?.message}`);
  return new UnusableAnswer(name, `answered with status ${answer.status}`, { cause });
}
