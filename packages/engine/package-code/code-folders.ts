import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type PackageContent, queueingSemaphore, syncFolder, TooManyRequests } from 'headgate/driver-kit';
import { ownFolder } from '../store/own-folder.js';
import { createHolds, type HeldCode } from './held-code.js';
import { type CodeLimits, unpackCode } from './unpacking.js';

/** What packages brought as code, each under the digest of that code alone: packages that differ elsewhere share it. */
export interface CodeFolders {
  pathOf(key: string): string;
  /** Writes the code of the package unless it is there, and holds it. Rejects with `TooMuchCode`. */
  keep(content: PackageContent): Promise<HeldCode>;
  /** The same for code that is there already; `undefined` when it is not. */
  hold(key: string): HeldCode | undefined;
  has(key: string): boolean;
  /** Removes what nobody needs or holds, but for the newest. Never rejects. */
  prune(needed: ReadonlySet<string>): Promise<void>;
}

/** Kept though no application needs them: they will be asked about again. */
const spare = 10;
const maxRemembered = 1000;
const maxWaiting = 500;
const partSuffix = '.part';

/** Removes what a killed engine left half written. */
export async function openCodeFolders(directory: string, limits: CodeLimits): Promise<CodeFolders> {
  await ownFolder(directory);
  const present = new Set<string>();
  for (const name of await readdir(directory)) {
    if (name.endsWith(partSuffix)) await rm(join(directory, name), { recursive: true, force: true });
    else if (/^[0-9a-f]{64}$/.test(name)) present.add(name);
  }
  const holds = createHolds();
  /** Digests of packages to keys. */
  const known = new Map<string, string>();
  /** One after the other: two packages may bring the same code. */
  const inTurn = queueingSemaphore(
    { permits: 1, queue: maxWaiting },
    () => new TooManyRequests(`${maxWaiting} packages wait until their code is unpacked`, 5),
  );
  const pathOf = (key: string) => join(directory, key);

  async function write(content: PackageContent): Promise<string> {
    const part = join(directory, `${randomUUID()}${partSuffix}`);
    try {
      const { key, sync } = await unpackCode(content, part, limits);
      if (!present.has(key)) {
        // What is there under its digest is not looked at again.
        await sync();
        await rename(part, pathOf(key));
        await syncFolder(directory);
        present.add(key);
      }
      return key;
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  }

  function remember(digest: string, key: string): void {
    known.delete(digest);
    known.set(digest, key);
    for (const [oldest] of known) if (known.size > maxRemembered) known.delete(oldest);
  }

  return {
    pathOf,
    has: (key) => present.has(key),
    hold: (key) => (present.has(key) ? holds.hold(key) : undefined),
    keep: (content) =>
      inTurn(async () => {
        const before = known.get(content.digest);
        if (before !== undefined && present.has(before)) return holds.hold(before);
        const key = await write(content);
        remember(content.digest, key);
        return holds.hold(key);
      }),
    async prune(needed) {
      const free = [...present].filter((key) => !needed.has(key) && !holds.has(key));
      if (free.length <= spare) return;
      const ages = await Promise.all(
        free.map(async (key) => ({
          key,
          at: (await stat(pathOf(key)).catch(() => undefined))?.mtimeMs ?? 0,
        })),
      );
      for (const { key } of ages.sort((one, other) => other.at - one.at).slice(spare)) {
        if (holds.has(key)) continue;
        present.delete(key);
        await rm(pathOf(key), { recursive: true, force: true }).catch(() => {});
      }
    },
  };
}
