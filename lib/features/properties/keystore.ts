import { hkdfSync } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { keyOfStore } from '../../formats/pkcs12.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Secrets } from '../../interfaces/secrets.js';
import { aesSecrets } from '../../storage/sealing.js';
import type { PropertyService } from './service.js';
import { KeystoreNotRead } from './site-errors.js';

const pathName = 'platform.gateway.sslKeystorePath';
const passwordName = 'platform.gateway.sslKeystorePassword';
const aliasName = 'platform.gateway.ssl.alias.password.encryption';

/** A few certificates and keys. */
const maxBytes = 1024 * 1024;
/** After one that could not be used, milliseconds: each try costs everybody's time. */
const againMillis = 1000;
/** Before what was sealed with a key of the key store. */
const mark = 'keystore:';

export interface Keystore {
  /** A new start: what the properties and the file say by now is in force. */
  begin(): void;
  /** Seals with a key drawn from the key store where the properties name one, else as `usual` does; opens both. */
  readonly secrets: Secrets;
  /** Why it can't be used, in a sentence; `undefined` also while no property names a key. */
  problem(): Promise<string | undefined>;
}

/** `docs/decisions.md`, The key store: its properties are in force from a restart on. */
export function createKeystore(
  properties: Pick<PropertyService, 'value'>,
  usual: Secrets,
  clock: Clock,
): Keystore {
  /** `until`: monotonic. */
  let known: { readonly secrets: Promise<Secrets>; until: number } | undefined;

  function drawn(): Promise<Secrets> {
    if (known && clock.monotonic() < known.until) return known.secrets;
    const mine = { secrets: draw(properties), until: Number.POSITIVE_INFINITY };
    known = mine;
    // Not for good: people mend files.
    mine.secrets.catch(() => {
      mine.until = clock.monotonic() + againMillis;
    });
    return mine.secrets;
  }

  async function problem(): Promise<string | undefined> {
    if (properties.value(aliasName) === undefined) return undefined;
    return drawn().then(
      () => undefined,
      (error: Error) => error.message,
    );
  }

  return {
    begin() {
      known = undefined;
      // At once: people change the file, and its password, for the next start.
      void problem();
    },

    secrets: {
      async seal(text, purpose) {
        if (properties.value(aliasName) === undefined) return usual.seal(text, purpose);
        return mark + (await (await drawn()).seal(text, purpose));
      },
      async unseal(sealed, purpose) {
        if (!sealed.startsWith(mark)) return usual.unseal(sealed, purpose);
        return (await drawn()).unseal(sealed.slice(mark.length), purpose);
      },
    },

    problem,
  };
}

async function draw(properties: Pick<PropertyService, 'value'>): Promise<Secrets> {
  const [path, password, alias] = [pathName, passwordName, aliasName].map(properties.value);
  if (path === undefined || password === undefined || alias === undefined) {
    const missing = [pathName, passwordName, aliasName].filter((_, i) => ![path, password, alias][i]);
    throw new KeystoreNotRead(`The key store can't be used: ${missing.join(' and ')} must be set too`);
  }
  try {
    const pair = keyOfStore(await storeAt(path), password, alias).export({ type: 'pkcs8', format: 'der' });
    return aesSecrets(Buffer.from(hkdfSync('sha256', pair, '', 'headgate secrets', 32)));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new KeystoreNotRead(`The key store ${path} can't be used: ${why}`, error);
  }
}

async function storeAt(path: string): Promise<Buffer> {
  // Else the open of a pipe waits for somebody who writes.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw new Error('there is no such file, or the gateway may not read it', { cause });
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('it is no file');
    if (found.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
