import { addAbortSignal, Readable } from 'node:stream';
import { loadPattern } from '../../formats/load-pattern.js';
import { facetOf } from '../../http/capabilities.js';
import { disposition, Text } from '../../http/reply.js';
import type { Call } from '../../http/route.js';
import type { CallOptions } from '../../interfaces/call-options.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { LogReader, OpenLog } from '../../interfaces/logs.js';
import type { Master } from '../../interfaces/master.js';
import type { GcEvent, GcQuery, LogInfo, LogLine, LogQuery } from '../../model/containers.js';
import { BadRequest, NotFound, undefinedIfUnknown } from '../../model/errors.js';
import { mapLimited } from '../../runtime/map-limited.js';
import { owned } from '../../runtime/owned.js';
import type { SliceScheduler } from '../../runtime/slice-scheduler.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { Applications } from '../applications/service.js';
import { createAnswerSize, refuseLargeText, refuseLongSearch } from './answer-size.js';
import { type GcSource, mergeCollections } from './gc-merge.js';
import { spanOf } from './log-range.js';
import { searchLog } from './log-search.js';

/** Log files of containers, living and ended. Reading and searching leaves the event loop to others in between. */
export interface LogService {
  listLogs(call: Call, appId: string, containerId: string): Promise<readonly LogInfo[]>;
  /**
   * Text without `includeOffset`: the bytes as they are, or with `grep` the lines that match. JSON with it.
   * Rejects with `AnswerTooLarge` when that is more than one answer carries, but for a download: it passes in pieces, and whoever
   * asks for it keeps it on disk. Nothing is cut in silence.
   */
  readLog(
    call: Call,
    appId: string,
    containerId: string,
    logName: string,
    query: LogQuery,
  ): Promise<Text | { lines: LogLine[] }>;
  /**
   * Garbage collections of all containers of the application, or of those that run or ran one logical operator, in the
   * order of time. Containers that have no such log are left out.
   */
  collections(call: Call, appId: string, which: GcLogs, query: GcQuery): Promise<GcEvent[]>;
  /** The same as the lines of the logs. */
  collectionsText(call: Call, appId: string, which: GcLogs, query: GcQuery): Promise<Text>;
}

interface GcLogs {
  readonly logName: string;
  readonly operatorName?: string;
}

/** Logs that are read side by side for one answer. */
const maxSources = 1000;
const opensAtOnce = 16;

export function createLogService(deps: {
  applications: Applications;
  cluster: ClusterDriver;
  slices: SliceScheduler;
  /** How long one of the logs that are read together may take to open, milliseconds. */
  openMillis: number;
}): LogService {
  const { applications, cluster, slices } = deps;
  const readerOf = (master: Master) => facetOf(cluster, master, 'logs');

  const logs: LogService = {
    listLogs: (call, appId, containerId) =>
      applications.reading(call, appId, (master, options) => readerOf(master).list(containerId, options)),

    async readLog(call, appId, containerId, logName, query) {
      const log = await applications.reading(call, appId, (master, options) =>
        openInTime(readerOf(master), containerId, logName, options),
      );
      return closing([log], async (keepOpen) => {
        // Only for those who may read the log: compiling takes its time.
        const pattern = query.grep === undefined ? undefined : await loadPattern(query.grep, 'query.grep');
        const span = await spanOf(log, query);
        if (!pattern && !query.includeOffset) {
          const bytes = span.end - span.start;
          if (!query.download) refuseLargeText(bytes);
          keepOpen();
          return new Text(
            addAbortSignal(call.signal, closingAfter(log, owned(log.read(span.start, span.end)))),
            query.download ? fileHeaders(logName, bytes) : {},
          );
        }
        refuseLongSearch(span.end - span.start);
        const found = await slices.run(call.signal, (slice) => searchLog(log, span, { pattern, slice }));
        if (!query.includeOffset) return new Text(linesText(found.map(({ text }) => text)));
        return { lines: found.map(({ offset, text }) => ({ byteOffset: String(offset), line: text })) };
      });
    },

    async collections(call, appId, which, { grep, lastBytes, descendingOrder, includeOffset }) {
      const { reader, containers } = await applications.reading(call, appId, async (master, options) => ({
        reader: readerOf(master),
        containers: await containersOf(master, which.operatorName, options),
      }));
      const pattern = grep === undefined ? undefined : await loadPattern(grep, 'query.grep');
      // Each log has a time of its own: they may be many, and lie on as many machines.
      const opened = await openAll(containers, (container) =>
        withTimeout(deps.openMillis, `The log of ${container}`, call.signal, (signal) =>
          openInTime(reader, container, which.logName, { signal }),
        ),
      );
      const collectionOf = (line: string) => reader.collectionOf(line);
      return closing(
        opened.map(({ log }) => log),
        () =>
          slices.run(call.signal, async (slice) => {
            const sources: GcSource[] = [];
            for (const source of opened)
              sources.push({ ...source, span: await spanOf(source.log, { lastBytes }) });
            refuseLongSearch(sources.reduce((sum, { span }) => sum + span.end - span.start, 0));
            const size = createAnswerSize('ask for less with lastNBytes or grep');
            const events: GcEvent[] = [];
            const search = { collectionOf, pattern, descending: descendingOrder, slice };
            for await (const { byteOffset, ...event } of mergeCollections(sources, search)) {
              // The facts of a line are about as long as the line.
              size.add(2 * event.line.length + 100, String(event.startTime));
              events.push(includeOffset ? { byteOffset, ...event } : event);
            }
            return events;
          }),
      );
    },

    async collectionsText(call, appId, which, query) {
      const collections = await logs.collections(call, appId, which, query);
      return new Text(linesText(collections.map(({ line }) => line)));
    },
  };
  return logs;
}

