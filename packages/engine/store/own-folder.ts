import { chmod, mkdir } from 'node:fs/promises';

/**
 * Makes a folder of the engine's for its owner only, whatever the process's umask is; one that an older version made for
 * all becomes so. What is in it may hold what passes through applications, and their properties.
 */
export async function ownFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}
