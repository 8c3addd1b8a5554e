import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isMissing } from 'headgate/driver-kit';
import { isHexId } from '../rest/values.js';

const everyMillis = 24 * 3_600_000;

/**
 * Removes the folders of jobs to which nothing was added for longer than `keptMillis`: at once, and each day. Returns what ends
 * that. What is no folder of a job stays.
 */
export function removeOldFolders(deps: {
  readonly directory: string;
  readonly keptMillis: number;
  readonly clock: Clock;
  readonly isInUse: (jobId: string) => boolean;
  readonly onProblem: (error: unknown) => void;
}): () => Promise<void> {
  const { directory, clock } = deps;

  async function removeOld(): Promise<void> {
    for (const jobId of await readdir(directory).catch(noneIfMissing)) {
      if (!isHexId(jobId) || deps.isInUse(jobId)) continue;
      const folder = join(directory, jobId);
      if (clock.now() - (await changedAt(folder)) > deps.keptMillis)
        await rm(folder, { recursive: true, force: true });
    }
  }

  let removing = removeOld().catch(deps.onProblem);
  const timer = setInterval(() => {
    removing = removing.then(removeOld).catch(deps.onProblem);
  }, everyMillis).unref();
  return async () => {
    clearInterval(timer);
    await removing;
  };
}

/** When a part began or ended last, which is never long ago where something is added. Epoch milliseconds. */
async function changedAt(folder: string): Promise<number> {
  const collections = [folder, join(folder, 'events'), join(folder, 'stats', 'containers')];
  const times = await Promise.all(
    collections.map((path) => stat(path).then(({ mtimeMs }) => mtimeMs, noneIfMissing)),
  );
  return Math.max(...times.flat());
}

const noneIfMissing = (error: unknown): [] => {
  if (isMissing(error)) return [];
  throw error;
};
