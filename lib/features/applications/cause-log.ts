import type { CallOptions, Failure } from '../../interfaces/cluster.js';
import type { LogReader } from '../../interfaces/master.js';
import type { Event } from './schema.js';

const bytesRead = 16 * 1024;
const maxLines = 40;

/**
 * What the failed container had logged last: what the cluster kept of it, else from the log and the place that its error
 * event names. Empty when there is none: a cause without it is a cause, too.
 */
export async function logOf(
  logs: LogReader | undefined,
  failure: Failure,
  events: readonly Event[],
  options: CallOptions,
): Promise<readonly string[]> {
  if (failure.log) return failure.log;
  const event = events.find(
    ({ data }) => data['containerId'] === failure.containerId && data['logFileName'] !== undefined,
  );
  if (!logs || failure.containerId === undefined || !event) return [];
  try {
    const log = await logs.open(failure.containerId, String(event.data['logFileName']), options);
    try {
      // The error itself and its stack come after the place that is told.
      const place = Number(event.data['logFileOffset'] ?? log.length);
      const end = Math.min(log.length, (Number.isSafeInteger(place) ? place : log.length) + bytesRead / 2);
      const chunks: Buffer[] = [];
      for await (const chunk of log.read(Math.max(0, end - bytesRead), end)) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8').trimEnd().split('\n').slice(-maxLines);
    } finally {
      await log.close();
    }
  } catch {
    return [];
  }
}
