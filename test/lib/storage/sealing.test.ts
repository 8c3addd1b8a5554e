import { randomBytes } from 'node:crypto';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { aesSecrets, createSealing, storageSecrets } from '../../../lib/storage/sealing.js';
import { secretsContract } from '../../../packages/contracts/secrets.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import { testFolder } from '../../helpers/folder.js';

const key = randomBytes(32);
await secretsContract(t, {
  create: () => aesSecrets(key),
  createOther: () => aesSecrets(randomBytes(32)),
});

const place = { collection: 'configuration', key: 'auth', member: 'bindPassword' };

t.test('a key of another length is refused', async (t) => {
  await t.rejects(aesSecrets(randomBytes(16)).seal('x', 'y'), { message: /32 bytes, not 16/ });
});

t.test('a wrong key is told by a sentence that names the document and what to do', async (t) => {
  const sealed = await createSealing(aesSecrets(key)).seal(place, 'open sesame');
  const other = createSealing(aesSecrets(randomBytes(32)));
  await t.rejects(other.unseal(place, sealed), {
    code: 'SECRET_UNREADABLE',
    message: /^The bindPassword in the document "auth" of the collection "configuration" .*enter it again/,
    cause: { message: /sealed with the key [0-9a-f]{8}; the present one is [0-9a-f]{8}/ },
  });
});

t.test('a sealed text that was moved to another document does not open there', async (t) => {
  const sealing = createSealing(aesSecrets(key));
  const sealed = await sealing.seal(place, 'open sesame');
  await t.rejects(sealing.unseal({ ...place, key: 'smtp' }, sealed), { code: 'SECRET_UNREADABLE' });
  t.equal(await sealing.unseal(place, sealed), 'open sesame');
});

t.test('a storage in memory has a key as long as it lives', async (t) => {
  const storage = memoryStorage();
  const sealed = await createSealing(storageSecrets(storage)).seal(place, 'open sesame');
  t.equal(await createSealing(storageSecrets(storage)).unseal(place, sealed), 'open sesame');
});

t.test('a storage without a key says what to give instead', async (t) => {
  await t.rejects(createSealing(storageSecrets({})).seal(place, 'x'), {
    message: /pass `secrets` to createGateway/,
  });
});

t.test('the file storage makes a key file for its owner only, once', async (t) => {
  const directory = testFolder(t);
  const file = join(directory, 'secrets.key');
  const withStorage = async <T>(
    use: (sealing: ReturnType<typeof createSealing>) => Promise<T>,
  ): Promise<T> => {
    const storage = await filesystemStorage({ directory });
    try {
      return await use(createSealing(storageSecrets(storage)));
    } finally {
      await storage.close();
    }
  };

  const sealed = await withStorage(async (sealing) => {
    const [first = ''] = await Promise.all([1, 2, 3].map(() => sealing.seal(place, 'open sesame')));
    return first;
  });
  t.equal((await stat(file)).mode & 0o777, 0o600);
  const text = await readFile(file, 'utf8');
  t.equal(await withStorage((sealing) => sealing.unseal(place, sealed)), 'open sesame', 'after a restart');

  await chmod(file, 0o640);
  await t.rejects(
    withStorage((sealing) => sealing.seal(place, 'x')),
    { message: /others may read it: chmod 600/ },
  );
  await chmod(file, 0o600);

  await writeFile(file, 'garbage\n');
  await t.rejects(
    withStorage((sealing) => sealing.seal(place, 'x')),
    { message: /holds no key of 64 hexadecimal digits/ },
  );
  t.equal(await readFile(file, 'utf8'), 'garbage\n', 'a broken key file is left as it is');

  await rm(file);
  await t.rejects(
    withStorage((sealing) => sealing.unseal(place, sealed)),
    { code: 'SECRET_UNREADABLE' },
    'a lost key opens nothing',
  );
  await writeFile(file, text);
  t.equal(
    await withStorage((sealing) => sealing.unseal(place, sealed)),
    'open sesame',
    'the key that is brought back opens it again',
  );
});
