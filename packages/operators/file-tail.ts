import { type FileHandle, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { BoundedBuffer } from './bounded-buffer.js';
import {
  type FileIdentity,
  type FilePosition,
  identify,
  isFileOf,
  openReal,
  openRenamed,
  sameInode,
  stillThat,
} from './file-position.js';
import { LineSplitter } from './line-splitter.js';
import type { OperatorLog } from './operator.js';
import { messageOf } from './record.js';

interface FileTailOptions {
  /** What it is called when there is something to tell. */
  readonly path: string;
  /** Where it is: asked whenever the name is looked at, as a link may have come to lead elsewhere. Throws when it may not be read. */
  readonly locate: () => string;
  /** Goes on at the end of the file, and with the next file of that name. */
  readonly follow: boolean;
  /** Where to go on; without it at the beginning of the file. */
  readonly from: FilePosition | undefined;
  readonly maxLineBytes: number;
  readonly encoding: 'utf8' | 'latin1';
  readonly pollMillis: number;
  readonly log: OperatorLog;
}

/** A line, and where the file goes on after it. */
interface TailLine extends FilePosition {
  readonly text: string;
  readonly cut: boolean;
}

/** Most that waits for `take`: the file is read no further until there is room. */
const limits = { items: 10_000, weight: 4 * 1024 * 1024 };
const chunkBytes = 64 * 1024;
/** Files that may wait to be read after the present one; later ones are not noticed before there is room. */
const maxComing = 100;

/** What can pass: the file is being replaced, or its owner is about to open it up. */
const passing = new Set(['ENOENT', 'EACCES', 'EPERM']);
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Reads a file's lines in the background, like `tail -F`. */
export class FileTail {
  readonly #options: FileTailOptions;
  readonly #buffer = new BoundedBuffer<TailLine>(limits);
  readonly #abort = new AbortController();
  readonly #chunk = Buffer.alloc(chunkBytes);
  readonly #done: Promise<unknown>;
  /** Files that took the name since, oldest first: rotations may be faster than we read. */
  readonly #coming: FileIdentity[] = [];
  /** The last of them, or the one that was opened first. */
  #newest: FileIdentity | undefined;
  #ended = false;
  #failure: unknown;

  constructor(options: FileTailOptions) {
    this.#options = options;
    const run = this.#run().catch((error: unknown) => {
      this.#failure = error;
    });
    this.#done = Promise.all([run, options.follow ? this.#watch() : undefined]);
  }

  /** The next line, if one is there. Throws what keeps the file from being read at all. */
  take(): TailLine | undefined {
    const line = this.#buffer.shift();
    if (line === undefined && this.#failure !== undefined) throw this.#failure;
    return line;
  }

  /** Everything was read and taken, and nothing more will come. */
  get ended(): boolean {
    return this.#ended && this.#buffer.size === 0;
  }

  /** Files that have had the name since, and are read after the present one. */
  get waitingFiles(): number {
    return this.#coming.length;
  }

  /** Resolves when the file is closed. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#buffer.close();
    await this.#done;
  }

  get #closed(): boolean {
    return this.#abort.signal.aborted;
  }

  async #run(): Promise<void> {
    const first = await this.#open(this.#options.from);
    for (let next = first; next; next = await this.#next()) {
      try {
        await this.#read(next.handle, next.offset);
      } finally {
        await next.handle.close();
      }
      if (!this.#options.follow) {
        this.#ended = true;
        return;
      }
    }
  }

  /** The oldest of those that took the name, under whatever name it has by now; `undefined` when closed before. */
  async #next(): Promise<{ handle: FileHandle; offset: number } | undefined> {
    while (!this.#closed) {
      const file = this.#coming.shift();
      if (!file) {
        await this.#pause();
        continue;
      }
      const handle = await this.#continue({ file, offset: 0 }).catch(() => undefined);
      if (handle) return { handle, offset: 0 };
      this.#options.log.warn(`a file that was ${this.#options.path} for a while is gone before it was read`);
    }
    return undefined;
  }

  /** Also while nobody takes lines: what is rotated away meanwhile is found by what it is. */
  async #watch(): Promise<void> {
    let told = '';
    while (!this.#closed) {
      await this.#pause();
      if (this.#newest === undefined || this.#coming.length >= maxComing) continue;
      const problem = await this.#look(this.#newest).then(
        () => '',
        (error: unknown) => (codeOf(error) === 'ENOENT' ? '' : messageOf(error)),
      );
      if (problem !== '' && problem !== told)
        this.#options.log.warn(`the next ${this.#options.path} can't be opened: ${problem}`);
      told = problem;
    }
  }

  async #look(newest: FileIdentity): Promise<void> {
    const real = this.#options.locate();
    const found = await stat(real, { bigint: true });
    if (String(found.dev) === newest.device && String(found.ino) === newest.inode) return;
    if (!found.isFile()) throw new Error('it is no file');
    const handle = await openReal(real);
    try {
      const file = await identify(handle);
      if (sameInode(file, newest)) return;
      this.#newest = file;
      this.#coming.push(file);
    } finally {
      await handle.close();
    }
  }

  /** Waits until there is a file; `undefined` when closed meanwhile. */
  async #open(from: FilePosition | undefined): Promise<{ handle: FileHandle; offset: number } | undefined> {
    const { path, locate, follow, log } = this.#options;
    let told = false;
    while (!this.#closed) {
      const renamed = from && (await this.#continue(from));
      if (renamed) return { handle: renamed, offset: from?.offset ?? 0 };
      try {
        const real = locate();
        // Opening a pipe without a writer would never return.
        if (!(await stat(real)).isFile())
          throw new Error(`${path} is no file: the property path must name one`);
        const handle = await openReal(real);
        if (from) log.warn(`${path} was replaced and the rest of the old file is gone: reading the new one`);
        return { handle, offset: 0 };
      } catch (error) {
        // A link came after the place was found: where it leads is asked again.
        if (codeOf(error) === 'ELOOP') continue;
        if (!follow || !passing.has(codeOf(error))) throw error;
        if (!told) log.info(`waiting for ${path}: ${messageOf(error)}`);
        told = true;
        await this.#pause();
      }
    }
    return undefined;
  }

  /** The file that was being read, by its own name or by the one that a rotation gave it. */
  async #continue(from: FilePosition): Promise<FileHandle | undefined> {
    const real = this.#options.locate();
    const isFile = await stat(real).then(
      (found) => found.isFile(),
      () => false,
    );
    const handle = isFile ? await openReal(real).catch(() => undefined) : undefined;
    if (handle && (await isFileOf(handle, from).catch(() => false))) return handle;
    await handle?.close();
    return openRenamed(real, from);
  }

  /** Returns at the end of the file when it is not followed, and when another file has taken its name. */
  async #read(handle: FileHandle, start: number): Promise<void> {
    const { follow, maxLineBytes, encoding, log, path } = this.#options;
    const splitterAt = (offset: number) => new LineSplitter({ maxLineBytes, encoding, offset });
    let splitter = splitterAt(start);
    let file = await identify(handle);
    this.#newest ??= file;
    let replaced = false;
    /** Who writes may have begun anew since. In the midst of a long file that is not looked for. */
    let isAtEnd = true;
    while (!this.#closed) {
      const { offset } = splitter;
      const { bytesRead } = await handle.read(this.#chunk, 0, chunkBytes, offset);
      const chunk = this.#chunk.subarray(0, bytesRead);
      const known: FileIdentity | undefined = isAtEnd
        ? await stillThat(handle, { file, offset }, chunk)
        : file;
      isAtEnd = bytesRead < chunkBytes || !known;
      if (!known) {
        log.warn(`${path} was truncated: reading it from its beginning`);
        splitter = splitterAt(0);
        file = await identify(handle);
        continue;
      }
      file = known;
      if (bytesRead > 0) {
        for (const line of splitter.push(chunk)) this.#push(line, file);
        await this.#buffer.room();
        continue;
      }
      // A writer may hold the old file a little longer: only the second end of it counts.
      if (!follow || replaced) {
        const last = splitter.flush();
        if (last) this.#push(last, file);
        return;
      }
      replaced = this.#coming.length > 0;
      await this.#pause();
    }
  }

  #push(line: { text: string; cut: boolean; end: number }, file: FileIdentity): void {
    const { text, cut, end } = line;
    this.#buffer.push({ text, cut, file, offset: end }, text.length);
  }

  #pause(): Promise<void> {
    return delay(this.#options.pollMillis, undefined, { signal: this.#abort.signal }).catch(() => {});
  }
}
