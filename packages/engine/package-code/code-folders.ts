import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type PackageContent, queueingSemaphore, syncFolder, TooManyRequests } from 'headgate/driver-kit';
import { ownFolder } from '../store/own-folder.js';

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

interface HeldCode {
  readonly key: string;
  /** Until then it is not removed. */
  release(): void;
}

export interface CodeLimits {
  readonly packageCodeBytes: number;
  readonly packageCodeFiles: number;
}

/** What was too much. */
export class TooMuchCode extends Error {}

/** Kept though no application needs them: they will be asked about again. */
const spare = 10;
const maxRemembered = 1000;
const maxWaiting = 500;
const partSuffix = '.part';

export const isCode = (name: string): boolean =>
  name.startsWith('lib/') && !name.toLowerCase().endsWith('.jar');
/** Those that are asked for operator classes; what lies deeper they import. */
export const isModule = (name: string): boolean => /^lib\/[^/]+\.mjs$/.test(name);

/** Removes what a killed engine left half written. */
export async function openCodeFolders(directory: string, limits: CodeLimits): Promise<CodeFolders> {
  await ownFolder(directory);
  const present = new Set<string>();
  for (const name of await readdir(directory)) {
    if (name.endsWith(partSuffix)) await rm(join(directory, name), { recursive: true, force: true });
    else if (/^[0-9a-f]{64}$/.test(name)) present.add(name);
  }
  const holds = new Map<string, number>();
  /** Digests of packages to keys. */
  const known = new Map<string, string>();
  /** One after the other: two packages may bring the same code. */
  const inTurn = queueingSemaphore(
    { running: 1, waiting: maxWaiting },
    () => new TooManyRequests(`${maxWaiting} packages wait until their code is unpacked`, 5),
  );
  const pathOf = (key: string) => join(directory, key);

  async function write(content: PackageContent): Promise<string> {
    const files = codeOf(content, limits);
    const part = join(directory, `${randomUUID()}${partSuffix}`);
    const hash = createHash('sha256');
    try {
      await mkdir(part, { mode: 0o700 });
      await writeFile(join(part, 'package.json'), '{"private":true,"type":"module"}', {
        flush: true,
        mode: 0o600,
      });
      const folders = new Set([part]);
      for (const { name, size } of files) {
        const bytes = await content.read(name, size);
        hash.update(`${name}\0${bytes.length}\0`).update(bytes);
        const path = placeIn(part, name);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFile(path, bytes, { flush: true, mode: 0o600 });
        for (let above = dirname(path); !folders.has(above); above = dirname(above)) folders.add(above);
      }
      const key = hash.digest('hex');
      if (!present.has(key)) {
        // What is there under its digest is not looked at again.
        for (const folder of folders) await syncFolder(folder);
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

  function hold(key: string): HeldCode {
    holds.set(key, (holds.get(key) ?? 0) + 1);
    let held = true;
    return {
      key,
      release() {
        if (!held) return;
        held = false;
        const left = (holds.get(key) ?? 1) - 1;
        if (left > 0) holds.set(key, left);
        else holds.delete(key);
      },
    };
  }

  return {
    pathOf,
    has: (key) => present.has(key),
    hold: (key) => (present.has(key) ? hold(key) : undefined),
    keep: (content) =>
      inTurn(async () => {
        const before = known.get(content.digest);
        if (before !== undefined && present.has(before)) return hold(before);
        const key = await write(content);
        remember(content.digest, key);
        return hold(key);
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

function codeOf({ files }: PackageContent, { packageCodeBytes, packageCodeFiles }: CodeLimits) {
  const code = files
    .filter(({ name }) => isCode(name))
    .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  if (code.length > packageCodeFiles)
    throw new TooMuchCode(
      `has ${code.length} files besides jars, more than ${packageCodeFiles} (limits.packageCodeFiles)`,
    );
  const bytes = code.reduce((sum, { size }) => sum + size, 0);
  if (bytes > packageCodeBytes)
    throw new TooMuchCode(
      `has ${bytes} bytes besides jars, more than ${packageCodeBytes} (limits.packageCodeBytes)`,
    );
  return code;
}

/** Names were checked when the package came in; whoever made the content may have forgotten. */
function placeIn(folder: string, name: string): string {
  const path = join(folder, name);
  const way = relative(folder, path);
  if (way.startsWith(`..${sep}`) || way === '..' || name.includes('\0'))
    throw new TooMuchCode(`holds ${JSON.stringify(name)}, which leads out of it`);
  return path;
}
