import { TooManyRequests } from '../../../../lib/index.js';

/** So many at once, so many that wait; more are refused. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurns(
  { commands, waitingCommands }: { readonly commands: number; readonly waitingCommands: number },
  refusal: string,
): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function enter(): Promise<void> {
    if (running < commands) {
      running++;
      return;
    }
    if (waiting.length >= waitingCommands) throw new TooManyRequests(refusal, 10);
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  return {
    async take(work) {
      await enter();
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
