import { Readable } from 'node:stream';
import {
  AnswerTooLarge,
  type Container,
  type LogInfo,
  type LogReader,
  NotFound,
  type OpenLog,
  Unreachable,
  UnusableAnswer,
} from '../../../../lib/index.js';
import { collectionOf } from '../../gc-log/index.js';
import type { ClusterNodes } from '../manager/nodes.js';
import type { HttpClient, HttpStream } from '../wire/http.js';
import { copyToDisk } from './log-copy.js';
import { isLogName, type LogPlace, logPlaceOf, logsInFolder, logsOnPage } from './log-places.js';

export interface LogDeps {
  readonly appId: string;
  /** Who runs the application. */
  readonly user: string;
  readonly containers: (signal?: AbortSignal) => Promise<readonly Container[]>;
  readonly nodes: ClusterNodes;
  readonly http: HttpClient;
  /** Bytes of a log that has to be copied. */
  readonly maxCopiedBytes: number;
}

/** Logs from the node managers (`engine-on-yarn.md` 1.4): parts of plain files where those are shown, copies otherwise. */
export function logFacet(deps: LogDeps): LogReader {
  const { http } = deps;

  async function placeOf(containerId: string, signal: AbortSignal | undefined): Promise<LogPlace> {
    const container = (await deps.containers(signal)).find(({ id }) => id === containerId);
    if (!container) throw new NotFound('container', containerId);
    const place = logPlaceOf(container, deps.appId, deps.user);
    if (!place) throw new Unreachable(`The node of ${containerId}`);
    if (!(await deps.nodes.has(place.node, signal)))
      throw new Unreachable(
        `The node of ${containerId}`,
        new Error(`${place.node} is no node of the cluster`),
      );
    return place;
  }

  const nodeName = ({ node }: LogPlace) => `The node manager ${node}`;

  /** The text of a page; `undefined` when there is none. */
  async function page(place: LogPlace, path: string, signal: AbortSignal | undefined) {
    const what = nodeName(place);
    const { status, text } = await http.ask(place.origin + path, { signal, what });
    if (status === 404) return undefined;
    if (status !== 200) throw new UnusableAnswer(what, `answered with status ${status}`);
    return text;
  }

  async function list(containerId: string, signal: AbortSignal | undefined): Promise<LogInfo[]> {
    const place = await placeOf(containerId, signal);
    if (place.folder !== undefined) {
      const found = await page(place, `${place.folder}/`, signal);
      const { origin, folder } = place;
      if (found !== undefined)
        return logsInFolder(found).map((log) => ({ ...log, rawUrl: `${origin}${folder}/${log.name}` }));
    }
    return logsOnPage((await page(place, place.page, signal)) ?? '');
  }

  return {
    list: (containerId, { signal } = {}) => list(containerId, signal),
    async open(containerId, logName, { signal } = {}) {
      const place = await placeOf(containerId, signal);
      if (!isLogName(logName)) throw new NotFound('log', logName);
      return (
        (await openFile(http, place, logName, signal)) ??
        (await openCopy(http, place, logName, deps.maxCopiedBytes, signal))
      );
    },
    collectionOf,
  };
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
  const what = `The node manager ${place.node}`;
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
    for await (const chunk of part.body) {
      const taken: Buffer = Buffer.from(chunk).subarray(0, left);
      left -= taken.length;
      yield taken;
    }
    if (left > 0) throw new UnusableAnswer(what, 'cut the log short');
  }

  return {
    length,
    read: (start, end) => Readable.from(bytes(start, end), { objectMode: false }),
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
  const what = `The node manager ${place.node}`;
  const url = `${place.origin}${place.service}/${encodeURIComponent(logName)}`;
  const answer = await http.open(url, { signal, what });
  if (answer.status !== 200) answer.body.destroy();
  if (answer.status === 404) throw new NotFound('log', logName);
  if (answer.status !== 200) throw new UnusableAnswer(what, `answered with status ${answer.status}`);
  return copyToDisk(
    answer.body,
    maxBytes,
    () =>
      new AnswerTooLarge(
        `The log ${logName} is larger than ${maxBytes} bytes, and its node gives it only as a whole (limits.copiedLogBytes)`,
        { limitBytes: maxBytes },
      ),
  );
}
