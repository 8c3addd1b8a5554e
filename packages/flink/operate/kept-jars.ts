import { createHash } from 'node:crypto';
import { owned, type PackageContent, type Storage, undefinedIfUnknown } from 'headgate/driver-kit';
import type { SentFile } from '../rest/form.js';
import { programJar } from './program-jar.js';

/** Jars of jobs that were launched: a job is launched again from what it was, whatever its package is by then. */
export interface KeptJars {
  /** The same content and file is the same jar. */
  keyOf(content: PackageContent, file: string): string;
  /** Keeps a jar of the package, with the libraries beside it. Resolves its bytes; rejects with `NotFound`. */
  keep(content: PackageContent, file: string, signal: AbortSignal | undefined): Promise<number>;
  /** Resolves `undefined` when it is not there any more. */
  toSend(key: string): Promise<Pick<SentFile, 'size' | 'open'> | undefined>;
  /** Removes all but these. */
  prune(wanted: ReadonlySet<string>): Promise<void>;
}

const prefix = 'flink-jars/';
export function createKeptJars({ blobs }: Pick<Storage, 'blobs'>): KeptJars {
  const sizeOf = async (key: string): Promise<number | undefined> => {
    const blob = await blobs.open(key).catch(undefinedIfUnknown);
    await blob?.close();
    return blob?.size;
  };

  const keyOf = ({ digest }: PackageContent, file: string): string =>
    `${prefix}${createHash('sha256').update(`${digest} ${file}`).digest('hex')}`;

  return {
    keyOf,

    async keep(content, file, signal) {
      const key = keyOf(content, file);
      const before = await sizeOf(key);
      if (before !== undefined) return before;
      const jar = await programJar(content, file, signal);
      return (await blobs.write(key, jar, signal ? { signal } : {})).size;
    },

    async toSend(key) {
      const size = await sizeOf(key);
      if (size === undefined) return undefined;
      return {
        size,
        async open() {
          const blob = await blobs.open(key);
          const close = () => void blob.close().catch(() => undefined);
          return owned(blob.stream()).once('close', close);
        },
      };
    },

    async prune(wanted) {
      const gone: string[] = [];
      for await (const key of blobs.list(prefix)) if (!wanted.has(key)) gone.push(key);
      for (const key of gone) await blobs.delete(key);
    },
  };
}
