import type { Snapshot } from '../store/snapshot.js';
import { openEventHistory } from './events.js';

/** Containers end when their host is gone, but nobody was there to note it. `application` is its directory. */
export async function noteHostStop(application: string, { containers }: Snapshot, at: number): Promise<void> {
  const problems: unknown[] = [];
  const events = await openEventHistory(application, {
    eventBytes: Infinity,
    onProblem: (error) => problems.push(error),
  });
  const reason = 'The host process stopped';
  for (const { id, containerType, state } of containers)
    if (containerType === 'STREAMING' && state !== 'KILLED')
      events.add('StopContainer', { containerId: id, exitStatus: '', reason }, at);
  await events.end();
  if (problems.length > 0) throw problems[0];
}
