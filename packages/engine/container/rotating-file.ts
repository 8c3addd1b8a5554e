import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

export interface RotatingFile {
  write(text: string): void;
  /** Bytes in the current file. */
  size(): number;
}

/**
 * Appends to a file; when it would pass `maxBytes` it becomes `.1`, that `.2`, and so on up to `files` in all.
 * Writes are synchronous, so that what a dying process says last is kept. A full disk loses lines, nothing else.
 */
export function createRotatingFile(path: string, limits: { maxBytes: number; files: number }): RotatingFile {
  let fd = openSync(path, 'a', 0o600);
  let size = fstatSync(fd).size;

  function rotate(): void {
    for (let i = limits.files - 1; i >= 1; i--) {
      try {
        renameSync(i === 1 ? path : `${path}.${i - 1}`, `${path}.${i}`);
      } catch {
        // Not there yet.
      }
    }
    const next = openSync(path, limits.files > 1 ? 'a' : 'w', 0o600);
    // Not before there is another: its number would be that of whatever is opened next.
    closeSync(fd);
    fd = next;
    size = 0;
  }

  return {
    write(text) {
      try {
        if (size > 0 && size + text.length > limits.maxBytes) rotate();
        size += writeSync(fd, text);
      } catch {
        // The disk is full or gone: there is no place left to say so.
      }
    },
    size: () => size,
  };
}
