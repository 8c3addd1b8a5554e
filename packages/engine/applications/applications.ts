import { type ApplicationReport, Conflict, type Master, NotFound, version } from 'headgate/driver-kit';
import type { Engine } from '../lifecycle/engine.js';
import { endedMaster, type MasterDeps, runningMaster, snapshotOf } from '../masters/masters.js';
import type { RunningApplication } from '../running/application.js';
import type { LocalClusterSettings } from '../settings/options.js';
import type { KeptApplication } from '../store/application-file.js';
import type { ApplicationRecord } from '../store/record.js';
import { emptySnapshot, ended } from '../store/snapshot.js';
import type { ApplicationStore } from '../store/store.js';
import { reportOf } from '../views/summary.js';
import { createEndedApplications } from './ended-applications.js';
import { createRecordKeeper } from './record-keeper.js';

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
  const endedOnes = createEndedApplications({
    store,
    engine,
    maxApplications: settings.limits.endedApplications,
    runningRecords: () => [...running.values()].map(({ state }) => state.record),
  });
  const masterDeps = ({ id, packageCode }: ApplicationRecord): MasterDeps => ({
    directory: store.directoryOf(id),
    version,
    registry: async () => (await engine().packageCode.operatorsOf(packageCode)).registry,
    gc: engine().gc,
    maxRecordings: settings.limits.recordings,
  });
  const keeper = createRecordKeeper({
    store,
    engine,
    snapshotOf: (application) => snapshotOf(application, masterDeps(application.state.record)),
  });

  const record = (appId: string): ApplicationRecord => {
    const found = running.get(appId)?.state.record ?? endedOnes.get(appId)?.record;
    if (!found) throw new NotFound('application', appId);
    return found;
  };

  const report = (appId: string): ApplicationReport =>
    reportOf(record(appId), running.get(appId)?.state, engine().context.clock.now());

  return {
    get running() {
      return [...running.values()];
    },
    get endedRecords() {
      return endedOnes.records;
    },
    reset: endedOnes.reset,
    record,
    report,
    reports: (activeOnly) =>
      [...(activeOnly ? [] : endedOnes.records.map(({ id }) => id)), ...running.keys()].map(report),
    master(appId) {
      const deps = masterDeps(record(appId));
      const application = running.get(appId);
      if (application) return runningMaster(application, deps);
      const last = endedOnes.get(appId);
      return endedMaster(record(appId), last?.snapshot ?? emptySnapshot, deps);
    },
    runningOne(appId) {
      const { id } = record(appId);
      const application = running.get(id);
      if (!application) throw new Conflict('APPLICATION_ENDED', `The application ${id} has ended`);
      return application;
    },
    isRunning: (appId) => running.has(appId),
    keepFirst: keeper.keep,
    add: (application) => void running.set(application.state.record.id, application),
    changed: keeper.changed,
    async forgetExpired() {
      for (const application of keeper.takeUnkept())
        if (endedOnes.get(application.record.id)) await keeper.keepEnd(application);
      await endedOnes.forgetExpired();
    },
    hold: endedOnes.hold,
    async ended(application, last) {
      const snapshot = ended(snapshotOf(application, masterDeps(last)), last.finishedTime);
      await application.state.history.end();
      await keeper.keepEnd({ record: last, snapshot });
      await endedOnes.makeRoomFor(last.id);
      application.state.update(last);
      endedOnes.add({ record: last, snapshot });
      running.delete(last.id);
      keeper.over(last.id);
    },
  };
}
