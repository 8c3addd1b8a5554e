import { readAddress } from '../../formats/mail-addresses.js';
import type { Principal } from '../../http/principal.js';
import type { MailServer } from '../../interfaces/mailer.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { Forbidden, InvalidInput, NotFound } from '../../model/errors.js';
import { collection } from '../../storage/collection.js';
import type { SealedPlace, Sealing } from '../../storage/sealing.js';
import type { SmtpConfig, SmtpInput } from './schema.js';
import { StoredSmtp } from './stored.js';

/** How mails leave. */
export interface SmtpSettings {
  /** Without the password. Rejects with `NotFound` while there are none. */
  get(): Promise<SmtpConfig>;
  /** Resolves what is in effect from now on. Rejects with `InvalidInput` where a password is needed and none is kept. */
  put(user: Principal, input: SmtpInput): Promise<SmtpConfig>;
  /** With the password: for sending only. `undefined` while nothing is configured. */
  server(): Promise<MailServer | undefined>;
  isConfigured(): Promise<boolean>;
}

const key = 'smtp';
const place: SealedPlace = { collection: 'configuration', key, member: 'password' };
const defaultPorts = { tls: '587', ssl: '465', none: '25' } as const;

export function createSmtpSettings(deps: { documents: DocumentStore; sealing: Sealing }): SmtpSettings {
  const { sealing } = deps;
  const kept = collection(deps.documents, place.collection, StoredSmtp);

  return {
    async get() {
      const stored = await kept.get(key);
      if (!stored) throw new NotFound('configuration', key);
      return stored.value.config;
    },

    async put(user, { password, port, ...input }) {
      const before = await kept.toReplace(key);
      const config: SmtpConfig = { ...input, port: port ?? defaultPorts[input.encryptionType] };
      const isNew = password !== undefined && password !== '';
      if (!isNew && before.value) requireSameServer(user, config, before.value);
      const sealed = isNew ? await sealing.seal(place, password) : before.value?.password;
      if (config.authType === 'password' && sealed === undefined) {
        throw new InvalidInput([{ path: 'body.password', message: 'is needed: none is kept yet' }]);
      }
      const value: StoredSmtp = { config, ...(sealed === undefined ? {} : { password: sealed }) };
      await kept.put(key, value, { ifMatch: before.ifMatch });
      return config;
    },

    async server() {
      const stored = await kept.get(key);
      if (!stored) return undefined;
      const { config, password } = stored.value;
      const login =
        config.authType === 'password' && password !== undefined
          ? { userName: config.username, password: await sealing.unseal(place, password) }
          : undefined;
      return {
        host: config.host,
        port: Number(config.port),
        encryption: config.encryptionType,
        from: { address: readAddress(config.fromAddr).address ?? '', name: config.fromName },
        ...(login ? { login } : {}),
      };
    },

    isConfigured: async () => (await kept.get(key)) !== undefined,
  };
}

/**
 * Whoever changes settings need not know the password that is kept: it must not go to a server of their choice, nor
 * without the encryption it had.
 */
function requireSameServer(
  user: Principal,
  config: SmtpConfig,
  { config: before, password }: StoredSmtp,
): void {
  if (user.isAdmin || password === undefined) return;
  const isSame = (['host', 'port', 'encryptionType'] as const).every((name) => config[name] === before[name]);
  if (isSame) return;
  throw new Forbidden(
    'The password that is kept goes to another server, or another way, only when an administrator says so: send the password too',
  );
}
