import type { EventBook } from './event-book.js';

/** Looks for events of jobs as long as somebody listens to them, and of no others. */
interface EventFollower {
  /** The jobs that have not ended now. */
  present(jobIds: Iterable<string>): void;
  close(): void;
}

const countsOf = (jobId: string): string => `applications.${jobId}.events.numSubscribers`;

export function createEventFollower(deps: {
  readonly events: Pick<EventBook, 'look'>;
  /** `ClusterContext.subscribe`. */
  readonly subscribe: (topic: string, receive: (data: string) => void) => () => void;
  readonly pollMillis: number;
}): EventFollower {
  const { events, subscribe } = deps;
  /** Job to what ends the counting of its listeners. */
  const counted = new Map<string, () => void>();
  const listened = new Set<string>();
  /** Jobs that have ended, by the beats in which they are looked at all the same. */
  const leaving = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  // What can't be told now is told in the next beat, or by whoever asks.
  const look = (jobId: string) => events.look(jobId).catch(() => []);

  function count(jobId: string, data: string): void {
    if (/^"?0"?$/.test(data)) listened.delete(jobId);
    else {
      listened.add(jobId);
      void look(jobId);
    }
    keepTime();
  }

  function keepTime(): void {
    if (listened.size === 0 && leaving.size === 0) {
      clearInterval(timer);
      timer = undefined;
    } else timer ??= setInterval(beat, deps.pollMillis);
  }

  function beat(): void {
    for (const jobId of new Set([...listened, ...leaving.keys()])) void look(jobId);
    for (const [jobId, beats] of leaving) {
      if (beats === 1) leaving.delete(jobId);
      else leaving.set(jobId, beats - 1);
    }
    keepTime();
  }

  return {
    present(jobIds) {
      const present = new Set(jobIds);
      for (const jobId of present)
        if (!counted.has(jobId))
          counted.set(
            jobId,
            subscribe(countsOf(jobId), (data) => count(jobId, data)),
          );
      for (const [jobId, end] of counted) {
        if (present.has(jobId)) continue;
        end();
        counted.delete(jobId);
        // What it ended with: of a beat that has begun, answers may be those of before.
        if (listened.has(jobId)) leaving.set(jobId, 2);
        count(jobId, '0');
      }
    },
    close() {
      clearInterval(timer);
      for (const end of counted.values()) end();
      counted.clear();
      listened.clear();
      leaving.clear();
    },
  };
}
