import { randomUUID } from 'node:crypto';
import { checkedBatch, checkKey, checkPrefix, requireMatch } from 'headgate/driver-kit';

/** Bytes of JSON. */
const maxDocumentBytes = 4 * 1024 * 1024;

// Keys are bytes to SQLite: it compares them as the interface wants it, and a NUL in them ends nothing.
const bytes = (text) => Buffer.from(text);
const stored = ({ value, etag }) => ({ value: JSON.parse(value), etag });

export function sqliteDocuments(use) {
  const find = (collection, key) =>
    use().get('SELECT value, etag FROM documents WHERE collection = ? AND key = ?', [
      bytes(collection),
      bytes(key),
    ]);

  function put({ collection, key, text }) {
    if (text === undefined) {
      use().run('DELETE FROM documents WHERE collection = ? AND key = ?', [bytes(collection), bytes(key)]);
      return undefined;
    }
    const etag = randomUUID();
    const values = [bytes(collection), bytes(key), text, etag];
    use().run('INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)', values);
    return etag;
  }

  return {
    async get(collection, key) {
      checkKey(collection, 'name of a collection');
      checkKey(key);
      const found = find(collection, key);
      return found ? stored(found) : undefined;
    },

    async write(batch) {
      const checked = checkedBatch(batch, maxDocumentBytes);
      for (const write of checked) requireMatch(write, find(write.collection, write.key)?.etag);
      use().exec('BEGIN');
      try {
        const etags = checked.map(put);
        use().exec('COMMIT');
        return etags;
      } catch (error) {
        use().exec('ROLLBACK');
        throw error;
      }
    },

    async *entries(collection, { prefix = '' } = {}) {
      checkKey(collection, 'name of a collection');
      checkPrefix(prefix);
      // No byte of UTF-8 is 0xff: everything that starts with the prefix lies before it.
      const end = Buffer.concat([bytes(prefix), Buffer.of(0xff)]);
      const rows = use().all(
        'SELECT key, value, etag FROM documents WHERE collection = ? AND key >= ? AND key < ? ORDER BY key',
        [bytes(collection), bytes(prefix), end],
      );
      for (const row of rows) {
        use();
        yield [Buffer.from(row.key).toString(), stored(row)];
      }
    },
  };
}
