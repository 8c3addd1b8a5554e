import { TooManyRequests } from 'headgate/driver-kit';

/** Lets few things happen at the same time; the others wait for their turn, in order. */
interface Permits {
  /** Rejects with `TooManyRequests` when too many wait. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

const maxWaiting = 500;

export function createPermits(count: number): Permits {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run(work) {
      if (free > 0) free--;
      else if (waiting.length >= maxWaiting)
        throw new TooManyRequests(`${maxWaiting} modules of packages are waiting to be looked at`, 5);
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    },
  };
}
