import { createCachedReports, recentOrStale, type StoredReports } from '@headgate/history';
import {
  type ApplicationReport,
  type CallOptions,
  type Clock,
  Conflict,
  NotFound,
  undefinedIfUnknown,
} from 'headgate/driver-kit';
import { isApplicationId } from '../wire/ids.js';
import type { ManagerClient } from './client.js';
import type { ApplicationFolders } from './folders.js';
import { activeStates, applicationTypes, type Sighting, sightingIn, sightingsIn } from './reports.js';

/** The applications of the engine on this cluster. */
export interface YarnApplications {
  list(options?: CallOptions & { readonly activeOnly?: boolean }): Promise<Sighting[]>;
  /** Rejects with `NotFound`, also for applications of another type. */
  get(appId: string, options?: CallOptions): Promise<Sighting>;
  /** As of at most `maxAgeMillis` ago, and while no manager can be asked as it was last seen. */
  recent(appId: string, maxAgeMillis: number, options?: CallOptions): Promise<Sighting>;
  kill(appId: string, options?: CallOptions): Promise<void>;
}

/** Applications that left the list of running ones are looked at one by one, so many for one list. */
const looksAtOnce = 20;
const base = '/ws/v1/cluster/apps';

export function createApplications(deps: {
  readonly manager: ManagerClient;
  readonly clock: Clock;
  readonly limits: { readonly sightings: number; readonly forgottenMillis: number };
  readonly kept: StoredReports<Sighting>;
  readonly folders: ApplicationFolders;
}): YarnApplications {
  const { manager, clock } = deps;
  const sightings = createCachedReports(deps);

  async function list({ signal, activeOnly = false }: CallOptions & { activeOnly?: boolean } = {}) {
    const query = `applicationTypes=${applicationTypes.join()}${activeOnly ? `&states=${activeStates}` : ''}`;
    const { text } = await manager.ask(`${base}?${query}`, { signal });
    const found = sightingsIn(text, clock.now());
    sightings.see(found);
    const ids = new Set(found.map(({ report }) => report.id));
    const missing = sightings.missing(ids);
    if (activeOnly) {
      await lookAt(missing, signal);
      return [...found, ...sightings.missing(ids)];
    }
    for (const { report } of missing) sightings.forget(report.id);
    return [...found, ...sightings.missing(ids), ...(await thatLeftSomething(sightings.ended(ids)))];
  }

  /** Ended ones that the manager forgot, and whose folders are there. */
  async function thatLeftSomething(ended: readonly Sighting[]): Promise<Sighting[]> {
    const found: Sighting[] = [];
    for (const sighting of ended)
      if (await deps.folders.has(sighting.report.id)) found.push(sighting);
      else sightings.drop(sighting.report.id);
    return found;
  }

  /** Each has ended since, or was forgotten: the manager is asked, and what it does not know stays as it was seen. */
  async function lookAt(missing: readonly Sighting[], signal: AbortSignal | undefined): Promise<void> {
    const asked = missing.filter(({ report }) => sightings.isWorthAsking(report.id)).slice(0, looksAtOnce);
    await Promise.all(
      asked.map(({ report }) => get(report.id, { ...(signal ? { signal } : {}) }).catch(undefinedIfUnknown)),
    );
  }

  async function get(appId: string, { signal }: CallOptions = {}): Promise<Sighting> {
    if (!isApplicationId(appId)) throw new NotFound('application', appId);
    const answer = await manager.ask(`${base}/${appId}`, { signal }).catch(undefinedIfUnknown);
    if (answer) {
      const found = sightingIn(answer.text, clock.now());
      if (!found) throw new NotFound('application', appId);
      sightings.see([found]);
      return found;
    }
    sightings.forget(appId);
    const last = sightings.get(appId);
    if (!last) throw new NotFound('application', appId);
    if (hasEnded(last.report) && (await thatLeftSomething([last])).length === 0)
      throw new NotFound('application', appId);
    return last;
  }

  return {
    list,
    get,
    recent: recentOrStale({ get, last: sightings.get, clock, usableMillis: deps.limits.forgottenMillis }),
    async kill(appId, { signal } = {}) {
      const { report } = await get(appId, signal ? { signal } : {});
      if (hasEnded(report)) throw new Conflict('APPLICATION_ENDED', `${appId} has ended (${report.state})`);
      await manager.ask(`${base}/${appId}/state`, {
        signal,
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ state: 'KILLED' }),
      });
    },
  };
}

export const hasEnded = ({ finalStatus }: Pick<ApplicationReport, 'finalStatus'>): boolean =>
  finalStatus !== 'UNDEFINED';
