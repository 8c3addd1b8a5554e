import { randomBytes } from 'node:crypto';
import {
  checkedBatch,
  checkKey,
  checkPrefix,
  compareKeys,
  type DocumentStore,
  requireMatch,
} from '../../lib/driver-kit.js';

/** Bytes of JSON; the same as the default of the file storage. */
const maxDocumentBytes = 4 * 1024 * 1024;

interface Kept {
  readonly text: string;
  readonly etag: string;
}

/** Documents are kept as JSON text, so nobody shares an object with the store. */
export function memoryDocuments(requireOpen: () => void): DocumentStore {
  const collections = new Map<string, Map<string, Kept>>();
  const boot = randomBytes(9).toString('base64url');
  let writes = 0;

  const inCollection = (name: string) => {
    const present = collections.get(name) ?? new Map<string, Kept>();
    collections.set(name, present);
    return present;
  };
  const stored = ({ text, etag }: Kept): { value: unknown; etag: string } => ({
    value: JSON.parse(text),
    etag,
  });

  return {
    async get(collection, key) {
      requireOpen();
      checkKey(collection, 'name of a collection');
      checkKey(key);
      const kept = collections.get(collection)?.get(key);
      return kept && stored(kept);
    },

    async write(batch) {
      requireOpen();
      const checked = checkedBatch(batch, maxDocumentBytes);
      for (const write of checked) {
        requireMatch(write, collections.get(write.collection)?.get(write.key)?.etag);
      }
      return checked.map(({ collection, key, text }) => {
        if (text === undefined) {
          inCollection(collection).delete(key);
          return undefined;
        }
        const etag = `${boot}.${(++writes).toString(36)}`;
        inCollection(collection).set(key, { text, etag });
        return etag;
      });
    },

    async *entries(collection, { prefix = '' } = {}) {
      requireOpen();
      checkKey(collection, 'name of a collection');
      checkPrefix(prefix);
      const found = [...(collections.get(collection) ?? [])].filter(([key]) => key.startsWith(prefix));
      for (const [key, kept] of found.sort(([a], [b]) => compareKeys(a, b))) {
        requireOpen();
        yield [key, stored(kept)] as const;
      }
    },
  };
}
