import { type FileHandle, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import type { DocumentStore } from '../../interfaces/storage.js';
import { collection } from '../../storage/collection.js';

/** Where one text of the configuration is kept. */
export interface SitePlace {
  /** For messages: the path of the file. */
  readonly label: string;
  /** `undefined` when there is nothing. */
  read(): Promise<Buffer | undefined>;
  /** Whole or not at all, durably. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A file: written beside itself and put in its place at one moment. Links are followed, and who may read it stays as it
 * was; a new one, and its folder, are for their owner only.
 */
export function filePlace(path: string): SitePlace {
  return {
    label: path,
    read: () => readFile(path).catch(undefinedIfMissing),

    async write(text) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const target = (await realpath(path).catch(undefinedIfMissing)) ?? path;
      const mode = (await stat(target).catch(undefinedIfMissing))?.mode ?? 0o600;
      // Always the same name: what a crash leaves behind is overwritten by the next write.
      const beside = `${target}.new`;
      await rm(beside, { force: true });
      await using(await open(beside, 'wx', 0o600), async (file) => {
        await file.chmod(mode & 0o777);
        await file.writeFile(text);
        await file.sync();
      });
      await rename(beside, target);
      await syncFolder(target);
    },

    async remove() {
      await rm(path, { force: true });
      await syncFolder(path);
    },
  };
}

/** For hosts that name no folder for site files: the same text in the storage. */
export function documentPlace(documents: DocumentStore, name: string): SitePlace {
  const kept = collection(documents, 'site', z.object({ text: z.string() }));
  return {
    label: `the properties in the storage (${name})`,
    async read() {
      const document = await kept.get(name);
      return document && Buffer.from(document.value.text);
    },
    async write(text) {
      await kept.put(name, { text });
    },
    async remove() {
      await kept.remove(name);
    },
  };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path)).catch(undefinedIfMissing);
  // Some systems open no folder, or do not sync it: there is nothing more to do there. A disk that fails is no such.
  if (folder)
    await using(folder, (handle) =>
      handle.sync().catch((error) => {
        if (/^(EIO|ENOSPC|EDQUOT)$/.test(error.code)) throw error;
      }),
    );
}

async function using(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR'))
    return undefined;
  throw error;
}
