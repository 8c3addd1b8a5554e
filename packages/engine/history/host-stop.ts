import type { Container } from 'headgate/driver-kit';
import { sentenceOf } from './event-sentences.js';
import { openEventHistory } from './events.js';
import { createMasterLog, masterLogPath } from './master-log.js';

/** Containers end when their host is gone, but nobody was there to note it. `application` is its directory. */
export async function noteHostStop(
  application: string,
  containers: readonly Container[],
  at: number,
): Promise<void> {
  const problems: unknown[] = [];
  const unlimited = { onProblem: (error: unknown) => problems.push(error) };
  const events = await openEventHistory(application, { ...unlimited, eventBytes: Infinity });
  const reason = 'The host process stopped';
  const master = containers.find(({ containerType }) => containerType === 'APP_MASTER');
  const log =
    master &&
    createMasterLog(masterLogPath(application, master.id), {
      ...unlimited,
      logFileBytes: Infinity,
      logFiles: 1,
    });
  for (const { id, containerType, state } of containers)
    if (containerType === 'STREAMING' && state !== 'KILLED') {
      const data = { containerId: id, exitStatus: '', reason };
      events.add('StopContainer', data, at);
      log?.write(at, 'WARN', sentenceOf('StopContainer', data));
    }
  log?.write(at, 'ERROR', 'The application is FAILED. The host process stopped while it was running');
  await Promise.all([events.end(), log?.end()]);
  if (problems.length > 0) throw problems[0];
}
