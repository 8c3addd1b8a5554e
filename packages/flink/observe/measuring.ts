import { setTimeout as pause } from 'node:timers/promises';
import {
  type BackPressure,
  type CallOptions,
  type Clock,
  Conflict,
  type FlameGraph,
  type FlameGraphQuery,
  NotFound,
  NotReady,
  pauseAfter,
} from 'headgate/driver-kit';
import { hasEnded, statesOf } from '../jobs/states.js';
import { noSamples } from '../rest/frames.js';
import { undefinedIfUnmeasured } from '../rest/reasons.js';
import type { Resources } from '../rest/resources.js';
import { backPressureOf } from './back-pressure.js';
import { readVertex } from './job-view.js';
import { placeOf } from './operator-ids.js';

/** What Flink measures of a vertex only while somebody asks for it. */
export interface Sampling {
  flameGraph(
    jobId: string,
    operatorName: string,
    request: FlameGraphQuery & CallOptions,
  ): Promise<FlameGraph>;
  backPressure(jobId: string, operatorName: string, options?: CallOptions): Promise<BackPressure>;
}

/** Of one question after the other, milliseconds. */
const pauses = { first: 250, most: 1000 };

const isOver = new Set(['FINISHED', 'CANCELED', 'FAILED']);

type Vertex = Awaited<ReturnType<typeof readVertex>>;

export function createSampling(deps: {
  readonly resources: Resources;
  readonly clock: Clock;
  readonly limits: { readonly measureMillis: number };
}): Sampling {
  const { resources, clock, limits } = deps;

  async function runningVertex(jobId: string, operatorName: string): Promise<Vertex> {
    const found = await readVertex(resources, jobId, operatorName);
    if (hasEnded(statesOf(found.job.state)) || isOver.has(found.vertex.status))
      throw nothingRuns(jobId, found);
    return found;
  }

  /** Until `ask` gives something, which is asked anew each time. */
  async function measured<T>(
    operatorName: string,
    { signal }: CallOptions,
    ask: () => Promise<T | undefined>,
  ): Promise<T> {
    const begun = clock.monotonic();
    for (let asked = 1; ; asked++) {
      const found = await ask();
      if (found !== undefined) return found;
      if (clock.monotonic() - begun > limits.measureMillis)
        throw new NotReady(`Flink has not measured ${JSON.stringify(operatorName)} yet: ask again soon`);
      await pause(pauseAfter(asked, pauses, Math.random()), undefined, signal ? { signal } : {});
    }
  }

  return {
    async flameGraph(jobId, operatorName, { type, operatorId, ...options }) {
      const found = await runningVertex(jobId, operatorName);
      const subtask = operatorId === undefined ? '' : `&subtaskindex=${subtaskOf(found, operatorId)}`;
      const question = [jobId, found.vertex.id, `type=${type.toLowerCase()}${subtask}`] as const;
      return measured(operatorName, options, async () => {
        const { endTimestamp, tree } = await resources.flameGraph.get(...question);
        if (tree) return { type, sampledAt: endTimestamp, root: tree.root, framesLeftOut: tree.leftOut };
        if (endTimestamp === noSamples.disabled) throw disabled();
        if (endTimestamp === noSamples.ended) throw nothingRuns(jobId, found);
        resources.flameGraph.forget(...question);
        return undefined;
      });
    },

    async backPressure(jobId, operatorName, options = {}) {
      const { index, vertex } = await runningVertex(jobId, operatorName);
      return measured(operatorName, options, async () => {
        const told = await resources.backPressure.get(jobId, vertex.id).catch(undefinedIfUnmeasured);
        if (told?.status === 'ok') return backPressureOf(index, told);
        resources.backPressure.forget(jobId, vertex.id);
        return undefined;
      });
    },
  };
}

function subtaskOf({ index, name, vertex }: Vertex, operatorId: string): number {
  const place = placeOf(operatorId);
  if (place?.vertexIndex !== index || place.subtask >= vertex.parallelism)
    throw new NotFound(`physical operator of ${JSON.stringify(name)}`, operatorId);
  return place.subtask;
}

const nothingRuns = (jobId: string, { name, job }: Vertex): Conflict =>
  hasEnded(statesOf(job.state))
    ? new Conflict('APPLICATION_ENDED', `${jobId} has ended (${job.state})`)
    : new Conflict('OPERATOR_NOT_DEPLOYED', `Nothing of ${JSON.stringify(name)} runs now`);

const disabled = (): Conflict =>
  new Conflict(
    'PROFILING_DISABLED',
    'Flink is set up without flame graphs: set `rest.flamegraph.enabled: true` in its configuration, and start the JobManager again',
  );
