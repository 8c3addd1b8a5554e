import type { FileHandle } from 'node:fs/promises';

/** A file that stays open until nobody uses it: it has one user from the beginning. */
interface SharedFile {
  /** One user more, who is going to call `release`. */
  hold(): void;
  release(): Promise<void>;
  /** The bytes from `start` up to `end`, in the beginning of `memory`; fewer when the file is shorter. */
  read(start: number, end: number, memory: Buffer): Promise<Buffer>;
  readonly isUsed: boolean;
  /** Resolves when it is closed. */
  readonly gone: Promise<void>;
}

export function shareFile(file: FileHandle, closed: () => void): SharedFile {
  let uses = 1;
  let markGone = () => {};
  const gone = new Promise<void>((resolve) => {
    markGone = resolve;
  });

  async function release(): Promise<void> {
    if (--uses > 0) return;
    // A file that was only read has nothing to lose when closing fails.
    await file.close().catch(() => {});
    closed();
    markGone();
  }

  return {
    hold() {
      uses++;
    },
    release,
    async read(start, end, memory) {
      const buffer = memory.subarray(0, end - start);
      uses++;
      try {
        let filled = 0;
        while (filled < buffer.length) {
          const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return buffer.subarray(0, filled);
      } finally {
        void release();
      }
    },
    get isUsed() {
      return uses > 0;
    },
    gone,
  };
}
