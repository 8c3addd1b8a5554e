import { setNewest } from 'headgate/driver-kit';
import type { Job } from '../rest/job-shapes.js';
import type { Resources } from '../rest/resources.js';
import type { Subtask } from '../rest/vertex-shapes.js';

/**
 * Where the subtasks of jobs are and how they stand, which is one call for each vertex: asked anew when the job tells that something
 * changed in it, or after some beats. What running subtasks have counted in between their metrics tell.
 */
export interface Subtasks {
  /** Of a job as it was told last: those of each of its vertices. */
  of(job: Job): (vertexId: string) => Promise<readonly Subtask[]>;
}

/** Jobs whose last change is remembered. */
const kept = 500;

export function createSubtasks(resources: Pick<Resources, 'vertex'>): Subtasks {
  const marks = new Map<string, string>();
  return {
    of(job) {
      const { jid, vertices } = job;
      const mark = markOf(job);
      if (marks.get(jid) !== mark) for (const { id } of vertices) resources.vertex.forget(jid, id);
      setNewest(marks, jid, mark, kept);
      return async (vertexId) => (await resources.vertex.get(jid, vertexId)).subtasks;
    },
  };
}

/** What changes with each change of a subtask: a restart goes through states of the job, and each state of a subtask is counted. */
const markOf = ({ timestamps, vertices }: Job): string =>
  JSON.stringify([
    timestamps,
    vertices.map(({ id, parallelism, status, tasks, ...vertex }) => [
      ...[id, parallelism, status, tasks],
      vertex['start-time'],
    ]),
  ]);
