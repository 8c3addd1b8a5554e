import { type Event, type EventReader, NotFound, setNewest } from 'headgate/driver-kit';
import { checkpointsOf } from '../jobs/checkpoints.js';
import type { FlinkRescale } from '../rest/history-shapes.js';
import type { Resources } from '../rest/resources.js';
import { eventsOf, type PropertyChange } from './derived-events.js';
import type { JobViews } from './job-view.js';

/** Events of jobs: what Flink tells now, and what it told before, of which it keeps little. */
export interface EventBook {
  of(jobId: string): EventReader;
  /** All that are known, the oldest first; those that are new are published. */
  look(jobId: string): Promise<readonly Event[]>;
}

export function createEventBook(deps: {
  readonly resources: Resources;
  readonly views: JobViews;
  /** What was changed of a job here. */
  readonly changes: (jobId: string) => readonly PropertyChange[];
  readonly publish: (jobId: string, event: Event) => void;
  readonly limits: { readonly events: number; readonly eventJobs: number };
}): EventBook {
  const { resources, publish, limits } = deps;
  /** Job to its events by id; those of the jobs that were looked at last. */
  const books = new Map<string, Map<string, Event>>();

  async function look(jobId: string): Promise<readonly Event[]> {
    const [view, exceptions, { history: checkpoints }, rescales] = await Promise.all([
      deps.views.read(jobId),
      resources.exceptions.get(jobId),
      checkpointsOf(resources, jobId),
      rescalesOf(resources, jobId),
    ]);
    const before = books.get(jobId);
    const book = before ?? new Map<string, Event>();
    setNewest(books, jobId, book, limits.eventJobs);
    const fresh = inOrder(
      eventsOf(view, { exceptions, checkpoints, rescales, changes: deps.changes(jobId) }).filter(
        ({ id }) => !book.has(id),
      ),
    );
    for (const event of fresh) {
      setNewest(book, event.id, event, limits.events);
      // What was there before anybody looked is no news.
      if (before) publish(jobId, event);
    }
    return inOrder([...book.values()]);
  }

  return {
    look,
    of: (jobId) => ({
      async read({ from, to, offset, limit }) {
        const all = await look(jobId);
        if (from === undefined && to === undefined) {
          const end = Math.max(0, all.length - offset);
          return all.slice(Math.max(0, end - limit), end);
        }
        return all
          .filter(({ timestamp }) => timestamp >= (from ?? -Infinity) && timestamp <= (to ?? Infinity))
          .slice(offset, offset + limit);
      },
    }),
  };
}

/** The adaptive scheduler alone has any, since Flink 2.3, and keeps them where it is told how many. */
async function rescalesOf(
  resources: Pick<Resources, 'job' | 'rescales'>,
  jobId: string,
): Promise<readonly FlinkRescale[]> {
  const { schedulerType } = await resources.job.get(jobId);
  if (schedulerType !== 'Adaptive') return [];
  return resources.rescales.get(jobId).catch((error: unknown) => {
    if (error instanceof NotFound) return [];
    throw error;
  });
}

const inOrder = (events: readonly Event[]): Event[] =>
  events.toSorted((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1));
