import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isMissing, owned, readIfThere, writeWhole } from 'headgate/driver-kit';
import type { ClusterFiles } from './cluster-files.js';

/** A cluster whose file system is a disk of this machine, or one that is mounted here. */
export function localFiles(root: string): ClusterFiles {
  const at = (path: string) => join(resolve(root), ...path.split('/').filter((part) => part !== '..'));
  return {
    async list(path) {
      try {
        const entries = await readdir(at(path), { withFileTypes: true });
        const found = await Promise.all(
          entries.map(async (entry) => {
            const status = await stat(join(at(path), entry.name)).catch(() => undefined);
            return status
              ? [
                  {
                    name: entry.name,
                    isFolder: status.isDirectory(),
                    length: status.size,
                    modifiedAt: status.mtimeMs,
                  },
                ]
              : [];
          }),
        );
        return found.flat();
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    readText: (path) => readIfThere(at(path)),
    async *stream(path, signal) {
      try {
        const { size } = await stat(at(path));
        if (size > 0)
          yield* owned(createReadStream(at(path), { end: size - 1, ...(signal ? { signal } : {}) }));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
    async writeText(path, text) {
      await mkdir(dirname(at(path)), { recursive: true });
      // Others of the cluster read it, too.
      await writeWhole(at(path), text, 0o666);
    },
    async remove(path) {
      const isThere = await stat(at(path)).then(
        () => true,
        () => false,
      );
      await rm(at(path), { recursive: true, force: true });
      return isThere;
    },
    close: async () => {},
  };
}
