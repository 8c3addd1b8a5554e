import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type Container,
  GatewayError,
  type LogInfo,
  type OpenLog,
  owned,
  queueingSemaphore,
  TimedOut,
  TooManyRequests,
  Unreachable,
  UnusableAnswer,
} from 'headgate/driver-kit';
import type { CliLimits, CliOptions } from '../commands/cli.js';
import { commandPath, type Run, run } from '../commands/run.js';
import { copyToDisk } from './log-copy.js';
import { named } from './log-places.js';
import { createLogSplitter, type LogSplitter, type SplitLog } from './log-splitter.js';

/**
 * Logs that the node managers handed in when the application ended: files of a form of Hadoop's own, which its command
 * `yarn logs` prints. Logs of ended containers do not change, so that lists are remembered.
 */
export interface AggregatedLogs {
  /** Empty when there are none (any more, or yet). */
  list(of: LogOwner, container: Container, signal?: AbortSignal): Promise<readonly LogInfo[]>;
  /** `undefined`: there is no such log. */
  open(
    of: LogOwner,
    container: Container,
    logName: string,
    signal?: AbortSignal,
  ): Promise<OpenLog | undefined>;
}

interface LogOwner {
  readonly appId: string;
  /** Who runs the application. */
  readonly user: string;
}

const name = "Hadoop's command yarn";
const maxLists = 1000;
/** How it says that there is nothing, in several versions. */
const nothing =
  /can ?not find the logs|any log files|not available|not present|has not completed or is not enabled|unable to get ApplicationState/i;

interface AggregatedLogDeps {
  readonly command: CliOptions;
  readonly limits: CliLimits;
  /** Who asks; `undefined`: whoever its own login says. */
  readonly user: string | undefined;
  readonly maxBytes: number;
  readonly tooLarge: (logName: string) => Error;
}

export function createAggregatedLogs(deps: AggregatedLogDeps): AggregatedLogs {
  const { limits } = deps;
  const limited = queueingSemaphore(
    { permits: limits.commands, queue: limits.waitingCommands },
    () => new TooManyRequests('Too many logs of ended applications are being read; try again', 10),
  );
  const lists = new Map<string, readonly LogInfo[]>();

  /** Reads it with `consume`, which gets the content of the logs; resolves which there were. */
  const read = (
    of: LogOwner,
    container: Container,
    consume: (content: AsyncIterable<LogPiece>) => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<readonly SplitLog[]> =>
    limited(async () => {
      const home = await mkdtemp(join(tmpdir(), 'headgate-yarn-'));
      const splitter = createLogSplitter();
      try {
        const ended = await print(
          deps,
          of,
          container,
          home,
          (stdout) => consume(piecesIn(stdout, splitter)),
          signal,
        );
        if (ended.isLate) throw new TimedOut(name);
        const said = `${splitter.remarks}${ended.stderr}`;
        const details = { output: said.slice(-4000) };
        if (splitter.logs.length > 0) return splitter.logs;
        if (ended.code === null) throw new UnusableAnswer(name, 'was killed', { details });
        if (ended.code !== 0 && !nothing.test(said))
          throw new UnusableAnswer(name, `ended with code ${ended.code}`, { details });
        return [];
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    }, signal);

  return {
    async list(of, container, signal) {
      const known = lists.get(container.id);
      if (known) return known;
      const found = named(await read(of, container, drain, signal));
      // None yet is not none for ever.
      if (found.length > 0) lists.set(container.id, found);
      const [oldest] = lists.keys();
      if (lists.size > maxLists && oldest !== undefined) lists.delete(oldest);
      return found;
    },

    async open(of, container, logName, signal) {
      let copy: OpenLog | undefined;
      try {
        const logs = await read(
          of,
          container,
          async (pieces) => {
            const content = owned(Readable.from(contentOf(pieces, logName), { objectMode: false }));
            copy = await copyToDisk(content, deps.maxBytes, () => deps.tooLarge(logName));
          },
          signal,
        );
        const log = logs.find((one) => one.name === logName);
        if (copy && log && copy.length < log.length)
          throw new UnusableAnswer(name, 'was ended in the middle');
        if (copy && log) return copy;
      } catch (error) {
        await copy?.close();
        throw error;
      }
      await copy?.close();
      return undefined;
    },
  };
}

/** What is printed, until `read` returns. */
async function print(
  { command, limits, user: asker }: AggregatedLogDeps,
  { appId, user }: LogOwner,
  { id, host }: Container,
  home: string,
  read: (stdout: Readable) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Run> {
  // Before 2.8 it has to be told where the container ran.
  const node = /^[^\s:]+:\d{1,5}$/.test(host) ? ['-nodeAddress', host] : [];
  const words = ['logs', '-applicationId', appId, '-containerId', id, ...node, '-appOwner', user];
  return run({
    command: command.command,
    arguments: [...(command.arguments ?? []), ...words],
    environment: {
      PATH: commandPath,
      ...command.environment,
      HOME: home,
      ...(asker === undefined ? {} : { HADOOP_USER_NAME: asker }),
    },
    directory: home,
    timeoutMillis: limits.commandMillis,
    outputBytes: 16 * 1024,
    signal,
    consume: read,
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error instanceof GatewayError ? error : new Unreachable(name, error);
  });
}

interface LogPiece {
  readonly log: SplitLog;
  readonly bytes: Buffer;
}

async function* piecesIn(stdout: Readable, splitter: LogSplitter): AsyncGenerator<LogPiece> {
  for await (const chunk of stdout) yield* splitter.split(Buffer.from(chunk));
  if (!splitter.isBetween) throw new UnusableAnswer(name, 'was ended in the middle');
}

async function drain(pieces: AsyncIterable<LogPiece>): Promise<void> {
  for await (const _ of pieces);
}

/** Of the first log of this name: what comes after it is not waited for. */
async function* contentOf(pieces: AsyncIterable<LogPiece>, logName: string): AsyncGenerator<Buffer> {
  let found: SplitLog | undefined;
  let left = 0;
  for await (const { log, bytes } of pieces) {
    if (log.name !== logName || (found && found !== log)) continue;
    left = (found ? left : log.length) - bytes.length;
    found = log;
    yield bytes;
    if (left === 0) return;
  }
}
