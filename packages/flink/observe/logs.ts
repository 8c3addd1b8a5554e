import { Readable } from 'node:stream';
import { collectionOf } from '@headgate/history';
import {
  type CallOptions,
  type HttpStream,
  type LogInfo,
  type LogReader,
  NotFound,
  type OpenLog,
  owned,
  UnusableAnswer,
} from 'headgate/driver-kit';
import type { JobManagerClient } from '../rest/client.js';
import { logPath, type Resources } from '../rest/resources.js';
import { processPathOf } from './containers.js';

/**
 * Logs of the JobManager and of task managers, which write for all jobs that are in them. The REST API gives a log as a whole and in no
 * other way: what stands before the wanted part goes by. Those of a task manager that is lost are lost with it.
 */
export function createLogReader(deps: {
  readonly client: JobManagerClient;
  readonly resources: Pick<Resources, 'logs'>;
  /** Container to whether it runs, of the job. */
  readonly containers: () => Promise<ReadonlyMap<string, boolean>>;
}): LogReader {
  const { client, resources } = deps;

  const pathOf = async (containerId: string) => processPathOf(await deps.containers(), containerId);

  async function list(containerId: string): Promise<LogInfo[]> {
    const path = await pathOf(containerId);
    if (path === undefined) return [];
    const { logs } = await resources.logs.get(path);
    return logs.map(({ name, size }) => ({ name, length: size }));
  }

  return {
    list,
    async open(containerId, logName, options) {
      const path = await pathOf(containerId);
      const listed = (await list(containerId)).find(({ name }) => name === logName);
      if (path === undefined || !listed) throw new NotFound('log', logName);
      return openLog(client, logPath(path, logName), listed.length, options);
    },
    collectionOf,
  };
}

async function openLog(
  client: JobManagerClient,
  path: string,
  listed: number,
  { signal }: CallOptions = {},
): Promise<OpenLog> {
  signal?.throwIfAborted();
  const closing = new AbortController();
  const first = await client.open(path, closing.signal);
  const told = Number(first.header('content-length') ?? Number.NaN);
  const length = Number.isSafeInteger(told) ? told : listed;
  /** What was opened to be measured is read by whoever reads first. */
  let unread: HttpStream | undefined = first;

  async function* bytes(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (start >= end) return;
    const stream = unread ?? (await client.open(path, closing.signal));
    unread = undefined;
    let at = 0;
    for await (const chunk of stream.pieces()) {
      const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
      at += chunk.length;
      if (part.length > 0) yield part;
      if (at >= end) break;
    }
    if (at < end) throw new UnusableAnswer('The JobManager', 'cut the log short: it began anew meanwhile');
  }

  return {
    length,
    read: (start, end) => owned(Readable.from(bytes(start, end), { objectMode: false })),
    async close() {
      closing.abort();
      unread?.body.destroy();
    },
  };
}
