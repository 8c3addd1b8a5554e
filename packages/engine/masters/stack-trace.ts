import { Conflict, GatewayError, NotFound, type ThreadDump } from 'headgate/driver-kit';
import type { ContainerEntry } from '../layout/physical-state.js';
import { isMasterId } from '../model/ids.js';

/** Of one of these containers. Throws `NotFound`, and `Conflict` for one that has ended. */
export async function stackTraceOf(entries: readonly ContainerEntry[], id: string): Promise<ThreadDump> {
  if (isMasterId(id))
    throw new GatewayError(
      501,
      'NOT_SUPPORTED',
      'The application master runs in the host itself, which does not show its stack; ask for one of the other containers',
      { details: { driver: 'local', facet: 'master.stackTraces' } },
    );
  const entry = entries.find((container) => container.id === id);
  if (!entry) throw new NotFound('container', id);
  if (entry.finishedTime > 0) throw new Conflict('CONTAINER_NOT_RUNNING', `The container ${id} has ended`);
  return entry.agent.stackTrace();
}
