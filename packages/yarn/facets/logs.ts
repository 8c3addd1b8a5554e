import { Readable } from 'node:stream';
import { collectionOf } from '@headgate/history';
import {
  AnswerTooLarge,
  type Container,
  GatewayError,
  type HttpClient,
  type HttpStream,
  type LogInfo,
  type LogReader,
  NotFound,
  type OpenLog,
  owned,
  Unreachable,
  UnusableAnswer,
} from 'headgate/driver-kit';
import type { ClusterNodes } from '../manager/nodes.js';
import type { AggregatedLogs } from './aggregated-logs.js';
import { copyToDisk } from './log-copy.js';
import { isLogName, type LogPlace, logPlaceOf, logsInFolder, logsInList, logsOnPage } from './log-places.js';

export interface LogDeps {
  readonly appId: string;
  /** Who runs the application. */
  readonly user: string;
  readonly containers: (signal?: AbortSignal) => Promise<readonly Container[]>;
  readonly nodes: ClusterNodes;
  readonly http: HttpClient;
  /** Bytes of a log that has to be copied. */
  readonly maxCopiedBytes: number;
  /** Where logs are after the end; absent: nobody is asked. */
  readonly aggregated?: AggregatedLogs;
}

/**
 * Logs from the node managers: parts of plain files where those are shown, copies otherwise; and
 * what these handed in when the application ended.
 */
export function logFacet(deps: LogDeps): LogReader {
  const { http, aggregated } = deps;

  async function containerOf(id: string, signal: AbortSignal | undefined): Promise<Container> {
    const container = (await deps.containers(signal)).find((one) => one.id === id);
    if (!container) throw new NotFound('container', id);
    return container;
  }

  async function placeOf(container: Container, signal: AbortSignal | undefined): Promise<LogPlace> {
    const what = `The node of ${container.id}`;
    const place = logPlaceOf(container, deps.appId, deps.user);
    if (!place) throw new Unreachable(what);
    if (await deps.nodes.has(place.node, signal)) return place;
    throw new Unreachable(what, new Error(`${place.node} is no node of the cluster`));
  }

  /** The text of a page; `undefined` when there is none, or it is somewhere else. */
  async function page({ origin, node }: LogPlace, path: string, signal: AbortSignal | undefined) {
    const what = nodeName(node);
    const { status, text } = await http.ask(origin + path, {
      signal,
      what,
      headers: { accept: 'application/json, text/html;q=0.9' },
    });
    if (status === 404 || (status >= 300 && status < 400)) return undefined;
    if (status !== 200) throw new UnusableAnswer(what, `answered with status ${status}`);
    return text;
  }

  /** By the ways that there are, the one that tells most first. */
  async function listOnNode(place: LogPlace, signal: AbortSignal | undefined): Promise<LogInfo[]> {
    const { origin, folder, service } = place;
    const withUrl = (logs: readonly LogInfo[], path: string) =>
      logs.map((log) => ({ ...log, rawUrl: `${origin}${path}/${log.name}` }));
    if (folder !== undefined) {
      const found = await page(place, `${folder}/`, signal);
      if (found !== undefined) return withUrl(logsInFolder(found), folder);
    }
    const list = await page(place, place.list, signal);
    const told = list === undefined ? undefined : logsInList(jsonOf(list));
    return withUrl(told ?? logsOnPage((await page(place, place.page, signal)) ?? ''), service);
  }

  async function openOnNode(place: LogPlace, logName: string, signal: AbortSignal | undefined) {
    return (
      (await openFile(http, place, logName, signal)) ??
      (await openCopy(http, place, logName, deps.maxCopiedBytes, signal))
    );
  }

  return {
    async list(containerId, { signal } = {}) {
      const container = await containerOf(containerId, signal);
      const onNode = async () => listOnNode(await placeOf(container, signal), signal);
      const found = await onNode().catch((error: unknown) => failed(error, aggregated));
      if (Array.isArray(found) && (found.length > 0 || !aggregated)) return found;
      const kept = (await aggregated?.list(deps, container, signal)) ?? [];
      if (kept.length === 0 && !Array.isArray(found)) throw found;
      return kept;
    },

    async open(containerId, logName, { signal } = {}) {
      const container = await containerOf(containerId, signal);
      if (!isLogName(logName)) throw new NotFound('log', logName);
      const onNode = async () => openOnNode(await placeOf(container, signal), logName, signal);
      const opened = await onNode().catch((error: unknown) => failed(error, aggregated));
      if (!(opened instanceof GatewayError)) return opened;
      const kept = await aggregated?.open(deps, container, logName, signal);
      if (!kept) throw opened;
      return kept;
    },

    collectionOf,
  };
}

/** The failure of a node manager, when there is another place to look; otherwise it is thrown. */
function failed(error: unknown, otherPlace: unknown): GatewayError {
  if (otherPlace !== undefined && error instanceof GatewayError && !(error instanceof AnswerTooLarge))
    return error;
  throw error;
}

const nodeName = (node: string): string => `The node manager ${node}`;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `undefined`: not shown as a file, or not in parts. */
async function openFile(
  http: HttpClient,
  place: LogPlace,
  logName: string,
  signal: AbortSignal | undefined,
): Promise<OpenLog | undefined> {
  if (place.folder === undefined) return undefined;
  const url = `${place.origin}${place.folder}/${encodeURIComponent(logName)}`;
  const what = nodeName(place.node);
  const probe = await http.open(url, { signal, what, headers: { range: 'bytes=0-0' } });
  probe.body.destroy();
  const length = lengthOf(probe);
  if (length === undefined) return undefined;
  const closing = new AbortController();

  async function* bytes(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (start >= end) return;
    const range = `bytes=${start}-${end - 1}`;
    const part = await http.open(url, { signal: closing.signal, what, headers: { range } });
    if (part.status !== 206) {
      part.body.destroy();
      throw new UnusableAnswer(what, 'has no such log any more');
    }
    let left = end - start;
    for await (const chunk of part.pieces()) {
      const taken = chunk.subarray(0, left);
      left -= taken.length;
      yield taken;
    }
    if (left > 0) throw new UnusableAnswer(what, 'cut the log short');
  }

  return {
    length,
    read: (start, end) => owned(Readable.from(bytes(start, end), { objectMode: false })),
    close: async () => closing.abort(),
  };
}

/** What a range of one byte tells; an empty file has no range, and a server without ranges sends it all. */
function lengthOf({ status, header }: HttpStream): number | undefined {
  const range = header('content-range') ?? '';
  if (status === 416 && range === 'bytes */0') return 0;
  const total = /\/(\d{1,15})$/.exec(range)?.[1];
  return status === 206 && total !== undefined ? Number(total) : undefined;
}

async function openCopy(
  http: HttpClient,
  place: LogPlace,
  logName: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<OpenLog> {
  const what = nodeName(place.node);
  const url = `${place.origin}${place.service}/${encodeURIComponent(logName)}`;
  const answer = await http.open(url, { signal, what });
  if (answer.status !== 200) answer.body.destroy();
  if (answer.status === 404) throw new NotFound('log', logName);
  if (answer.status !== 200) throw new UnusableAnswer(what, `answered with status ${answer.status}`);
  const content = owned(Readable.from(answer.pieces(), { objectMode: false }));
  return copyToDisk(content, maxBytes, () => tooLarge(logName, maxBytes));
}

export const tooLarge = (logName: string, limitBytes: number): Error =>
  new AnswerTooLarge(
    `The log ${logName} is larger than ${limitBytes} bytes, and its node gives it only as a whole (limits.copiedLogBytes)`,
    { limitBytes },
  );
