import type { Engine } from '../lifecycle/engine.js';
import type { RunningApplication } from '../running/application.js';
import type { KeptApplication } from '../store/application-file.js';
import type { Snapshot } from '../store/snapshot.js';
import type { ApplicationStore } from '../store/store.js';

/** Between two records of a running application that tell of nothing but progress. */
const keepEveryMillis = 5000;

interface RecordKeeperDeps {
  readonly store: ApplicationStore;
  /** Throws `NotReady` unless the engine is open. */
  readonly engine: () => Engine;
  readonly snapshotOf: (application: RunningApplication) => Snapshot;
}

/** When the records of applications are written, and what happens when the disk does not take one. */
interface RecordKeeper {
  /** Rejects when that fails. */
  keep(application: RunningApplication): Promise<void>;
  /** Keeps it when it is due, and then resolves whether it could be kept. */
  changed(application: RunningApplication, urgent: boolean): Promise<boolean> | undefined;
  /** Keeps the last record. Never rejects. */
  keepEnd(application: KeptApplication): Promise<void>;
  /** Last records that the disk did not take, for another try: what fails once more is among the next. */
  takeUnkept(): readonly KeptApplication[];
  /** It runs no more. */
  over(appId: string): void;
}

export function createRecordKeeper({ store, engine, snapshotOf }: RecordKeeperDeps): RecordKeeper {
  const keptAt = new Map<string, number>();
  /** Ended ones that the disk did not take. */
  const unkept = new Set<KeptApplication>();

  const keep = (application: RunningApplication): Promise<void> =>
    store.keep(application.state.record, snapshotOf(application));

  async function tryToKeep(application: RunningApplication): Promise<boolean> {
    const { id } = application.state.record;
    const { clock, logger } = engine().context;
    keptAt.set(id, clock.monotonic());
    try {
      await keep(application);
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

  return {
    keep,
    changed(application, urgent) {
      const last = keptAt.get(application.state.record.id) ?? -Infinity;
      const isDue = urgent || engine().context.clock.monotonic() - last >= keepEveryMillis;
      return isDue ? tryToKeep(application) : undefined;
    },
    keepEnd,
    takeUnkept() {
      const taken = [...unkept];
      unkept.clear();
      return taken;
    },
    over: (appId) => void keptAt.delete(appId),
  };
}
