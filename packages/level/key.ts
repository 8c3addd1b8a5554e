import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createMutex, isMissing, StorageFailed, syncFolder, writeWhole } from 'headgate/driver-kit';

const keyBytes = 32;

/**
 * The key that secrets are sealed with: hexadecimal digits in a file that only its owner may read, made when it is
 * missing. A file that is there is never written again.
 */
export function keyFile(root: string): () => Promise<Buffer> {
  const path = join(root, 'secrets.key');
  // Two that find nothing would make two keys.
  const inTurn = createMutex();
  return () => inTurn(() => readOrMakeKey(path, root));
}

async function readOrMakeKey(path: string, root: string): Promise<Buffer> {
  const found = await readKey(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (!found) await writeWhole(path, `${randomBytes(keyBytes).toString('hex')}\n`);
  // Of one that is found as well: who made it may have failed here, and what is sealed with it must not outlive it.
  await syncFolder(root);
  return found ?? readKey(path);
}

async function readKey(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { mode } = await file.stat();
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new StorageFailed(
        `${path} holds the key of all secrets and others may read it: chmod 600 ${path}`,
      );
    }
    const text = (await file.readFile('utf8')).trim();
    if (!/^[0-9a-f]{64}$/.test(text)) {
      throw new StorageFailed(
        `${path} holds no key of 64 hexadecimal digits: bring it back from a backup, or remove it and enter all secrets anew`,
      );
    }
    return Buffer.from(text, 'hex');
  } finally {
    await file.close();
  }
}
