import type { Clock } from '../interfaces/clock.js';
import type { StepScheduler } from '../runtime/step-scheduler.js';

/**
 * What is to be done at the same interval is done together: a process that is woken for each of a thousand small things
 * spends more on waking up than on them.
 */
interface Ticker {
  /** Calls `tick` at every multiple of `every` milliseconds, until the returned function is called. */
  join(every: number, tick: () => void): () => void;
}

/**
 * So many ticks are begun together, and the next ones a part of the interval later: what they ask has to answer, and a
 * thousand questions in one moment are no favour.
 */
const together = { ticks: 256, partsOfInterval: 20 };

export function createTicker({ clock, slices }: { clock: Clock; slices: StepScheduler }): Ticker {
  const byInterval = new Map<number, Beat>();
  // Intervals have their beats in common; the gateways of one process do not.
  const startedAt = clock.monotonic();
  const sinceStart = () => clock.monotonic() - startedAt;
  return {
    join(every, tick) {
      const beat = byInterval.get(every) ?? createBeat(every, sinceStart, slices);
      byInterval.set(every, beat);
      beat.ticks.add(tick);
      return () => {
        beat.ticks.delete(tick);
        if (beat.ticks.size > 0 || byInterval.get(every) !== beat) return;
        byInterval.delete(every);
        beat.stop();
      };
    },
  };
}

interface Beat {
  readonly ticks: Set<() => void>;
  stop(): void;
}

function createBeat(every: number, now: () => number, slices: StepScheduler): Beat {
  const ticks = new Set<() => void>();
  let nextBeat: NodeJS.Timeout;
  let nextPart: NodeJS.Timeout | undefined;
  let isUnderWay = false;

  function schedule(): void {
    nextBeat = setTimeout(beat, untilNext(now(), every)).unref();
  }

  function beat(): void {
    schedule();
    // Too busy to begin all of them in one interval: nobody's turn is dropped for it.
    if (isUnderWay) return;
    isUnderWay = true;
    begin([...ticks], Math.max(together.ticks, Math.ceil(ticks.size / together.partsOfInterval)));
  }

  function begin(due: readonly (() => void)[], atOnce: number, from = 0): void {
    const to = Math.min(from + atOnce, due.length);
    let at = from;
    slices.run(() => {
      const tick = due[at++];
      // It may have left since.
      if (tick && ticks.has(tick)) tick();
      if (at < to) return true;
      isUnderWay = to < due.length && ticks.size > 0;
      if (isUnderWay) nextPart = setTimeout(begin, every / together.partsOfInterval, due, atOnce, to).unref();
      return false;
    });
  }

  schedule();
  return {
    ticks,
    stop() {
      clearTimeout(nextBeat);
      clearTimeout(nextPart);
    },
  };
}

/** Milliseconds to the next multiple of `every`, the one after it when that is too near. */
export function untilNext(now: number, every: number): number {
  const wait = every - (now % every);
  return wait < every / 10 ? wait + every : wait;
}
