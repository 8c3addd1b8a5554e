import { client } from '../../gateway/client.js';
import type { LogAccess } from './reader.js';
import type { Hit, Slice } from './search.js';

export interface LogPlace {
  readonly appid: string;
  readonly containerId: string;
  readonly logName: string;
}

/**
 * A log as the gateway gives it. Bytes, and not lines with their offsets: a block may end within a line and within a character, and the
 * bytes tell exactly where everything stands.
 */
export const accessTo = (params: LogPlace): LogAccess => ({
  async length(signal) {
    const { logs } = await client.listLogs({ params, signal });
    const log = logs.find(({ name }) => name === params.logName);
    if (log) return log.length;
    // Not listed, as some clusters do with logs that are there: the refusal of a read says what is wrong.
    await client.readLog({ params, query: { start: 0, end: 0 }, signal });
    return 0;
  },
  async read(start, end, signal) {
    if (end <= start) return new Uint8Array();
    const answer = await client.readLog({ params, query: { start, end }, signal });
    return answer instanceof Response ? new Uint8Array(await answer.arrayBuffer()) : new Uint8Array();
  },
});

/** Lines of a part in which the expression matches. */
export async function grepIn(
  params: LogPlace,
  grep: string,
  { start, end }: Slice,
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const answer = await client.readLog({ params, query: { start, end, grep, includeOffset: true }, signal });
  if (answer instanceof Response) return [];
  return answer.lines.map(({ byteOffset, line }) => ({ offset: Number(byteOffset), line }));
}

/** Where the browser fetches a log, or a part of it, to keep it as a file. */
export const downloadOf = (params: LogPlace, part: Partial<Slice> = {}): string =>
  client.urlOf('readLog', { params, query: { ...part, download: true } });
