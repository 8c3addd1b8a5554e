import type { DocumentStore } from '../../../interfaces/storage.js';
import { collection } from '../../../storage/collection.js';
import { StoredNeeds } from '../stored.js';

/** Of so many that have ended it is known what they needed, those that ended last. */
const rememberedApps = 200;

/** Which services each application needs, also when the gateway is started again. */
interface ApplicationNeeds {
  /** Of those that have not been seen to end, by id. */
  readonly active: ReadonlyMap<string, StoredNeeds>;
  /** Also of one that has ended, as long as it is remembered. */
  of(appId: string): StoredNeeds | undefined;
  /** Known at once, also when it can't be kept. */
  add(appId: string, needs: StoredNeeds): Promise<void>;
  /** Tries again what could not be kept. Never rejects. */
  keepRest(): Promise<void>;
  /** It has ended. It stays active when that can't be kept. */
  end(appId: string, endedTime: number): Promise<void>;
  open(): Promise<void>;
}

export function createApplicationNeeds(documents: DocumentStore): ApplicationNeeds {
  const kept = collection(documents, 'service-needs', StoredNeeds);
  const active = new Map<string, StoredNeeds>();
  /** Of `active`. */
  const unkept = new Set<string>();
  /** Those that have ended; the oldest comes first. */
  const over = new Map<string, StoredNeeds>();

  return {
    active,

    of: (appId) => active.get(appId) ?? over.get(appId),

    async add(appId, needs) {
      active.set(appId, needs);
      await kept.put(appId, needs).catch((error: unknown) => {
        unkept.add(appId);
        throw error;
      });
    },

    async keepRest() {
      for (const appId of unkept) {
        const needs = active.get(appId);
        if (!needs) continue;
        // The next start must not take it for unneeded.
        await kept.put(appId, needs).then(
          () => unkept.delete(appId),
          () => {},
        );
      }
    },

    async end(appId, endedTime) {
      const needs = active.get(appId);
      if (!needs) return;
      const ended = { ...needs, endedTime };
      await kept.put(appId, ended);
      over.set(appId, ended);
      for (const oldest of [...over.keys()].slice(0, -rememberedApps)) {
        await kept.remove(oldest);
        over.delete(oldest);
      }
      active.delete(appId);
      unkept.delete(appId);
    },

    async open() {
      const all = [...(await kept.list())];
      all.sort((one, other) => (one.value.endedTime ?? 0) - (other.value.endedTime ?? 0));
      for (const { key, value } of all) (value.endedTime === undefined ? active : over).set(key, value);
    },
  };
}
