import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Secrets } from '../interfaces/secrets.js';
import type { Storage } from '../interfaces/storage.js';
import { SecretUnreadable } from '../model/errors.js';
import { documentName } from './storage-keys.js';

/** Where a sealed text is kept: this member of this document. */
export interface SealedPlace {
  readonly collection: string;
  readonly key: string;
  readonly member: string;
}

/** The one way to secrets for rooms that keep some: what was sealed for one place opens at no other. */
export interface Sealing {
  /** The text to keep in the document instead of the secret. */
  seal(place: SealedPlace, text: string): Promise<string>;
  /** Rejects with `SecretUnreadable`, naming the document; what is kept stays as it is. */
  unseal(place: SealedPlace, sealed: string): Promise<string>;
}

export function createSealing(secrets: Secrets): Sealing {
  return {
    seal: (place, text) => secrets.seal(text, purposeOf(place)),
    async unseal(place, sealed) {
      try {
        return await secrets.unseal(sealed, purposeOf(place));
      } catch (error) {
        throw new SecretUnreadable(place.member, documentName(place.collection, place.key), error);
      }
    },
  };
}

const purposeOf = ({ collection, key, member }: SealedPlace): string =>
  JSON.stringify([collection, key, member]);

/** With the key that the storage keeps beside what it keeps. */
export const storageSecrets = (storage: Pick<Storage, 'secretKey'>): Secrets =>
  aesSecrets(async () => {
    if (storage.secretKey) return storage.secretKey();
    throw new TypeError('This storage keeps no key for secrets: pass `secrets` to createGateway');
  });

const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a key of 32 bytes, asked for at first use. Sealed texts name their key by eight digits of its
 * digest, so that a wrong key can be told from damage.
 */
export function aesSecrets(key: Buffer | (() => Promise<Buffer>)): Secrets {
  const keyNow = typeof key === 'function' ? once(key) : async () => key;

  async function present(): Promise<{ key: Buffer; name: string }> {
    const bytes = await keyNow();
    if (bytes.length !== 32) throw new TypeError(`A key for secrets has 32 bytes, not ${bytes.length}`);
    return { key: bytes, name: createHash('sha256').update(bytes).digest('hex').slice(0, 8) };
  }

  return {
    async seal(text, purpose) {
      const { key, name } = await present();
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
      const sealed = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `1.${name}.${Buffer.concat(sealed).toString('base64url')}`;
    },

    async unseal(sealed, purpose) {
      const { key, name } = await present();
      const [version, sealedWith, text = ''] = sealed.split('.');
      const bytes = Buffer.from(text, 'base64url');
      if (version !== '1' || bytes.length < ivBytes + tagBytes) throw new Error('this is no sealed text');
      if (sealedWith !== name)
        throw new Error(`it was sealed with the key ${sealedWith}; the present one is ${name}`);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-tagBytes));
      const opened = decipher.update(bytes.subarray(ivBytes, -tagBytes));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    },
  };
}

/** Remembers success only. */
function once<T>(get: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= get().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