const fileHeaders = (name: string, bytes: number) => ({
  'content-length': String(bytes),
  'content-disposition': disposition(name),
});

/** Lines as text, handed out in pieces. */
function linesText(lines: readonly string[]): Readable {
  function* pieces() {
    let piece = '';
    for (const line of lines) {
      piece += `${line}\n`;
      if (piece.length < 64 * 1024) continue;
      yield piece;
      piece = '';
    }
    if (piece !== '') yield piece;
  }
  return owned(Readable.from(pieces(), { objectMode: false }));
}

/** Closes the logs when the work is done or failed, unless it said that they are still needed. */
async function closing<T>(logs: readonly OpenLog[], work: (keepOpen: () => void) => Promise<T>): Promise<T> {
  let isNeeded = false;
  try {
    return await work(() => {
      isNeeded = true;
    });
  } finally {
    if (!isNeeded) await Promise.all(logs.map((log) => log.close()));
  }
}

function closingAfter(log: OpenLog, content: Readable): Readable {
  return content.once('close', () => {
    log.close().catch(() => {});
  });
}

/** One that opens after the deadline has nobody left to close it. */
async function openInTime(
  reader: LogReader,
  containerId: string,
  logName: string,
  options: CallOptions,
): Promise<OpenLog> {
  const log = await reader.open(containerId, logName, options);
  if (options.signal?.aborted) await log.close();
  options.signal?.throwIfAborted();
  return log;
}

async function openAll(
  containers: readonly string[],
  open: (container: string) => Promise<OpenLog>,
): Promise<{ container: string; log: OpenLog }[]> {
  if (containers.length > maxSources)
    throw new BadRequest(
      'TOO_MUCH_ASKED',
      `These are the logs of ${containers.length} containers, and one answer reads ${maxSources}: ask for those of an operator, or of a single container`,
    );
  const opened: { container: string; log: OpenLog }[] = [];
  let hasFailed = false;
  try {
    await mapLimited(containers, opensAtOnce, async (container) => {
      if (hasFailed) return;
      const log = await open(container).catch(undefinedIfUnknown);
      // Nobody is left to close what opens after another one failed.
      if (hasFailed) await log?.close();
      else if (log) opened.push({ container, log });
    });
  } catch (error) {
    hasFailed = true;
    await Promise.all(opened.map(({ log }) => log.close()));
    throw error;
  }
  return opened;
}

async function containersOf(
  master: Master,
  operatorName: string | undefined,
  options: CallOptions,
): Promise<readonly string[]> {
  if (operatorName === undefined) return (await master.containers(options)).map(({ id }) => id);
  const operator = (await master.logicalOperators(options)).find(({ name }) => name === operatorName);
  if (!operator) throw new NotFound('operator', operatorName);
  const { deployHistory } = master;
  if (!deployHistory) return operator.containerIds;
  const histories = await mapLimited([...operator.partitions, ...operator.unifiers], opensAtOnce, (id) =>
    deployHistory.read(id, options).catch(undefinedIfUnknown),
  );
  const earlier = histories.flatMap((history) => history?.containers ?? []).map(({ container }) => container);
  return [...new Set([...earlier, ...operator.containerIds])];
}
