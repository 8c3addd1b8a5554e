import { constants } from 'node:fs';
import { access, chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ContainerFailed, openSource, owned } from 'headgate/driver-kit';
import { extract, type ReadEntry } from 'tar';
import { syncPath, syncTree } from './on-disk.js';
import type { ProcessLimits } from './options.js';
import { writeWhole } from './record.js';

/** Where a service keeps its things. */
export interface Places {
  readonly root: string;
  /** What `srcUrl` holds, unpacked. Replaced as a whole when it changes. */
  readonly program: string;
  /** The program's own, kept until the service is removed. */
  readonly data: string;
  readonly logs: string;
}

export const placesIn = (root: string): Places => ({
  root,
  program: join(root, 'program'),
  data: join(root, 'data'),
  logs: join(root, 'logs'),
});

/** Says from where the program is: there as long as that is whole, whatever ends this process or the machine. */
const marker = ({ root }: Places) => join(root, 'program.json');

/**
 * Fetches what `srcUrl` holds, once: a `tar` archive, also compressed by `gzip`, is unpacked; anything else is a program
 * as it is. Nothing of a fetch that failed is used.
 */
export async function fetchProgram(
  places: Places,
  srcUrl: string | undefined,
  options: {
    readonly limits: ProcessLimits;
    readonly signal: AbortSignal;
    readonly onProgress?: (sentence: string) => void;
  },
): Promise<void> {
  for (const path of [places.root, places.program, places.data, places.logs])
    await mkdir(path, { recursive: true, mode: 0o700 });
  const wanted = JSON.stringify({ srcUrl: srcUrl ?? '' });
  if ((await readFile(marker(places), 'utf8').catch(() => '')) === wanted) return;
  if (srcUrl === undefined) return writeWhole(marker(places), { srcUrl: '' });

  const fresh = join(places.root, 'program.new');
  const fetched = join(places.root, 'fetched');
  try {
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh, { mode: 0o700 });
    const { limits, signal, onProgress } = options;
    const { content } = await openSource(srcUrl, {
      signal,
      maxBytes: limits.fetchBytes,
      ...(onProgress ? { onProgress } : {}),
    });
    const file = await open(fetched, 'w', 0o600);
    await pipeline(content, owned(file.createWriteStream()), { signal });
    if (await isArchive(fetched)) await unpack(fetched, fresh, limits, signal);
    else {
      await chmod(fetched, 0o700);
      await rename(fetched, join(fresh, nameIn(srcUrl)));
    }
    signal.throwIfAborted();
    await syncTree(fresh);
    await rm(marker(places), { force: true });
    await syncPath(places.root);
    await rm(places.program, { recursive: true, force: true });
    await rename(fresh, places.program);
    await syncPath(places.root);
    await writeWhole(marker(places), { srcUrl });
  } finally {
    await rm(fetched, { force: true });
    await rm(fresh, { recursive: true, force: true });
  }
}

/** The last part of the path: the program is called so, where that is a name of a file. */
function nameIn(srcUrl: string): string {
  try {
    const name = decodeURIComponent(basename(new URL(srcUrl).pathname)).replace(/[/\\\0]/g, '_');
    return /^\.{0,2}$/.test(name) || Buffer.byteLength(name) > 255 ? 'program' : name;
  } catch {
    // Not well encoded.
    return 'program';
  }
}

async function isArchive(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(512), 0, 512, 0);
    return (buffer[0] === 0x1f && buffer[1] === 0x8b) || buffer.toString('latin1', 257, 262) === 'ustar';
  } finally {
    await file.close();
  }
}

async function unpack(
  archive: string,
  into: string,
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<void> {
  let files = 0;
  let bytes = 0;
  let problem: string | undefined;
  const filter = (path: string, entry: unknown): boolean => {
    // Nothing in `tar` stops in the middle; the rest of the archive is passed over.
    if (signal.aborted) return false;
    const { size = 0, type } = isEntry(entry) ? entry : {};
    files++;
    bytes += size;
    if (files > limits.files) problem ??= `holds more than ${limits.files} files`;
    else if (bytes > limits.unpackedBytes) problem ??= `unpacks to more than ${limits.unpackedBytes} bytes`;
    else if (/(^|\/)\.\.(\/|$)|^\//.test(path)) problem ??= `holds ${path}, which leads out of its directory`;
    else if (!/^(File|OldFile|ContiguousFile|Directory|SymbolicLink|Link)$/.test(String(type)))
      problem ??= `holds ${path}, which is no file, directory or link`;
    return problem === undefined;
  };
  try {
    await extract({ file: archive, cwd: into, strict: true, preserveOwner: false, filter });
  } catch (cause) {
    problem ??= `can't be unpacked: ${cause instanceof Error ? cause.message : 'it is damaged'}`;
  }
  signal.throwIfAborted();
  if (problem !== undefined) throw new ContainerFailed(`The archive ${problem}`);
}

const isEntry = (entry: unknown): entry is ReadEntry =>
  typeof entry === 'object' && entry !== null && 'type' in entry && 'size' in entry;

/** The program itself: in the service's directory, by its path, or found as a shell finds it. */
export async function findProgram(places: Places, program: string, path: string): Promise<string> {
  const candidates = program.startsWith('/')
    ? [program]
    : [
        join(places.program, program),
        ...(program.includes('/') ? [] : path.split(':').map((directory) => join(directory, program))),
      ];
  for (const candidate of candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  throw new ContainerFailed(
    `There is no program ${program} that can be run, neither in the service's own directory nor on the path ${path}`,
  );
}
