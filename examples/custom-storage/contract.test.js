import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { storageContract } from '@headgate/contracts';
import { sqliteStorage } from './sqlite-storage.js';

const directory = await mkdtemp(join(tmpdir(), 'sqlite-storage-'));
after(() => rm(directory, { recursive: true, force: true }));

test('SQLite keeps what a storage promises', async (t) => {
  let made = 0;
  const files = new Map();
  const open = (file) => {
    const storage = sqliteStorage(file);
    files.set(storage, file);
    return storage;
  };
  await storageContract(t, {
    create: async () => open(join(directory, `${++made}.sqlite`)),
    reopen: async (closed) => open(files.get(closed)),
  });
});
