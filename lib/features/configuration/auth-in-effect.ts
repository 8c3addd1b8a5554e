import type { Logger } from '../../interfaces/logger.js';
import type { AuthConfiguration } from '../../model/auth-configuration.js';
import type { Collection } from '../../storage/collection.js';
import type { AccountService } from '../accounts/service.js';
import { readConfiguration } from './auth-keys.js';
import type { AuthSecrets } from './auth-secrets.js';
import { rolesByGroup } from './group-mapping.js';
import type { MappingStore } from './mapping-store.js';
import type { GroupEntries } from './schema.js';
import type { StoredAuth } from './stored.js';

export interface AuthConfigured {
  readonly configuration: AuthConfiguration;
  /** Why what was put can't be used; then only local accounts can log in. */
  readonly problem?: string;
}

/** Who may come in from one start to the next, whatever is put meanwhile. */
export interface AuthInEffect {
  /** From now on what was put last is in effect. Never rejects. */
  takeEffect(): Promise<AuthConfigured>;
  /** Of the mechanism that is in effect. */
  useGroups(entries: GroupEntries | undefined): void;
  /** Something else is in effect than what was put last. */
  isRestartNeeded(): Promise<boolean>;
}

interface Taken extends AuthConfigured {
  /** Of the document that says so. */
  readonly etag: string | undefined;
  readonly mapping: GroupEntries | undefined;
}

const nothing: Taken = { etag: undefined, configuration: { type: 'password' }, mapping: undefined };

export function createAuthInEffect(deps: {
  kept: Pick<Collection<StoredAuth>, 'get'>;
  key: string;
  secrets: Pick<AuthSecrets, 'opened'>;
  mappings: Pick<MappingStore, 'takeEffect'>;
  accounts: Pick<AccountService, 'useGroups'>;
  logger: Logger;
}): AuthInEffect {
  const { kept, key, logger } = deps;
  let taken = nothing;

  /** Of what can't be used there is its `problem`, and what was read before it. */
  async function putLast(): Promise<Taken> {
    let found = nothing;
    try {
      // First, and never again: what is put from here on waits for another restart.
      const document = await kept.get(key);
      found = { ...found, etag: document?.etag };
      found = { ...found, mapping: await deps.mappings.takeEffect() };
      if (!document) return found;
      return { ...found, configuration: readConfiguration(await deps.secrets.opened(document.value)) };
    } catch (err) {
      logger.error(
        { event: 'auth.configuration_invalid', err },
        'the auth configuration can not be used: only local accounts can log in',
      );
      return { ...found, problem: err instanceof Error ? err.message : String(err) };
    }
  }

  function useGroups(entries: GroupEntries | undefined): void {
    const { configuration } = taken;
    const only = 'groupSupport' in configuration && configuration.groupSupport;
    deps.accounts.useGroups({ roles: entries && rolesByGroup(entries), only });
  }

  return {
    useGroups,

    async takeEffect() {
      taken = await putLast();
      useGroups(taken.mapping);
      const { configuration, problem } = taken;
      return problem === undefined ? { configuration } : { configuration, problem };
    },

    async isRestartNeeded() {
      // Also of a document that can't be read: putting a new one over it is what helps.
      const document = await kept.get(key).catch(() => undefined);
      return document?.etag !== taken.etag;
    },
  };
}
