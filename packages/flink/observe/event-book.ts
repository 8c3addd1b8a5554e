import { type Event, type EventReader, NotFound, setNewest } from 'headgate/driver-kit';
import { checkpointsOf } from '../jobs/checkpoints.js';
import type { FlinkRescale } from '../rest/history-shapes.js';
import type { Resources } from '../rest/resources.js';
import { eventsOf, type PropertyChange } from './derived-events.js';
import type { EventLog } from './event-log.js';
import type { JobViews } from './job-view.js';

/** Events of jobs: what Flink tells now, and what it told before, of which it keeps little. */
export interface EventBook {
  of(jobId: string): EventReader;
  /** All that are known, the oldest first; those that are new are published. */
  look(jobId: string): Promise<readonly Event[]>;
}

/** Of one job. */
interface Page {
  /** By id, the oldest first. */
  events: ReadonlyMap<string, Event>;
  /** By this process. */
  wasLookedAt: boolean;
}

export function createEventBook(deps: {
  readonly resources: Resources;
  readonly views: JobViews;
  /** What was changed of a job here. */
  readonly changes: (jobId: string) => readonly PropertyChange[];
  readonly publish: (jobId: string, event: Event) => void;
  /** Where they outlive this process. */
  readonly log: Pick<EventLog, 'read' | 'append' | 'leave'> | undefined;
  readonly limits: { readonly events: number; readonly eventJobs: number };
}): EventBook {
  const { resources, publish, log, limits } = deps;
  /** Those of the jobs that were looked at last. */
  const pages = new Map<string, Promise<Page>>();

  async function opened(jobId: string): Promise<Page> {
    const earlier = (await log?.read(jobId)) ?? [];
    return { events: new Map(earlier.map((event) => [event.id, event])), wasLookedAt: false };
  }

  function pageOf(jobId: string): Promise<Page> {
    const page = pages.get(jobId) ?? opened(jobId);
    const gone = setNewest(pages, jobId, page, limits.eventJobs);
    if (gone !== undefined) void log?.leave(gone);
    return page;
  }

  async function told(jobId: string): Promise<Event[]> {
    const [view, exceptions, { history: checkpoints }, rescales] = await Promise.all([
      deps.views.read(jobId),
      resources.exceptions.get(jobId),
      checkpointsOf(resources, jobId),
      rescalesOf(resources, jobId),
    ]);
    return eventsOf(view, { exceptions, checkpoints, rescales, changes: deps.changes(jobId) });
  }

  async function look(jobId: string): Promise<readonly Event[]> {
    const page = await pageOf(jobId);
    const found = await told(jobId).catch((error: unknown) => {
      // Flink forgets jobs sooner than their events are forgotten here.
      if (error instanceof NotFound && page.events.size > 0) return [];
      throw error;
    });
    const { events } = page;
    const known = inOrder([...events.values(), ...found.filter(({ id }) => !events.has(id))]);
    const newest = known.slice(-limits.events);
    const fresh = newest.filter(({ id }) => !events.has(id));
    page.events = new Map(newest.map((event) => [event.id, event]));
    if (fresh.length > 0) void log?.append(jobId, fresh);
    // What was there before anybody looked is no news.
    if (page.wasLookedAt) for (const event of fresh) publish(jobId, event);
    page.wasLookedAt = true;
    return newest;
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
