import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { outdated, rollingName, sequenceOf } from './rolling-names.js';

interface RollingFileOptions {
  /** Without links. */
  readonly directory: string;
  readonly name: string;
  /** Tells the files of partitions apart. */
  readonly part: string | undefined;
}

/** A link in a file's place would lead out of the directory. */
const appending = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/** Where the next byte goes. */
export const RollingPosition = z.object({
  sequence: z.number(),
  offset: z.number(),
  /** Time of the window that the file was begun in, epoch milliseconds; absent while it is empty. */
  since: z.number().optional(),
});
export type RollingPosition = z.output<typeof RollingPosition>;

/**
 * A row of numbered files, of which the last is written to. Going back to an earlier position cuts off what was
 * written after it.
 */
export class RollingFile {
  readonly #options: RollingFileOptions;
  #position: RollingPosition;
  #descriptor: number | undefined;

  constructor(options: RollingFileOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true });
    this.#position = { sequence: Math.max(0, ...this.#sequences()) + 1, offset: 0 };
  }

  get position(): RollingPosition {
    return this.#position;
  }

  /** Returns what is missing of the file, bytes: 0 unless somebody else cut or removed it. */
  goBackTo(position: RollingPosition): number {
    this.close();
    for (const sequence of this.#sequences()) {
      if (sequence > position.sequence) rmSync(this.#path(sequence), { force: true });
    }
    this.#position = position;
    const descriptor = this.#open();
    const length = fstatSync(descriptor).size;
    const missing = Math.max(0, position.offset - length);
    ftruncateSync(descriptor, position.offset - missing);
    this.#position = { ...position, offset: position.offset - missing };
    return missing;
  }

  write(bytes: Buffer, time: number): void {
    const descriptor = this.#open();
    let written = 0;
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    const { sequence, offset, since = time } = this.#position;
    this.#position = { sequence, offset: offset + bytes.length, since };
  }

  /** The next write goes to a new file; the oldest beyond `maxFiles` are deleted. */
  roll(maxFiles: number): void {
    this.sync();
    this.close();
    const sequence = this.#position.sequence + 1;
    this.#position = { sequence, offset: 0 };
    for (const old of outdated(this.#sequences(), sequence, maxFiles)) {
      rmSync(this.#path(old), { force: true });
    }
  }

  /** Returns when what was written is on the disk. */
  sync(): void {
    if (this.#descriptor !== undefined) fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #open(): number {
    this.#descriptor ??= openSync(this.#path(this.#position.sequence), appending, 0o640);
    return this.#descriptor;
  }

  #path(sequence: number): string {
    const { directory, name, part } = this.#options;
    return join(directory, rollingName(name, part, sequence));
  }

  #sequences(): number[] {
    const { directory, name, part } = this.#options;
    return readdirSync(directory).flatMap((file) => sequenceOf(file, name, part) ?? []);
  }
}
