import { join } from 'node:path';
import { Conflict, NotFound, type PhysicalPlan, type Recorder } from 'headgate/driver-kit';
import type { LayoutHolder } from '../layout/layout.js';
import type { ActiveRecordings } from './active-recordings.js';
import { recordingFolders } from './recording-folders.js';

interface RecorderDeps {
  readonly applicationId: string;
  /** One directory for each operator, in it one for each recording. */
  readonly directory: string;
  /** Whether the plan has this operator. */
  readonly knows: (operatorId: string) => boolean;
  /** Absent: the application has ended. */
  readonly active?: ActiveRecordings;
  readonly maxRecordings: number;
}

/** A running application, as far as recordings are concerned. */
interface Recordable {
  readonly state: LayoutHolder & { readonly record: { readonly id: string } };
  readonly recordings: ActiveRecordings;
}

interface Place {
  /** Of the application. */
  readonly directory: string;
  readonly maxRecordings: number;
}

export const recorderOf = ({ state, recordings }: Recordable, place: Place): Recorder =>
  createRecorder({
    applicationId: state.record.id,
    directory: join(place.directory, 'recordings'),
    knows: (operatorId) => state.layout.operator(operatorId) !== undefined,
    active: recordings,
    maxRecordings: place.maxRecordings,
  });

export const recorderOfEnded = (applicationId: string, plan: PhysicalPlan, place: Place): Recorder =>
  createRecorder({
    applicationId,
    directory: join(place.directory, 'recordings'),
    knows: (operatorId) => plan.operators.some(({ id }) => id === operatorId),
    maxRecordings: place.maxRecordings,
  });

/** Reads recordings from their files; has them begun and ended by the application while it runs. */
function createRecorder(deps: RecorderDeps): Recorder {
  const { directory, active, knows } = deps;
  const isActive = (id: string) => active?.isActive(id) ?? false;
  const { count, find, list, read, remove, tuples } = recordingFolders({ directory, knows, isActive });

  function running(): ActiveRecordings {
    if (active) return active;
    throw new Conflict(
      'APPLICATION_ENDED',
      `The application ${deps.applicationId} has ended: nothing can be recorded`,
    );
  }

  return {
    list,
    read,
    tuples,

    async start(operatorId, what, { signal } = {}) {
      const recordings = running();
      if (!knows(operatorId)) throw new NotFound('physical operator', operatorId);
      if ((await count()) >= deps.maxRecordings)
        throw new Conflict(
          'LIMIT_REACHED',
          `The application has ${deps.maxRecordings} recordings (limits.recordings); delete one first`,
        );
      return recordings.start(operatorId, what, signal);
    },

    async stop(operatorId, what, { signal } = {}) {
      await running().stop(operatorId, what, signal);
    },

    async remove(operatorId, id) {
      await find(operatorId, id);
      if (isActive(id))
        throw new Conflict('RECORDING_ACTIVE', `The recording ${id} is being written; stop it first`, { id });
      await remove(operatorId, id);
    },
  };
}
