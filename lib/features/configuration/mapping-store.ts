import { isDeepStrictEqual } from 'node:util';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { collection } from '../../storage/collection.js';
import type { GroupEntries } from './schema.js';
import { StoredMapping } from './stored.js';

/** Which groups have which roles: what counts now, and what comes with an auth configuration and counts with it. */
export interface MappingStore {
  get(): Promise<GroupEntries | undefined>;
  /** Counts at once; what waits for a restart is gone. */
  put(entries: GroupEntries): Promise<void>;
  /** What a new auth configuration brings, or nothing. The write belongs into the batch of that configuration. */
  withConfiguration(entries: GroupEntries | undefined): Promise<MappingChange>;
  /** At each start: what waits counts from now on. */
  takeEffect(): Promise<GroupEntries | undefined>;
}

interface MappingChange {
  /** What is kept can be read, and says the same already. */
  readonly saysTheSame: boolean;
  readonly writes: readonly DocumentWrite[];
}

export function createMappingStore(documents: DocumentStore, key: string): MappingStore {
  const kept = collection(documents, 'group-mapping', StoredMapping);

  return {
    get: async () => (await kept.get(key))?.value.now,

    async put(entries) {
      await kept.put(key, { now: entries });
    },

    async withConfiguration(entries) {
      const { value, isDamaged, ifMatch } = await kept.toReplace(key);
      const isToWrite = entries !== undefined || value?.next !== undefined;
      return {
        saysTheSame: !isDamaged && saysTheSame(value, entries),
        writes: isToWrite ? [kept.writes.put(key, nextMapping(value, entries), { ifMatch })] : [],
      };
    },

    async takeEffect() {
      const mapping = await kept.get(key);
      if (!mapping?.value.next) return mapping?.value.now;
      const { next } = mapping.value;
      await kept.put(key, { now: next }, { ifMatch: mapping.etag });
      return next;
    },
  };
}

/** Whether a mapping that comes along, or none, leaves the kept one as it is. */
const saysTheSame = (kept: StoredMapping | undefined, sent: GroupEntries | undefined): boolean =>
  sent ? isDeepStrictEqual(kept?.next ?? kept?.now, sent) : kept?.next === undefined;

const nextMapping = (before: StoredMapping | undefined, next: GroupEntries | undefined): StoredMapping => ({
  ...(before?.now ? { now: before.now } : {}),
  ...(next ? { next } : {}),
});
