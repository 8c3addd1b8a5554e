import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from 'headgate/driver-kit';
import { ownFolder } from './own-folder.js';
import type { SavedState } from './record.js';

// Checkpoint files lie in a folder of their application, and saved state names some of them.

const checkpointsIn = (application: string): string => join(application, 'checkpoints');

export const makeCheckpointFolder = (application: string): Promise<void> =>
  ownFolder(checkpointsIn(application));

/** From one application's folder to another's; see `ApplicationStore.copyState`. */
export async function copySavedState(from: string, to: string, saved: SavedState): Promise<SavedState> {
  await makeCheckpointFolder(to);
  const states: Record<string, string | null> = {};
  for (const [key, file] of Object.entries(saved.states)) {
    states[key] = file && copied(file);
    if (file === null) continue;
    const bytes = await readFile(join(checkpointsIn(from), file));
    // As durable as those that a container writes: the record will name them.
    await writeWhole(join(checkpointsIn(to), copied(file)), bytes);
  }
  return { ...saved, states };
}

/** Also of one that was copied already. */
const copied = (file: string): string => `copy-${file.replace(/^copy-/, '')}`;

/** Removes the files that the state does not name. */
export async function pruneCheckpoints(application: string, saved: SavedState | undefined): Promise<void> {
  const named = new Set(Object.values(saved?.states ?? {}));
  const checkpoints = checkpointsIn(application);
  for (const file of await readdir(checkpoints))
    if (!named.has(file)) await rm(join(checkpoints, file), { force: true });
}
