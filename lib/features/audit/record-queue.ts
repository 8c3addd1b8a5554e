import type { Appending } from './record-store.js';

/** Records on their way to the disk: they go there in batches, one batch after the other. */
interface RecordQueue {
  /**
   * Written at once, or a moment later with others when it is a refusal or the end of what is on the disk. Resolves
   * when it is on the disk, or could not be written. A refusal that comes while too much waits is counted,
   * and not kept.
   */
  add(record: Appending): Promise<void>;
  /** The same of an end that nobody waits for. */
  addEnd(record: Appending): void;
  /** Resolves when what waits now has been written. */
  flush(): Promise<void>;
  /** What waits is written, and what comes later at once. */
  close(): Promise<void>;
}

interface Waiting extends Appending {
  readonly done?: () => void;
}

const gatherMillis = 200;

export function createRecordQueue(deps: {
  /** Puts a batch on the disk. `dropped`: so many refusals were not kept since the last one. Never rejects. */
  readonly write: (batch: readonly Appending[], dropped: number) => Promise<void>;
  readonly maxBatch: number;
  readonly maxWaiting: number;
}): RecordQueue {
  const { maxBatch, maxWaiting } = deps;
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dropped = 0;
  let isClosed = false;

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running ??= writeAll();
    return running;
  }

  async function writeAll(): Promise<void> {
    // Not at once: others of the same turn may come along.
    await undefined;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      const lost = dropped;
      dropped = 0;
      await deps.write(batch, lost);
      for (const { done } of batch) done?.();
    }
    // In the turn that found nothing: who comes later starts anew.
    running = undefined;
  }

  function push(one: Waiting, isUrgent: boolean): void {
    waiting.push(one);
    if (isUrgent || isClosed || waiting.length >= maxBatch) void flush();
    else timer ??= setTimeout(() => void flush(), gatherMillis).unref();
  }

  return {
    add(record) {
      const { series } = record;
      if (series === 'refusals' && waiting.length >= maxWaiting) {
        dropped++;
        return Promise.resolve();
      }
      return new Promise((done) => push({ ...record, done }, series === 'changes'));
    },

    addEnd: (record) => push(record, false),

    flush,

    async close() {
      isClosed = true;
      await flush();
      // Some may have come while the last batch was under way.
      while (waiting.length > 0) await flush();
    },
  };
}
