import type { Clock } from 'headgate/driver-kit';
import type { ClusterFiles } from '../files/cluster-files.js';

/** Whose applications' folders are there: what a manager forgot is told as long as there is something to read of it. */
export interface ApplicationFolders {
  /** `true` as well while the file system can't tell. */
  has(appId: string): Promise<boolean>;
}

/** Milliseconds. */
const goodFor = 30_000;

export function createFolders({
  files,
  clock,
  root,
}: {
  readonly files: Pick<ClusterFiles, 'list'>;
  readonly clock: Clock;
  readonly root: string;
}): ApplicationFolders {
  let known: ReadonlySet<string> | undefined;
  let asked = -Infinity;
  let asking: Promise<void> | undefined;

  async function look(): Promise<void> {
    asked = clock.monotonic();
    const entries = await files.list(`${root}/apps`).catch(() => undefined);
    // Not even the folder of all: nobody can tell.
    known = entries && new Set(entries.map(({ name }) => name));
  }

  return {
    async has(appId) {
      if (clock.monotonic() - asked > goodFor)
        asking ??= look().finally(() => {
          asking = undefined;
        });
      await asking;
      return known?.has(appId) ?? true;
    },
  };
}
