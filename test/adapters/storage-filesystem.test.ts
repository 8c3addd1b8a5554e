import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { filesystemStorage } from '../../adapters/storage/filesystem.js';
import { storageContract } from '../../contracts/index.js';
import type { Storage } from '../../lib/interfaces/storage.js';

const root = await mkdtemp(join(tmpdir(), 'headgate-storage-'));
t.teardown(() => rm(root, { recursive: true }));

const places = new WeakMap<Storage, string>();
async function openAt(directory: string): Promise<Storage> {
  const storage = await filesystemStorage({ directory });
  places.set(storage, directory);
  return storage;
}

await storageContract(t, {
  create: async () => openAt(await mkdtemp(join(root, 'contract-'))),
  reopen: async (closed) => openAt(places.get(closed) ?? ''),
});
