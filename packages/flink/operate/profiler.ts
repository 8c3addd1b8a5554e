import { Readable } from 'node:stream';
import {
  BadRequest,
  Conflict,
  type ContainerProfile,
  NotFound,
  owned,
  type Profiler,
} from 'headgate/driver-kit';
import type * as z from 'zod';
import { processPathOf } from '../observe/containers.js';
import type { JobManagerClient } from '../rest/client.js';
import { ToldProfile } from '../rest/process-shapes.js';
import { reasonOf } from '../rest/reasons.js';
import { profilePath, profilesPath, type Resources } from '../rest/resources.js';
import { present } from '../rest/values.js';

type Told = z.output<typeof ToldProfile>;

/** The option of Flink without which none of these paths exists. */
const option = 'rest.profiling.enabled';

/**
 * The profiler of the JobManager and of task managers. Flink keeps the files, and names a profile by nothing but the time at which it
 * was asked for: there is one at a time in a process.
 */
export function createProfiler(deps: {
  readonly client: JobManagerClient;
  readonly resources: Pick<Resources, 'profiles' | 'settings'>;
  /** Container to whether it runs, of the job. */
  readonly containers: () => Promise<ReadonlyMap<string, boolean>>;
  readonly requireRunning: () => Promise<void>;
}): Profiler {
  const { client, resources } = deps;

  async function pathOf(containerId: string): Promise<string> {
    const path = processPathOf(await deps.containers(), containerId);
    if (path === undefined) throw isGone(containerId);
    return path;
  }

  /** Says what is missing where Flink has no such path. */
  async function offered<T>(containerId: string, question: Promise<T>): Promise<T> {
    try {
      return await question;
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      if ((await resources.settings.get())[option] === 'true') throw isGone(containerId);
      throw new Conflict(
        'PROFILING_DISABLED',
        `Flink is set up without its profiler, which it has from 1.19 on: set \`${option}: true\` in its configuration, and start its processes again`,
      );
    }
  }

  return {
    async list(containerId) {
      const path = await pathOf(containerId);
      return (await offered(containerId, resources.profiles.get(path))).map(profileOf);
    },

    async start(containerId, { mode, seconds }) {
      await deps.requireRunning();
      const path = await pathOf(containerId);
      const order = { method: 'POST', body: { mode, duration: seconds } } as const;
      const told = await offered(containerId, client.send(profilesPath(path), ToldProfile, order)).finally(
        () => resources.profiles.forget(path),
      );
      const profile = profileOf(told);
      if (profile.state === 'FAILED')
        throw new BadRequest('ENGINE_REFUSED', `Flink refuses this: ${profile.failure}`);
      return profile;
    },

    async open(containerId, profileId, { signal } = {}) {
      const path = await pathOf(containerId);
      const all = await offered(containerId, resources.profiles.get(path));
      const told = all.find(({ triggerTime }) => String(triggerTime) === profileId);
      if (!told) throw new NotFound('profile', profileId);
      if (profileOf(told).state === 'RUNNING')
        throw new Conflict('PROFILE_UNDER_WAY', `The profile ${profileId} is being made`);
      const name = told.outputFile;
      if (!name) throw new NotFound('file of the profile', profileId);
      const { body, header, pieces } = await client.open(profilePath(path, name), signal);
      const length = Number(header('content-length') ?? Number.NaN);
      const content = owned(Readable.from(pieces(), { objectMode: false }));
      content.once('close', () => body.destroy());
      return { name, content, ...(Number.isSafeInteger(length) ? { length } : {}) };
    },
  };
}

const isGone = (containerId: string): Conflict =>
  new Conflict('CONTAINER_NOT_RUNNING', `The container ${containerId} does not run`);

const modes = ['CPU', 'WALL', 'ALLOC', 'LOCK', 'ITIMER'] as const;
const states = ['FINISHED', 'FAILED'] as const;

function profileOf({ status, triggerTime, duration, message, ...told }: Told): ContainerProfile {
  const state = states.find((name) => name === status) ?? 'RUNNING';
  return {
    id: String(triggerTime),
    state,
    startTime: triggerTime,
    ...present({
      mode: modes.find((name) => name === told.mode),
      seconds: duration,
      finishedTime: told.finishedTime,
      failure: state === 'FAILED' ? (reasonOf([message ?? '']) ?? 'no reason is told') : undefined,
    }),
  };
}
