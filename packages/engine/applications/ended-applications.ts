import type { Engine } from '../lifecycle/engine.js';
import type { KeptApplication } from '../store/application-file.js';
import type { ApplicationRecord } from '../store/record.js';
import type { ApplicationStore } from '../store/store.js';
import { createRetention } from './retention.js';

interface EndedApplicationsDeps {
  readonly store: ApplicationStore;
  /** Throws `NotReady` unless the engine is open. */
  readonly engine: () => Engine;
  readonly maxApplications: number;
  /** Of those that run: what they need of packages is not removed with the others. */
  readonly runningRecords: () => readonly ApplicationRecord[];
}

/** The applications that have ended, as long as they are not forgotten. */
interface EndedApplications {
  readonly records: readonly ApplicationRecord[];
  get(appId: string): KeptApplication | undefined;
  /** Only these are known. */
  reset(found: readonly KeptApplication[]): void;
  add(application: KeptApplication): void;
  /** Neither it nor its files are forgotten before the returned function is called. */
  hold(appId: string): () => void;
  /** Those whose time is over are unknown when it returns; resolves when their files are gone, and never rejects. */
  forgetExpired(): Promise<void>;
  /** Forgets the oldest, where there is no place for this one. Never rejects. */
  makeRoomFor(appId: string): Promise<void>;
}

export function createEndedApplications(deps: EndedApplicationsDeps): EndedApplications {
  const { store, engine } = deps;
  const kept = new Map<string, KeptApplication>();
  const records = () => [...kept.values()].map(({ record }) => record);
  const retention = createRetention({ records, maxApplications: deps.maxApplications });

  async function forget(ids: readonly string[], about: { appId?: string; appIds?: readonly string[] }) {
    for (const id of ids) kept.delete(id);
    try {
      for (const id of ids) await store.remove(id);
      if (ids.length > 0)
        await engine().packageCode.prune(
          [...deps.runningRecords(), ...records()].map(({ packageCode }) => packageCode),
        );
    } catch (err) {
      engine().context.logger.error(
        { event: 'application.cleanup_failed', err, ...about },
        'Files of forgotten applications could not be removed',
      );
    }
  }

  return {
    get records() {
      return records();
    },
    get: (appId) => kept.get(appId),
    reset(found) {
      kept.clear();
      for (const application of found) kept.set(application.record.id, application);
    },
    add: (application) => void kept.set(application.record.id, application),
    hold: retention.hold,
    forgetExpired() {
      const { clock, property } = engine().context;
      const ids = retention.expired(clock.now(), property);
      return forget(ids, { appIds: ids });
    },
    makeRoomFor: (appId) => forget(retention.displaced(), { appId }),
  };
}
