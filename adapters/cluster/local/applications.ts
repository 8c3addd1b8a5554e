import { type ApplicationReport, Conflict, type Master, NotFound, version } from '../../../lib/driver-kit.js';
import type { RunningApplication } from './application.js';
import type { Engine } from './engine.js';
import { endedMaster, type MasterDeps, runningMaster, snapshotOf } from './masters.js';
import type { LocalClusterSettings } from './options.js';
import type { ApplicationRecord } from './store/record.js';
import { ended } from './store/snapshot.js';
import { type ApplicationStore, emptySnapshot, type KeptApplication } from './store/store.js';
import { reportOf } from './views/summary.js';

/** `docs/decisions.md`, Ended applications stay a month; the property may say otherwise, in milliseconds. */
const retentionProperty = 'platform.gateway.appDirectoryRetentionMillis';
const defaultRetention = 30 * 24 * 3_600_000;

/** Between two records of a running application that tell of nothing but progress. */
const keepEveryMillis = 5000;

interface ApplicationsDeps {
  readonly settings: LocalClusterSettings;
  readonly store: ApplicationStore;
  /** Throws `NotReady` unless the engine is open. */
  readonly engine: () => Engine;
}

/** All applications that are known, and how each is kept. Whoever asks for an unknown one gets `NotFound`. */
export interface Applications {
  readonly running: readonly RunningApplication[];
  readonly endedRecords: readonly ApplicationRecord[];
  /** Forgets what it knew; `found` have ended. */
  reset(found: readonly KeptApplication[]): void;
  record(appId: string): ApplicationRecord;
  report(appId: string): ApplicationReport;
  reports(activeOnly: boolean): ApplicationReport[];
  master(appId: string): Master;
  /** Throws `Conflict` when it has ended. */
  runningOne(appId: string): RunningApplication;
  isRunning(appId: string): boolean;
  /** Keeps it for the first time; rejects when that fails. */
  keepFirst(application: RunningApplication): Promise<void>;
  /** Known from here on. */
  add(application: RunningApplication): void;
  /** Keeps it when it is due, and then resolves whether it could be kept. */
  changed(application: RunningApplication, urgent: boolean): Promise<boolean> | undefined;
  /** Those whose time is over are unknown when it returns; resolves when their files are gone, and never rejects. */
  forgetExpired(): Promise<void>;
  /** Neither it nor its files are forgotten before the returned function is called. */
  hold(appId: string): () => void;
  /** Never rejects. */
  ended(application: RunningApplication, record: ApplicationRecord): Promise<void>;
}

