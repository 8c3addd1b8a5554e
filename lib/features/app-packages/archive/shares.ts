import { NotReady } from '../../../model/errors.js';

/** A part of the memory that is given back in the end. */
export interface Share {
  /** Less is enough. */
  shrink(bytes: number): void;
  /** Idempotent. */
  release(): void;
}

/** Memory that is shared by all requests. Who can't have a part of it waits, in the order of asking. */
export interface Shares {
  /** Rejects with the signal's reason, and with `NotReady` when it lasts too long. */
  take(bytes: number, signal?: AbortSignal): Promise<Share>;
  /** Somebody waits: nothing is kept for later. */
  readonly isShort: boolean;
}

interface SharesOptions {
  /** Bytes. One who wants more gets all. */
  readonly total: number;
  /** Milliseconds. */
  readonly timeoutMillis: number;
  /** Gives back all that is only kept for later; called before anybody waits. */
  readonly spare: () => void;
}

/** Who would wait behind so many is told at once. */
const maxWaiting = 1000;

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

export function createShares({ total, timeoutMillis, spare }: SharesOptions): Shares {
  const line: Waiting[] = [];
  let free = total;

  function give(bytes: number): void {
    free += bytes;
    for (let first = line[0]; first && first.bytes <= free; first = line[0]) {
      line.shift();
      free -= first.bytes;
      first.begin();
    }
  }

  function shareOf(taken: number): Share {
    let held = taken;
    const shrink = (bytes: number) => {
      const less = Math.max(0, held - bytes);
      held -= less;
      give(less);
    };
    return { shrink, release: () => shrink(0) };
  }

  function stand(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = (error: unknown) => {
        line.splice(line.indexOf(own), 1);
        settle();
        reject(error);
        // One behind may want less.
        give(0);
      };
      const abort = () => leave(signal?.reason);
      const timer = setTimeout(() => leave(busy()), timeoutMillis);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const own: Waiting = {
        bytes,
        begin() {
          settle();
          resolve();
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      line.push(own);
    });
  }

  return {
    get isShort() {
      return line.length > 0;
    },
    async take(wanted, signal) {
      signal?.throwIfAborted();
      const bytes = Math.min(wanted, total);
      if (bytes > free) spare();
      if (line.length === 0 && bytes <= free) free -= bytes;
      else if (line.length < maxWaiting) await stand(bytes, signal);
      else throw busy();
      return shareOf(bytes);
    },
  };
}

const busy = () =>
  new NotReady(
    'Too many packages with very many files are being read at once; send the request again in a moment',
  );
