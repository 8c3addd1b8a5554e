import { type DeployHistoryReader, NotFound, undefinedIfUnknown } from 'headgate/driver-kit';
import type { Resources } from '../rest/resources.js';
import type { Subtask } from '../rest/vertex-shapes.js';
import { readGraph } from './job-view.js';
import { placeOf } from './operator-ids.js';
import { lastTaskManagerOf } from './physical.js';
import type { Subtasks } from './subtasks.js';

/** Attempts before the present one that are asked for: Flink keeps as many, unless it is told to keep more. */
const keptAttempts = 16;

/** Where a subtask was, attempt by attempt. */
export const deployHistoryReader = (
  resources: Pick<Resources, 'job' | 'attempt'>,
  subtasks: Subtasks,
  jobId: string,
): DeployHistoryReader => ({
  async read(operatorId) {
    const place = placeOf(operatorId);
    const { job, vertices } = await readGraph(resources, jobId);
    const found = place && vertices[place.vertexIndex];
    if (!place || !found) throw new NotFound('physical operator', operatorId);
    const all = await subtasks.of(job)(found.vertex.id);
    const present = all.find(({ subtask }) => subtask === place.subtask);
    if (!present) throw new NotFound('physical operator', operatorId);
    const first = Math.max(0, present.attempt - keptAttempts);
    const earlier = await Promise.all(
      Array.from({ length: present.attempt - first }, (_, index) =>
        resources.attempt
          .get(jobId, found.vertex.id, String(place.subtask), String(first + index))
          .catch(undefinedIfUnknown),
      ),
    );
    return {
      name: found.name,
      containers: [...earlier.flatMap((attempt) => attempt ?? []), present].flatMap(deploymentOf),
    };
  },
});

function deploymentOf(attempt: Subtask): { container: string; startTime: number }[] {
  const container = lastTaskManagerOf(attempt);
  const startTime = attempt['start-time'];
  return container === undefined || startTime === undefined ? [] : [{ container, startTime }];
}
