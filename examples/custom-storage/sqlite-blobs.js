import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { blobIntake, byteRange, checkKey, checkPrefix, NotFound, NotReady } from 'headgate/driver-kit';

/** Bytes of a row. */
const pieceBytes = 256 * 1024;

export function sqliteBlobs(use) {
  /** Content (its id) that is being read, and by how many: a replaced one goes when the last reader is done. */
  const readers = new Map();
  const incoming = new Set();
  let closed = false;

  const find = (key) => {
    checkKey(key);
    return use().get('SELECT id, size, digest FROM blobs WHERE key = ?', [Buffer.from(key)]);
  };
  const drop = (id) => {
    // What is left behind by a close goes at the next start.
    if (!closed && !readers.has(id)) use().run('DELETE FROM pieces WHERE id = ?', [id]);
  };
  const hold = (id) => {
    readers.set(id, (readers.get(id) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      readers.set(id, readers.get(id) - 1);
      if (readers.get(id) > 0) return;
      readers.delete(id);
      if (!closed && !use().get('SELECT 1 FROM blobs WHERE id = ?', [id])) drop(id);
    };
  };

  /** Bytes `start` up to `end` of a content, a row at a time. */
  function* part(id, start, end) {
    for (let at = start; at < end; ) {
      const n = Math.floor(at / pieceBytes);
      const { bytes } = use().get('SELECT bytes FROM pieces WHERE id = ? AND n = ?', [id, n]);
      const piece = Buffer.from(bytes).subarray(at - n * pieceBytes, end - n * pieceBytes);
      yield piece;
      at += piece.length;
    }
  }

  async function write(key, content, options) {
    checkKey(key);
    use();
    const id = randomUUID();
    const intake = blobIntake(key, content, options);
    incoming.add(content);
    try {
      let n = 0;
      const keep = (bytes) => use().run('INSERT INTO pieces VALUES (?, ?, ?)', [id, n++, bytes]);
      let waiting = Buffer.alloc(0);
      for await (const chunk of intake) {
        waiting = Buffer.concat([waiting, chunk]);
        for (; waiting.length >= pieceBytes; waiting = waiting.subarray(pieceBytes))
          keep(waiting.subarray(0, pieceBytes));
      }
      if (waiting.length > 0) keep(waiting);
      const info = intake.info();
      const before = find(key);
      const row = [Buffer.from(key), id, info.size, info.digest];
      use().run('INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?)', row);
      if (before) drop(before.id);
      return info;
    } catch (error) {
      drop(id);
      throw error;
    } finally {
      incoming.delete(content);
    }
  }

  function reader({ id, size, digest }) {
    const release = hold(id);
    let open = true;
    const range = (asked) => {
      if (!open) throw new NotReady('The blob is closed');
      return byteRange(size, asked);
    };
    return {
      size,
      digest,
      stream(asked) {
        const { start, end } = range(asked);
        const done = hold(id);
        return Readable.from(part(id, start, end), { objectMode: false }).once('close', done);
      },
      async read(position, length) {
        const { start, end } = range({ start: position, end: position + length });
        return Buffer.concat([...part(id, start, end)]);
      },
      async close() {
        open = false;
        release();
      },
    };
  }

  return {
    store: {
      write,
      async open(key) {
        const found = find(key);
        if (!found) throw new NotFound('blob', key);
        return reader(found);
      },
      async delete(key) {
        const found = find(key);
        if (!found) return false;
        use().run('DELETE FROM blobs WHERE key = ?', [Buffer.from(key)]);
        drop(found.id);
        return true;
      },
      async *list(prefix = '') {
        checkPrefix(prefix);
        const end = Buffer.concat([Buffer.from(prefix), Buffer.of(0xff)]);
        const rows = use().all('SELECT key FROM blobs WHERE key >= ? AND key < ? ORDER BY key', [
          Buffer.from(prefix),
          end,
        ]);
        for (const { key } of rows) {
          use();
          yield Buffer.from(key).toString();
        }
      },
    },
    close() {
      closed = true;
      for (const content of incoming) content.destroy(new NotReady('The storage was closed'));
    },
  };
}
