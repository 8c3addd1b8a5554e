import {
  type Clock,
  Conflict,
  InvalidInput,
  keyedMutex,
  NotFound,
  type PropertyEditor,
  undefinedIfUnknown,
} from 'headgate/driver-kit';
import * as z from 'zod';
import { readGraph, readVertex } from '../observe/job-view.js';
import { placeOf } from '../observe/operator-ids.js';
import type { JobManagerClient } from '../rest/client.js';
import type { JobVertex } from '../rest/job-shapes.js';
import { notAdaptive } from '../rest/reasons.js';
import type { Requirements } from '../rest/requirement-shapes.js';
import type { Resources } from '../rest/resources.js';
import type { JobRecords } from './records.js';
import type { RunningJobs } from './running.js';

/**
 * The parallelism of a vertex is the one property of an operator that Flink can change, and only with its adaptive scheduler, as a whole:
 * a subtask has none of its own. What is read is what was asked for, `live` what it has now: the cluster may lack slots.
 */
export type Rescaling = (jobId: string) => PropertyEditor;

const Anything = z.unknown();
const name = 'parallelism';
/** Flink's own bound. */
const mostSubtasks = 32_768;
/** Changes of one job that are kept in mind. */
const keptChanges = 100;

export function createRescaling(deps: {
  readonly client: JobManagerClient;
  readonly resources: Resources;
  readonly running: RunningJobs;
  readonly records: JobRecords;
  readonly clock: Clock;
}): Rescaling {
  const { client, resources, running, records, clock } = deps;
  const inOrder = keyedMutex();

  /** `undefined`: it can't be changed, since its scheduler is another one, or it has ended. */
  const requirementsOf = (jobId: string): Promise<Requirements | undefined> =>
    resources.requirements.get(jobId).catch((error: unknown) => {
      if (error instanceof Conflict) return undefined;
      return undefinedIfUnknown(error);
    });

  async function asked(jobId: string, { id, parallelism }: JobVertex): Promise<number> {
    const bounds = (await requirementsOf(jobId))?.[id]?.parallelism;
    return bounds ? bounds.upperBound : parallelism;
  }

  async function write(jobId: string, operatorName: string, values: Readonly<Record<string, unknown>>) {
    await running.require(jobId);
    const { vertex } = await readVertex(resources, jobId, operatorName);
    const wanted = wantedOf(values, vertex.maxParallelism);
    if (wanted === undefined) return;
    resources.requirements.forget(jobId);
    const before = await resources.requirements.get(jobId).catch(undefinedIfUnknown);
    const bounds = before?.[vertex.id]?.parallelism;
    // An older Flink does not know of them.
    if (!before || !bounds) throw notAdaptive();
    if (bounds.upperBound === wanted) return;
    const parallelism = { lowerBound: Math.min(bounds.lowerBound, wanted), upperBound: wanted };
    await client
      .send(`/jobs/${jobId}/resource-requirements`, Anything, {
        method: 'PUT',
        // All of them at once, or Flink refuses it.
        body: { ...before, [vertex.id]: { parallelism } },
      })
      .catch((error: unknown) => running.unlessEnded(jobId, error))
      .finally(() => {
        resources.requirements.forget(jobId);
        resources.job.forget(jobId);
      });
    const change = { at: clock.now(), operatorName, propertyName: name, propertyValue: String(wanted) };
    const changes = [...(records.get(jobId)?.changes ?? []), change].slice(-keptChanges);
    // It was done, whether that is kept or not.
    await records.put(jobId, { changes }).catch(() => {});
  }

  return (jobId) => ({
    async readOperator(operatorId, { live = false } = {}) {
      const place = placeOf(operatorId);
      const { vertices } = await readGraph(resources, jobId);
      const vertex = place && vertices[place.vertexIndex]?.vertex;
      if (!vertex || place.subtask >= vertex.parallelism) throw new NotFound('physical operator', operatorId);
      return { [name]: live ? vertex.parallelism : await asked(jobId, vertex) };
    },
    async readLogical(operatorName) {
      const { vertex } = await readVertex(resources, jobId, operatorName);
      return { class: '', [name]: await asked(jobId, vertex) };
    },
    // What is sent for all vertices at once must not overwrite another change.
    writeLogical: (operatorName, values) => inOrder(jobId, () => write(jobId, operatorName, values)),
  });
}

/** `undefined`: none is asked for. */
function wantedOf(
  { class: className = '', ...values }: Readonly<Record<string, unknown>>,
  maxParallelism: number | null | undefined,
): number | undefined {
  const unknown = Object.keys(values).find((key) => key !== name);
  if (unknown !== undefined) throw new NotFound('property', unknown, [name]);
  if (className !== '')
    throw new InvalidInput([{ path: 'body.class', message: 'is fixed: vertices have no class' }]);
  if (!Object.hasOwn(values, name)) return undefined;
  const value = values[name];
  const most = maxParallelism && maxParallelism > 0 ? maxParallelism : mostSubtasks;
  const number = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new InvalidInput([
    {
      path: `body.${name}`,
      message: `expected a whole number from 1 to ${most}, the most that the job was made for`,
    },
  ]);
}
