import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

/** Appends to a file, and begins a new one when it is full: `output.log`, then `output.log.1`, the newest first. */
interface RollingLog {
  write(bytes: Buffer): void;
  close(): void;
}

/** Synchronous: it runs in a process that does little else, and what was written last must not be lost with it. */
export function rollingLog(path: string, maxBytes: number, kept: number): RollingLog {
  let file = openSync(path, 'a', 0o600);
  let size = statSync(path).size;

  function roll() {
    for (let number = kept; number >= 1; number--) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      try {
        renameSync(from, `${path}.${number}`);
      } catch {
        // There are not so many yet.
      }
    }
    const next = openSync(path, 'w', 0o600);
    // Not before there is another: its number would be that of whatever is opened next.
    closeSync(file);
    file = next;
    size = 0;
  }

  return {
    write(bytes) {
      try {
        if (size > 0 && size + bytes.length > maxBytes) roll();
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
        size += bytes.length;
      } catch {
        // A full disk must not end the program: its output is lost until there is room.
      }
    },
    close: () => closeSync(file),
  };
}
