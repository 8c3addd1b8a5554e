import { type Collection, collection } from '../../core/collection.js';
import { NotSupported } from '../../core/errors.js';
import type { SealedPlace, Sealing } from '../../core/sealing.js';
import type { Authenticator } from '../../interfaces/auth.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { AccountService } from '../accounts/service.js';
import { isSecretKey, readConfiguration } from './auth-keys.js';
import { requireDefaultRole, requireRoles, rolesByGroup } from './group-mapping.js';
import type { AuthConfig, AuthConfiguration, GroupEntries } from './schema.js';
import { StoredAuth, StoredMapping } from './stored.js';

/** Who may come in, as configured through the API (spec 5). */
export interface AuthSettings {
  /** What was put last, without its secrets. */
  get(): Promise<AuthConfig>;
  /**
   * Takes effect at the next restart. Rejects with `InvalidInput` naming all that is missing or wrong, with `BadRequest`
   * or `MissingPackage` when the mechanism can't work with it.
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
const placeOf = (member: string): SealedPlace => ({ collection: collectionName, key, member });

export function createAuthSettings(deps: {
  documents: DocumentStore;
  sealing: Sealing;
  accounts: Pick<AccountService, 'roles' | 'useGroups'>;
  authenticator: Authenticator | undefined;
  logger: Logger;
}): AuthSettings {
  const { documents, sealing, accounts, authenticator, logger } = deps;
  const kept = collection(documents, collectionName, StoredAuth);
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

  /** With the kept secrets that were left out, unless they were another mechanism's. */
  async function whole(config: AuthConfig, before: StoredAuth | undefined) {
    const opened: Record<string, string> = {};
    for (const [name, sealed] of Object.entries(before?.sent.type === config.type ? before.sealed : {})) {
      if (Object.keys(config.configuration).some((sent) => sent.toLowerCase() === name.toLowerCase()))
        continue;
      opened[name] = await sealing.unseal(placeOf(name), sealed);
    }
    return { ...config, configuration: { ...opened, ...config.configuration } };
  }

  async function stored(config: AuthConfig): Promise<StoredAuth> {
    const sealed: Record<string, string> = {};
    for (const [name, value] of Object.entries(config.configuration)) {
      if (isSecretKey(name)) sealed[name] = await sealing.seal(placeOf(name), String(value));
    }
    return { sent: withoutSecrets(config), sealed };
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
      return (await kept.get(key))?.value.sent ?? { type: 'password', configuration: {} };
    },

    async put(config) {
      const checkScheme = configurable();
      requireRoles(accounts.roles, config.groupMapping ?? [], 'body.groupMapping');
      const before = await kept.get(key);
      const full = await whole(config, before?.value);
      const configuration = readConfiguration(full);
      requireDefaultRole(accounts.roles, configuration);
      await checkScheme(configuration);
      // One batch: the mapping belongs to the mechanism that it came with.
      const mapping = await mappings.get(key);
      const { groupMapping: next } = config;
      await documents.write([
        kept.writes.put(key, await stored(full), { ifMatch: before?.etag ?? null }),
        ...(next || mapping?.value.next
          ? [mappings.writes.put(key, nextMapping(mapping?.value, next), { ifMatch: mapping?.etag ?? null })]
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
      try {
        entries = await activeMapping();
        const config = await kept.get(key);
        if (config) configuration = readConfiguration(await opened(config.value));
      } catch (err) {
        problem = err instanceof Error ? err.message : String(err);
        logger.error({ err }, 'the auth configuration can not be used: only local accounts can log in');
      }
      inEffect = { etag: await etagOf(kept), configuration };
      useGroups(entries);
      return problem === undefined ? { configuration } : { configuration, problem };
    },
  };

  async function opened({ sent, sealed }: StoredAuth): Promise<AuthConfig> {
    const configuration = { ...sent.configuration };
    for (const [name, text] of Object.entries(sealed)) {
      configuration[name] = await sealing.unseal(placeOf(name), text);
    }
    return { ...sent, configuration };
  }
}

/** Of a document that can't be read too: putting a new one over it is what helps. */
const etagOf = async (kept: Collection<StoredAuth>): Promise<string | undefined> =>
  kept.get(key).then(
    (document) => document?.etag,
    () => undefined,
  );

const nextMapping = (before: StoredMapping | undefined, next: GroupEntries | undefined): StoredMapping => ({
  ...(before?.now ? { now: before.now } : {}),
  ...(next ? { next } : {}),
});

const withoutSecrets = (config: AuthConfig): AuthConfig => ({
  ...config,
  configuration: Object.fromEntries(
    Object.entries(config.configuration).filter(([name]) => !isSecretKey(name)),
  ),
});
