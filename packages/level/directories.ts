import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from 'headgate/driver-kit';

export interface Directories {
  readonly root: string;
  /** LevelDB: the documents, and which file is which blob. */
  readonly documents: string;
  /** Contents of blobs under random names. */
  readonly blobs: string;
  /** Contents that still come in. */
  readonly staging: string;
}

/** Makes what is missing, for the owner only, and sees to it that it is on the disk. `root`: absolute. */
export async function makeDirectories(root: string): Promise<Directories> {
  const directories = {
    root,
    documents: join(root, 'documents'),
    blobs: join(root, 'blobs'),
    staging: join(root, 'staging'),
  };
  const firstMade = await mkdir(root, { recursive: true, mode: 0o700 });
  for (const path of Object.values(directories)) await mkdir(path, { recursive: true, mode: 0o700 });
  await syncFolder(root);
  for (let path = root; firstMade !== undefined && path.length >= firstMade.length; path = dirname(path)) {
    await syncFolder(dirname(path));
  }
  return directories;
}
