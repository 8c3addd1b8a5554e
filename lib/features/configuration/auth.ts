import { isDeepStrictEqual } from 'node:util';
import type { Authenticator } from '../../interfaces/auth.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { AuthConfiguration } from '../../model/auth-configuration.js';
import { NotSupported } from '../../model/errors.js';
import { type Collection, collection } from '../../storage/collection.js';
import type { Sealing } from '../../storage/sealing.js';
import type { AccountService } from '../accounts/service.js';
import { readConfiguration } from './auth-keys.js';
import { createAuthSecrets, nothingPut } from './auth-secrets.js';
import { requireDefaultRole, requireRoles, rolesByGroup } from './group-mapping.js';
import type { AuthConfig, GroupEntries } from './schema.js';
import { StoredAuth, StoredMapping } from './stored.js';

/** Who may come in, as configured through the API. */
interface AuthSettings {
  /** What was put last, without its secrets. */
  get(): Promise<AuthConfig>;
  /**
   * Takes effect at the next restart; what says nothing new changes nothing. Rejects with `InvalidInput` naming all that is
   * missing or wrong, with `BadRequest` or `MissingPackage` when the mechanism can't work with it.
   */
  put(config: AuthConfig): Promise<void>;
  getMapping(): Promise<GroupEntries>;
  /** Takes effect at once, also for those who are logged in. */
  putMapping(entries: GroupEntries): Promise<void>;
  /** Something else is in effect than what was put last. */
  isRestartNeeded(): Promise<boolean>;
  /** At each start, before the authenticator is opened: from now on what was put last is in effect. Never rejects. */
  takeEffect(): Promise<AuthConfigured>;
}

export interface AuthConfigured {
  readonly configuration: AuthConfiguration;
  /** Why what was put can't be used; then only local accounts can log in. */
  readonly problem?: string;
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
  const mappings = collection(documents, 'group-mapping', StoredMapping);
  let inEffect: { readonly etag: string | undefined; readonly configuration: AuthConfiguration } = {
    etag: undefined,
    configuration: { type: 'password' },
  };

  function configurable() {
    const check = authenticator?.checkConfiguration?.bind(authenticator);
    if (check) return check;
    throw new NotSupported('authenticator', 'configuration through the API: the host decides who comes in');
  }

  async function activeMapping(): Promise<GroupEntries | undefined> {
    const mapping = await mappings.get(key);
    if (!mapping?.value.next) return mapping?.value.now;
    const { next } = mapping.value;
    await mappings.put(key, { now: next }, { ifMatch: mapping.etag });
    return next;
  }

  function useGroups(entries: GroupEntries | undefined): void {
    const { configuration } = inEffect;
    const only = 'groupSupport' in configuration && configuration.groupSupport;
    accounts.useGroups({ roles: entries && rolesByGroup(entries), only });
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
      // One batch: the mapping belongs to the mechanism that it came with.
      const mapping = await mappings.toReplace(key);
      const { groupMapping: next } = config;
      const isWhole = !before.isDamaged && !mapping.isDamaged;
      if (isWhole && saysTheSame(mapping.value, next) && (await secrets.saysTheSame(full, before.value)))
        return;
      await documents.write([
        kept.writes.put(key, await secrets.sealed(full), { ifMatch: before.ifMatch }),
        ...(next || mapping.value?.next
          ? [mappings.writes.put(key, nextMapping(mapping.value, next), { ifMatch: mapping.ifMatch })]
          : []),
      ]);
    },

    getMapping: async () => (await mappings.get(key))?.value.now ?? [],

    async putMapping(entries) {
      requireRoles(accounts.roles, entries, 'body.groupMapping');
      await mappings.put(key, { now: entries });
      useGroups(entries);
    },

    isRestartNeeded: async () => (await etagOf(kept)) !== inEffect.etag,

    async takeEffect() {
      let problem: string | undefined;
      let configuration: AuthConfiguration = { type: 'password' };
      let entries: GroupEntries | undefined;
      let etag: string | undefined;
      try {
        // First, and never again: what is put from here on waits for another restart.
        const config = await kept.get(key);
        etag = config?.etag;
        entries = await activeMapping();
        if (config) configuration = readConfiguration(await secrets.opened(config.value));
      } catch (err) {
        problem = err instanceof Error ? err.message : String(err);
        logger.error(
          { event: 'auth.configuration_invalid', err },
          'the auth configuration can not be used: only local accounts can log in',
        );
      }
      inEffect = { etag, configuration };
      useGroups(entries);
      return problem === undefined ? { configuration } : { configuration, problem };
    },
  };
}

/** Of a document that can't be read too: putting a new one over it is what helps. */
const etagOf = async (kept: Collection<StoredAuth>): Promise<string | undefined> =>
  kept.get(key).then(
    (document) => document?.etag,
    () => undefined,
  );

/** Whether a mapping that comes along, or none, leaves the kept one as it is. */
const saysTheSame = (kept: StoredMapping | undefined, sent: GroupEntries | undefined): boolean =>
  sent ? isDeepStrictEqual(kept?.next ?? kept?.now, sent) : kept?.next === undefined;

const nextMapping = (before: StoredMapping | undefined, next: GroupEntries | undefined): StoredMapping => ({
  ...(before?.now ? { now: before.now } : {}),
  ...(next ? { next } : {}),
});
