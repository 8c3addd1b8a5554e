import type { Authenticator } from '../../interfaces/auth.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { AuthConfiguration } from '../../model/auth-configuration.js';
import { NotSupported } from '../../model/errors.js';
import { collection } from '../../storage/collection.js';
import type { Sealing } from '../../storage/sealing.js';
import type { AccountService } from '../accounts/service.js';
import { type AuthInEffect, createAuthInEffect } from './auth-in-effect.js';
import { readConfiguration } from './auth-keys.js';
import { createAuthSecrets, nothingPut } from './auth-secrets.js';
import { requireDefaultRole, requireRoles } from './group-mapping.js';
import { createMappingStore } from './mapping-store.js';
import type { AuthConfig, GroupEntries } from './schema.js';
import { StoredAuth } from './stored.js';

/** Who may come in, as configured through the API. */
interface AuthSettings extends Pick<AuthInEffect, 'isRestartNeeded' | 'takeEffect'> {
  /** What was put last, without its secrets. */
  get(): Promise<AuthConfig>;
  /**
   * Takes effect at the next restart; what says nothing new changes nothing. Rejects with `InvalidInput` naming all that is
   * missing or wrong, with `BadRequest` or `MissingPackage` when the mechanism can't work with it.
   */
  put(config: AuthConfig): Promise<void>;
  /** As it would be put, with the secrets that were left out. Rejects as `put` does, but for what a mechanism finds. */
  read(config: AuthConfig): Promise<{ configuration: AuthConfiguration; mapping: GroupEntries }>;
  getMapping(): Promise<GroupEntries>;
  /** Takes effect at once, also for those who are logged in. */
  putMapping(entries: GroupEntries): Promise<void>;
}

const key = 'auth';
const collectionName = 'configuration';

export function createAuthSettings(deps: {
  documents: DocumentStore;
  sealing: Sealing;
  accounts: Pick<AccountService, 'roles' | 'useGroups'>;
  authenticator: Authenticator | undefined;
  logger: Logger;
}): AuthSettings {
  const { documents, sealing, accounts, authenticator, logger } = deps;
  const kept = collection(documents, collectionName, StoredAuth);
  const secrets = createAuthSecrets(sealing, { collection: collectionName, key });
  const mappings = createMappingStore(documents, key);
  const inEffect = createAuthInEffect({ kept, key, secrets, mappings, accounts, logger });

  function configurable() {
    const check = authenticator?.checkConfiguration?.bind(authenticator);
    if (check) return check;
    throw new NotSupported('authenticator', 'configuration through the API: the host decides who comes in');
  }

  return {
    async get() {
      configurable();
      return (await kept.get(key))?.value.sent ?? nothingPut;
    },

    async put(config) {
      const checkScheme = configurable();
      requireRoles(accounts.roles, config.groupMapping ?? [], 'body.groupMapping');
      const before = await kept.toReplace(key);
      const full = await secrets.completed(config, before.value);
      const configuration = readConfiguration(full);
      requireDefaultRole(accounts.roles, configuration);
      await checkScheme(configuration);
      const mapping = await mappings.withConfiguration(config.groupMapping);
      if (!before.isDamaged && mapping.saysTheSame && (await secrets.saysTheSame(full, before.value))) return;
      // One batch: the mapping belongs to the mechanism that it came with.
      await documents.write([
        kept.writes.put(key, await secrets.sealed(full), { ifMatch: before.ifMatch }),
        ...mapping.writes,
      ]);
    },

    async read(config) {
      configurable();
      requireRoles(accounts.roles, config.groupMapping ?? [], 'body.groupMapping');
      const before = (await kept.get(key))?.value;
      const configuration = readConfiguration(await secrets.completed(config, before));
      requireDefaultRole(accounts.roles, configuration);
      return { configuration, mapping: config.groupMapping ?? (await mappings.get()) ?? [] };
    },

    getMapping: async () => (await mappings.get()) ?? [],

    async putMapping(entries) {
      requireRoles(accounts.roles, entries, 'body.groupMapping');
      await mappings.put(entries);
      inEffect.useGroups(entries);
    },

    isRestartNeeded: inEffect.isRestartNeeded,
    takeEffect: inEffect.takeEffect,
  };
}
