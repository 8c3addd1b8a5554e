// Everything the gateway keeps, in one SQLite file. Its calls answer at once, so what must happen together does.
import { randomBytes } from 'node:crypto';
import { NotReady } from 'headgate/driver-kit';
import sqlite from 'node-sqlite3-wasm';
import { sqliteBlobs } from './sqlite-blobs.js';
import { sqliteDocuments } from './sqlite-documents.js';

const tables = `
  CREATE TABLE IF NOT EXISTS documents (collection BLOB, key BLOB, value TEXT, etag TEXT, PRIMARY KEY (collection, key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS blobs (key BLOB PRIMARY KEY, id TEXT, size INTEGER, digest TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pieces (id TEXT, n INTEGER, bytes BLOB, PRIMARY KEY (id, n));
  CREATE TABLE IF NOT EXISTS secret (key BLOB);
  DELETE FROM pieces WHERE id NOT IN (SELECT id FROM blobs);`;

export function sqliteStorage(file) {
  const database = new sqlite.Database(file);
  database.exec(tables);
  let open = true;
  /** The database, for whoever may still use it. */
  const use = () => {
    if (!open) throw new NotReady('The storage is closed');
    return database;
  };
  const blobs = sqliteBlobs(use);
  return {
    documents: sqliteDocuments(use),
    blobs: blobs.store,
    // In the same file as what it seals: who may read the one reads the other. A product would keep it apart.
    async secretKey() {
      const kept = use().get('SELECT key FROM secret');
      if (kept) return Buffer.from(kept.key);
      const key = randomBytes(32);
      database.run('INSERT INTO secret VALUES (?)', [key]);
      return key;
    },
    problems: () => [],
    async close() {
      if (!open) return;
      open = false;
      blobs.close();
      database.close();
    },
  };
}
