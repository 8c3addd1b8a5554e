import { join } from 'node:path';
import { flinkParts, withJar } from '../../test/stages/flink/artifacts.js';
import { type FlinkCluster, startFlink } from '../../test/stages/flink/cluster.js';
import { asDistributed } from '../../test/stages/flink/java-options.js';
import { ask, cancelJob, jobOf, runJar, untilJobRuns, uploadJar } from '../../test/stages/flink/jobs.js';
import {
  checkpointMillis,
  keys,
  type Pipeline,
  type Runner,
  recordsPerLook,
  textBytes,
} from './pipelines.js';

/**
 * Runs pipelines in a Flink of one job manager and so many task managers, of one slot each. Those that were killed are
 * replaced when a pipeline stops.
 */
export async function withFlink<T>(taskManagers: number, work: (runner: Runner) => Promise<T>): Promise<T> {
  const parts = await flinkParts('2.3.0');
  return withJar(parts, join(process.cwd(), 'bench/engine/flink'), async (jar) => {
    const cluster = await startFlink(parts, { taskManagers, slots: 1, machine: asDistributed });
    try {
      return await work(flinkRunner(cluster, taskManagers, await uploadJar(cluster.rest, jar)));
    } finally {
      await cluster.close();
    }
  });
}

function flinkRunner(cluster: FlinkCluster, taskManagers: number, jar: string): Runner {
  const { rest } = cluster;
  return {
    async start(pipeline, progress) {
      const args = argumentsOf(pipeline, progress);
      const job = await runJar(rest, jar, { entryClass: 'Pipelines', args });
      await untilJobRuns(rest, job);
      return {
        pids: () => [cluster.jobManager, ...cluster.taskManagers.values()].map(({ pid }) => pid),
        async kill(part) {
          await cluster.stopTaskManager(await taskManagerOf(rest, job, part), 'SIGKILL');
        },
        async stop() {
          await cancelJob(rest, job);
          while (cluster.taskManagers.size < taskManagers) await cluster.startTaskManager();
        },
      };
    },
  };
}

function argumentsOf(pipeline: Pipeline, progress: string): string[] {
  const options = {
    pipeline: pipeline.kind,
    progress,
    every: recordsPerLook(pipeline),
    bytes: textBytes,
    keys,
    ...(pipeline.kind === 'keyed'
      ? { perSecond: pipeline.perSecond, from: pipeline.from, checkpointMillis }
      : {}),
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/** Where a part runs: vertices are called after what is in them. */
async function taskManagerOf(rest: string, job: string, part: 'source' | 'count'): Promise<string> {
  const { vertices } = await jobOf(rest, job);
  const vertex = vertices.find(({ name }) => name.startsWith('Source') === (part === 'source'));
  if (!vertex) throw new Error(`The job has no ${part}`);
  const { subtasks } = await ask<{ subtasks: { 'taskmanager-id': string }[] }>(
    rest,
    `/jobs/${job}/vertices/${vertex.id}`,
  );
  return subtasks[0]?.['taskmanager-id'] ?? '';
}
