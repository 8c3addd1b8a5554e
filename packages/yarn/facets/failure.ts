import { text } from 'node:stream/consumers';
import type { CallOptions, Failure, LogReader } from 'headgate/driver-kit';
import { failureInLog } from './failure-in-log.js';

/** Where a master writes: its log, or what its JVM says before there is one. */
const logNames = ['apex.log', 'dt.log', 'AppMaster.stderr', 'AppMaster.stdout'];
const bytesRead = 64 * 1024;
const linesShown = 40;

/**
 * Why an application failed that never got far enough to write events: the resource manager only knows the exit code,
 * the log of the last master has the exception. `undefined` when its node does not show it any more.
 */
export async function masterFailure(
  logs: LogReader,
  containerId: string,
  options: CallOptions = {},
): Promise<Failure | undefined> {
  for (const name of logNames) {
    const written = await tailOf(logs, containerId, name, options).catch(() => '');
    const found = failureInLog(written);
    if (found) {
      const log = written.trimEnd().split('\n').slice(-linesShown);
      return { code: 'MASTER_FAILED', containerId, log, ...found };
    }
    options.signal?.throwIfAborted();
  }
  return undefined;
}

async function tailOf(logs: LogReader, containerId: string, name: string, options: CallOptions) {
  const log = await logs.open(containerId, name, options);
  try {
    return await text(log.read(Math.max(0, log.length - bytesRead), log.length));
  } finally {
    await log.close();
  }
}