export function createApplications({ settings, store, engine }: ApplicationsDeps): Applications {
  const running = new Map<string, RunningApplication>();
  const kept = new Map<string, KeptApplication>();
  const keptAt = new Map<string, number>();
  /** Ended ones that the disk did not take. */
  const unkept = new Set<KeptApplication>();
  const holds = new Set<{ readonly id: string }>();
  const isHeld = (appId: string) => [...holds].some(({ id }) => id === appId);

  const masterDeps = ({ id, packageCode }: ApplicationRecord): MasterDeps => ({
    directory: store.directoryOf(id),
    version,
    registry: engine().packageCode.operatorsOf(packageCode).registry,
    gc: engine().gc,
    maxRecordings: settings.limits.recordings,
  });

  const record = (appId: string): ApplicationRecord => {
    const found = running.get(appId)?.record ?? kept.get(appId)?.record;
    if (!found) throw new NotFound('application', appId);
    return found;
  };

  const report = (appId: string): ApplicationReport =>
    reportOf(record(appId), running.get(appId), engine().context.clock.now());

  const keepNow = (application: RunningApplication): Promise<void> =>
    store.keep(application.record, snapshotOf(application, masterDeps(application.record)));

  async function tryToKeep(application: RunningApplication): Promise<boolean> {
    const { id } = application.record;
    const { clock, logger } = engine().context;
    keptAt.set(id, clock.monotonic());
    try {
      await keepNow(application);
      return true;
    } catch (error) {
      logger.error(
        { event: 'application.state_not_saved', appId: id, err: error },
        'The state of an application could not be kept',
      );
      return false;
    }
  }

  /** Tried again with each look for expired ones: without it the next start would tell another end. */
  async function keepEnd(application: KeptApplication): Promise<void> {
    const { record, snapshot } = application;
    try {
      await store.keep(record, snapshot);
      unkept.delete(application);
      await store.prune(record);
    } catch (error) {
      unkept.add(application);
      engine().context.logger.error(
        { event: 'application.end_not_saved', appId: record.id, err: error },
        'The end of an application could not be kept',
      );
    }
  }

  const pruneCode = () =>
    engine().packageCode.prune(
      [...running.values(), ...kept.values()].map(({ record: { packageCode } }) => packageCode),
    );

  async function forgetOldest(): Promise<void> {
    const oldest = [...kept.values()]
      .sort((one, other) => one.record.finishedTime - other.record.finishedTime)
      .slice(0, Math.max(0, kept.size + 1 - settings.limits.endedApplications));
    await forget(oldest.map(({ record }) => record.id).filter((id) => !isHeld(id)));
  }

  async function forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) kept.delete(id);
    for (const id of ids) await store.remove(id);
    if (ids.length > 0) await pruneCode();
  }

  function expired(): string[] {
    const { clock, property } = engine().context;
    const retention = Number(property?.(retentionProperty) ?? defaultRetention);
    const before = clock.now() - retention;
    return [...kept.values()].flatMap(({ record: { id, finishedTime } }) =>
      finishedTime < before && !isHeld(id) ? [id] : [],
    );
  }

  return {
    get running() {
      return [...running.values()];
    },
    get endedRecords() {
      return [...kept.values()].map(({ record }) => record);
    },
    reset(found) {
      kept.clear();
      for (const application of found) kept.set(application.record.id, application);
    },
    record,
    report,
    reports: (activeOnly) => [...(activeOnly ? [] : kept.keys()), ...running.keys()].map(report),
    master(appId) {
      const deps = masterDeps(record(appId));
      const application = running.get(appId);
      if (application) return runningMaster(application, deps);
      const { record: last, snapshot } = kept.get(appId) ?? {
        record: record(appId),
        snapshot: emptySnapshot,
      };
      return endedMaster(last, snapshot, deps);
    },
    runningOne(appId) {
      const { id } = record(appId);
      const application = running.get(id);
      if (!application) throw new Conflict(`The application ${id} has ended`);
      return application;
    },
    isRunning: (appId) => running.has(appId),
    keepFirst: keepNow,
    add: (application) => running.set(application.record.id, application),
    changed(application, urgent) {
      const last = keptAt.get(application.record.id) ?? -Infinity;
      const isDue = urgent || engine().context.clock.monotonic() - last >= keepEveryMillis;
      return isDue ? tryToKeep(application) : undefined;
    },
    async forgetExpired() {
      // As they are now: what fails once more is in the set again, and has to wait for the next look.
      for (const application of [...unkept]) {
        unkept.delete(application);
        if (kept.has(application.record.id)) await keepEnd(application);
      }
      const ids = expired();
      await forget(ids).catch((err: unknown) =>
        engine().context.logger.error(
          { event: 'application.cleanup_failed', err, appIds: ids },
          'Files of forgotten applications could not be removed',
        ),
      );
    },
    hold(id) {
      const hold = { id };
      holds.add(hold);
      return () => holds.delete(hold);
    },
    async ended(application, last) {
      const { id } = last;
      const snapshot = ended(snapshotOf(application, masterDeps(last)), last.finishedTime);
      await application.history.end();
      await keepEnd({ record: last, snapshot });
      await forgetOldest().catch((err: unknown) =>
        engine().context.logger.error(
          { event: 'application.cleanup_failed', appId: id, err },
          'Files of forgotten applications could not be removed',
        ),
      );
      application.update(last);
      kept.set(id, { record: last, snapshot });
      running.delete(id);
      keptAt.delete(id);
    },
  };
}
