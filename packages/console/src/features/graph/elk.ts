import Elk, { type ELK } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { type Layout, type LayoutInput, layoutOf } from './layout-input.js';

// One worker for all layouts of the page. It can't be interrupted, so what nobody waits for any more ends with its worker.
let elk: ELK | undefined;
let working = 0;

const started = (): ELK => {
  elk ??= new Elk({ workerFactory: () => new Worker(workerUrl) });
  return elk;
};

/** Begins to load the worker, which takes longer than most layouts. */
export const warmUp = (): void => void started();

/** Rejects when `signal` aborts. */
export async function laidOut(input: LayoutInput, signal: AbortSignal): Promise<Layout> {
  signal.throwIfAborted();
  const mine = started();
  working++;
  const stop = () => {
    if (working > 1 || elk !== mine) return;
    mine.terminateWorker();
    elk = undefined;
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return layoutOf(await Promise.race([mine.layout(input), aborted]));
  } finally {
    working--;
    signal.removeEventListener('abort', stop);
  }
}
