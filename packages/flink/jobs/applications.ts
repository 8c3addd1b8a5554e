import { createCachedReports, recentOrStale, type Sighting, type StoredReports } from '@headgate/history';
import { type CallOptions, type Clock, NotFound, setNewest, undefinedIfUnknown } from 'headgate/driver-kit';
import type { JobSummary } from '../rest/job-shapes.js';
import type { Seen } from '../rest/polled.js';
import type { Resources } from '../rest/resources.js';
import { isHexId } from '../rest/values.js';
import { allocationsOf, noSlots, type TaskManagerDetails } from './allocations.js';
import { type Allocation, reportOf } from './reports.js';
import { hasEnded, statesOf } from './states.js';

/** The jobs of the cluster, each an application. */
export interface FlinkApplications {
  /**
   * Those that the JobManager knows, and those that it forgot: one that was not seen to end is told as it was seen last, as long
   * as `forgottenMillis` says. Rejects when nobody can be asked.
   */
  list(options?: { readonly activeOnly?: boolean }): Promise<readonly Sighting[]>;
  /** While nobody can be asked: as it was seen last. Rejects with `NotFound`. */
  get(appId: string, options?: CallOptions): Promise<Sighting>;
  /** Something was changed: it is asked anew. */
  changed(appId: string): void;
}

const isActive = ({ report }: Sighting): boolean => !hasEnded(report);

type Allocations = ReadonlyMap<string, Allocation>;

interface Listed {
  readonly jobs: readonly JobSummary[];
  readonly allocations: Allocations | undefined;
  readonly found: readonly Sighting[];
  readonly ids: ReadonlySet<string>;
}

/** The JobManager itself keeps what it tells of a job (`web.refresh-interval`, 3 s by default), milliseconds. */
const refreshMillis = 15_000;

export function createApplications(deps: {
  readonly resources: Pick<Resources, 'jobs' | 'job'>;
  readonly details: TaskManagerDetails;
  /** What the JobManager says now, and not what it said some seconds ago. */
  readonly statusOf: (jobId: string) => Promise<string>;
  readonly clock: Clock;
  readonly user: string;
  readonly limits: { readonly jobs: number; readonly forgottenMillis: number };
  readonly kept: StoredReports<Sighting>;
}): FlinkApplications {
  const { resources, clock, user, kept } = deps;
  const { jobs: sightings, forgottenMillis } = deps.limits;
  const cached = createCachedReports({ clock, kept, limits: { sightings, forgottenMillis } });
  const changes = createChanges({ ...deps, kept: sightings });
  const readAllocations = allocationReader(deps.details);

  const sightingOf = (seen: Seen<JobSummary>, allocations: Allocations | undefined): Sighting => ({
    report: reportOf(seen, { user, allocation: allocations && (allocations.get(seen.value.jid) ?? noSlots) }),
  });

  /** Of one answer, as long as nothing was asked anew: who listens to the list asks more often than Flink is asked. */
  let last: Listed | undefined;

  async function listed(): Promise<Listed> {
    const [{ value, at }, allocations] = await Promise.all([resources.jobs.seen(), readAllocations()]);
    if (last?.jobs === value && last.allocations === allocations) return last;
    const found = value.map((job) => sightingOf({ value: job, at }, allocations));
    cached.see(found);
    const ids = new Set(found.map(({ report }) => report.id));
    last = { jobs: value, allocations, found, ids };
    return last;
  }

  async function list({ activeOnly = false }: { readonly activeOnly?: boolean } = {}) {
    const { found, ids } = await listed();
    const missing = cached.missing(ids);
    if (activeOnly) return [...found.filter(isActive), ...missing];
    return [...found, ...missing, ...cached.ended(ids)];
  }

  /** Each of one answer, for the same reason. */
  const single = new WeakMap<Seen<JobSummary>, Sighting>();

  async function sightingNow(appId: string, seen: Seen<JobSummary>): Promise<Sighting> {
    const before = single.get(seen);
    if (before && !changes.isRecent(appId)) return before;
    const [end, allocations] = await Promise.all([changes.endOf(appId), readAllocations()]);
    const now = end ? { ...seen, value: { ...seen.value, ...end } } : seen;
    const sighting = sightingOf(now, allocations);
    cached.see([sighting]);
    single.set(seen, sighting);
    return sighting;
  }

  async function get(appId: string): Promise<Sighting> {
    if (!isHexId(appId)) throw new NotFound('application', appId);
    const seen = await resources.job.seen(appId).catch(undefinedIfUnknown);
    if (seen) return sightingNow(appId, seen);
    const last = cached.get(appId);
    if (!last) throw new NotFound('application', appId);
    cached.forget(appId);
    if (!cached.get(appId)) throw new NotFound('application', appId);
    return last;
  }

  const recent = recentOrStale({ get, last: cached.get, clock, usableMillis: forgottenMillis });
  return {
    list,
    get: (appId, options) => recent(appId, 0, options),
    changed(appId) {
      resources.jobs.forget();
      resources.job.forget(appId);
      changes.note(appId);
    },
  };
}

/** What jobs hold: as it was last while the JobManager does not tell, and `undefined` as long as it never did. */
function allocationReader(details: TaskManagerDetails): () => Promise<Allocations | undefined> {
  let last: Allocations | undefined;
  return async () => {
    last = await details.all().then(allocationsOf, () => last);
    return last;
  };
}

/** For some time after a change: whoever made it looks whether it is over. */
function createChanges({
  statusOf,
  clock,
  kept,
}: {
  readonly statusOf: (jobId: string) => Promise<string>;
  readonly clock: Clock;
  readonly kept: number;
}) {
  /** When something was done to a job. */
  const changes = new Map<string, number>();
  const isRecent = (appId: string): boolean => {
    const changedAt = changes.get(appId);
    return changedAt !== undefined && clock.monotonic() - changedAt <= refreshMillis;
  };
  return {
    isRecent,
    note: (appId: string) => setNewest(changes, appId, clock.monotonic(), kept),
    async endOf(appId: string): Promise<Pick<JobSummary, 'state'> | undefined> {
      if (!isRecent(appId)) return undefined;
      const state = await statusOf(appId).catch(() => undefined);
      return state !== undefined && hasEnded(statesOf(state)) ? { state } : undefined;
    },
  };
}
