import type { Principal } from '../../http/principal.js';
import type { Call, LicenseFeature } from '../../http/route.js';
import type { Authenticator, LoginRequest } from '../../interfaces/auth.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { Issue } from '../../model/applications.js';
import { Forbidden } from '../../model/errors.js';
import type { Sealing } from '../../storage/sealing.js';
import type { AccountService } from '../accounts/service.js';
import { createAuthSettings } from './auth.js';
import type { AuthConfigured } from './auth-in-effect.js';
import { createAuthTrial } from './auth-trial.js';
import { findHealthReasons, findIssues, type HealthReason, type IssueRule } from './issues.js';
import { ownIssueRules } from './own-issues.js';
import type { AuthConfig, AuthTest, AuthTestResult, GroupMapping } from './schema.js';

export interface ConfigurationService {
  getAuth(): Promise<AuthConfig>;
  /** Whoever says who comes in can come in as anybody: only administrators may. */
  putAuth(call: Call, config: AuthConfig): Promise<void>;
  /**
   * What a login would give with these settings. Rejects as `putAuth`, and with `TooManyRequests` while the name of a local account
   * is locked out; what the mechanism itself refuses is an answer.
   */
  testAuth(call: Call, test: AuthTest, request: LoginRequest): Promise<AuthTestResult>;
  getGroupMapping(): Promise<GroupMapping>;
  putGroupMapping(call: Call, mapping: GroupMapping): Promise<void>;
  issues(): Promise<Issue[]>;
  /** The same for everybody. */
  healthReasons(): Promise<HealthReason[]>;
  /** Resolves before it begins, so that the answer gets out. */
  restart(): void;
  /** At each start, before the authenticator is opened. */
  takeEffect(): Promise<AuthConfigured>;
  /** The mechanism that is configured does not work; only local accounts can log in. */
  authFailed(problem: string): void;
}

export function createConfigurationService(deps: {
  documents: DocumentStore;
  sealing: Sealing;
  accounts: Pick<AccountService, 'roles' | 'useGroups' | 'users' | 'verifyPassword' | 'hasLocalPassword'>;
  authenticator: Authenticator | undefined;
  logger: Logger;
  restart: () => void;
  /** Names of properties that wait for a restart in place, or for the next start of the host. */
  waiting: (what: 'restart' | 'start') => readonly string[];
  /** Throws `FeatureNotLicensed`. */
  requireFeature: (feature: LicenseFeature) => void;
  /** Milliseconds that a login may take at a directory. */
  loginMillis: number;
  /** Of other rooms, after our own. */
  issueRules: readonly IssueRule[];
}): ConfigurationService {
  const { logger } = deps;
  const auth = createAuthSettings(deps);
  const trial = createAuthTrial(deps);
  let authProblem: string | undefined;

  const rules: readonly IssueRule[] = [
    ...ownIssueRules({
      isAuthWaiting: auth.isRestartNeeded,
      waiting: deps.waiting,
      authProblem: () => authProblem,
    }),
    ...deps.issueRules,
  ];

  const notFound = (key: string, err: unknown) =>
    logger.error({ event: 'configuration.issue_check_failed', key, err }, 'an issue can not be looked for');

  return {
    getAuth: auth.get,
    async putAuth({ user }, config) {
      requireAdmin(user);
      if (licensedTypes.has(config.type)) deps.requireFeature('JAAS_LDAP_AUTH');
      await auth.put(config);
    },
    async testAuth({ user, signal }, { userName, password, ...config }, request) {
      requireAdmin(user);
      const { configuration, mapping } = await auth.read(config);
      return trial({ configuration, mapping, credentials: { userName, password } }, { ...request, signal });
    },
    getGroupMapping: async () => ({ groupMapping: await auth.getMapping() }),
    async putGroupMapping({ user }, { groupMapping }) {
      requireAdmin(user);
      await auth.putMapping(groupMapping);
    },
    issues: () => findIssues(rules, notFound),
    healthReasons: () => findHealthReasons(rules, notFound),
    restart: deps.restart,
    async takeEffect() {
      const configured = await auth.takeEffect();
      authProblem = configured.problem;
      return configured;
    },
    authFailed(problem) {
      authProblem = problem;
    },
  };
}

/** What the license feature JAAS_LDAP_AUTH is about. */
const licensedTypes: ReadonlySet<string> = new Set(['ldap', 'ad', 'pam']);

function requireAdmin(user: Principal): void {
  if (!user.isAdmin) throw new Forbidden('Only an administrator may say who comes in');
}
