import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type PackageContent, syncFolder } from 'headgate/driver-kit';

export interface CodeLimits {
  readonly packageCodeBytes: number;
  readonly packageCodeFiles: number;
}

/** What was too much. */
export class TooMuchCode extends Error {}

export const isCode = (name: string): boolean =>
  name.startsWith('lib/') && !name.toLowerCase().endsWith('.jar');
/** Those that are asked for operator classes; what lies deeper they import. */
export const isModule = (name: string): boolean => /^lib\/[^/]+\.mjs$/.test(name);

interface UnpackedCode {
  /** The digest of the code alone. */
  readonly key: string;
  /** The names of its files are on the disk then, as their contents are already. */
  sync(): Promise<void>;
}

/** Writes the code of a package to a new folder. Rejects with `TooMuchCode`. */
export async function unpackCode(
  content: PackageContent,
  folder: string,
  limits: CodeLimits,
): Promise<UnpackedCode> {
  const files = codeOf(content, limits);
  const hash = createHash('sha256');
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}', {
    flush: true,
    mode: 0o600,
  });
  const folders = new Set([folder]);
  for (const { name, size } of files) {
    const bytes = await content.read(name, size);
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
    const path = placeIn(folder, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, bytes, { flush: true, mode: 0o600 });
    for (let above = dirname(path); !folders.has(above); above = dirname(above)) folders.add(above);
  }
  return {
    key: hash.digest('hex'),
    async sync() {
      for (const one of folders) await syncFolder(one);
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
