import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, owned, readIfThere } from 'headgate/driver-kit';

/** Where the files of one collection are read from. */
export interface PartFiles {
  /** The whole of a small file (`meta.txt`, `index.txt`); `undefined` when it is not there. */
  readText(name: string, signal?: AbortSignal): Promise<string | undefined>;
  /** The bytes of a part as long as it is now; none when it is not there. */
  stream(name: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

export const localPartFiles = (directory: string): PartFiles => ({
  readText: (name) => readIfThere(join(directory, name)),
  async *stream(name, signal) {
    const path = join(directory, name);
    try {
      const { size } = await stat(path);
      if (size > 0) yield* owned(createReadStream(path, { end: size - 1, ...(signal ? { signal } : {}) }));
    } catch (error) {
      // Retention may take a part away under its reader.
      if (!isMissing(error)) throw error;
    }
  },
});
