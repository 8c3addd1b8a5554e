import { deviceSigningKey } from '../features/accounts/device-cookies.js';
import { createOwnDefaults } from '../features/accounts/own-defaults.js';
import { type AccountService, createAccountService } from '../features/accounts/service.js';
import { createTokenService, type TokenService } from '../features/tokens/service.js';
import { openTokenStore, type TokenStore } from '../features/tokens/store.js';
import {
  type ApplicationCredentials,
  createApplicationCredentials,
} from '../http/application-credentials.js';
import type { Authenticator } from '../interfaces/auth.js';
import type { OwnDefaults } from '../model/acl.js';
import { NotFound } from '../model/errors.js';
import type { GatewayOptions } from '../options.js';
import { type AskResourceManager, createResourceManagerCalls } from '../runtime/resource-manager-calls.js';
import type { Teardown } from '../runtime/teardown.js';
import type { Foundation } from './foundation.js';

/** Who somebody is, and by what it is proved: accounts, API tokens, credentials of applications. */
export interface IdentityServices {
  readonly authenticator: Authenticator | undefined;
  readonly accounts: AccountService;
  readonly tokenStore: TokenStore;
  readonly tokens: TokenService;
  readonly credentials: ApplicationCredentials;
  readonly ownDefaults: OwnDefaults;
}

export async function createIdentityServices(
  options: GatewayOptions,
  { storage, clock, logger, timeouts }: Foundation,
  teardown: Teardown,
): Promise<IdentityServices> {
  const { documents } = storage;
  const askManager = createResourceManagerCalls(
    options.cluster.resourceManager,
    timeouts.resourceManagerMillis,
  );
  const authenticator = typeof options.auth === 'object' ? options.auth : undefined;
  const tokenStore = await openTokenStore({ documents, clock, logger });
  teardown.add('API tokens', tokenStore.close);
  const accounts = await createAccountService({
    documents,
    clock,
    logger,
    passwordRequired: authenticator?.usesLocalPasswords ?? false,
    forget: (userName, exceptSessionId) => authenticator?.forget?.(userName, exceptSessionId),
    cascade: tokenStore,
    passwordOptions: options.passwords,
    deviceKey: deviceSigningKey(storage),
    loginMillis: timeouts.loginMillis,
  });
  return {
    authenticator,
    accounts,
    tokenStore,
    tokens: createTokenService({
      store: tokenStore,
      accounts,
      documents,
      clock,
      tokenUsers: authenticator?.tokenUsers,
      limits: options.tokens,
    }),
    credentials: createApplicationCredentials({
      documents,
      clock,
      isAlive: (appId) => isAlive(askManager, appId),
    }),
    ownDefaults: createOwnDefaults({ settings: accounts.settings, logger }),
  };
}

/** What can't be asked has not ended. */
async function isAlive(askManager: AskResourceManager, appId: string): Promise<boolean> {
  try {
    const { finalStatus } = await askManager(undefined, (manager, options) =>
      manager.getApplication(appId, options),
    );
    return finalStatus === 'UNDEFINED';
  } catch (error) {
    return !(error instanceof NotFound);
  }
}
