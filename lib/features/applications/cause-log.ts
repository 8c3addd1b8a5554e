import type { CallOptions } from '../../interfaces/call-options.js';
import type { LogReader } from '../../interfaces/logs.js';
import type { Failure } from '../../interfaces/master.js';
import type { Event } from '../../model/applications.js';

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
    ({ data }) => data['containerId'] === failure.containerId && logNameIn(data) !== undefined,
  );
  const name = event && logNameIn(event.data);
  if (!logs || failure.containerId === undefined || !event || name === undefined) return [];
  try {
    const log = await logs.open(failure.containerId, name, options);
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

/** Apex writes the whole path of the log on its node, and an empty value with events that are no errors. */
function logNameIn(data: Event['data']): string | undefined {
  const name = data['logFileName'];
  return typeof name === 'string' ? name.split('/').findLast((part) => part !== '') : undefined;
}
