import { createOwnDefaults } from './features/accounts/own-defaults.js';
import { createAccountService } from './features/accounts/service.js';
import { createAlertTemplateService } from './features/alert-templates/service.js';
import { defaultArchiveLimits } from './features/app-packages/archive/limits.js';
import { archiveShelf } from './features/app-packages/archive/shelf.js';
import { createPackageArchives } from './features/app-packages/archives.js';
import { createPackageService } from './features/app-packages/service.js';
import { createAccessRules } from './features/applications/access-rules.js';
import { createApplicationService } from './features/applications/service.js';
import { createAuditService } from './features/audit/service.js';
import { createConfigPackageService } from './features/config-packages/service.js';
import { createContainerRuntimeService } from './features/container-runtime/service.js';
import { createContainerService } from './features/containers/service.js';
import { createLaunchingService } from './features/launching/service.js';
import { communityLicense } from './features/licenses/community.js';
import { createLicenseService } from './features/licenses/service.js';
import { createLogicalPlanService } from './features/logical-plan/service.js';
import { createMailService } from './features/mail/service.js';
import { createPhysicalPlanService } from './features/physical-plan/service.js';
import { createKeystore, type Keystore } from './features/properties/keystore.js';
import { isSecretProperty } from './features/properties/known.js';
import { createPropertyService } from './features/properties/service.js';
import { createProxyService } from './features/proxy/service.js';
import { createRecordingService } from './features/recordings/service.js';
import { createEngineKind } from './features/services/engine-kind.js';
import { readServiceLimits } from './features/services/options.js';
import { createRunningApplications } from './features/services/running-applications.js';
import { createPlatformServices } from './features/services/service.js';
import { createSystemService } from './features/system/service.js';
import { createTokenService } from './features/tokens/service.js';
import { openTokenStore, type TokenStore } from './features/tokens/store.js';
import { installTime } from './features/usage/installation.js';
import { createUsageService } from './features/usage/service.js';
import { type ApplicationCredentials, createApplicationCredentials } from './http/application-credentials.js';
import type { Authenticator } from './interfaces/auth.js';
import type { Clock } from './interfaces/clock.js';
import type { ClusterDriver } from './interfaces/cluster.js';
import type { Logger } from './interfaces/logger.js';
import type { DocumentStore, Storage } from './interfaces/storage.js';
import { Permissions } from './model/acl.js';
import { NotFound } from './model/errors.js';
import { defaultTimeouts, type Timeouts } from './model/timeouts.js';
import { type GatewayOptions, machineClock, silent } from './options.js';
import type { routes } from './routes.js';
import type { Metrics } from './runtime/metrics.js';
import { createSliceScheduler } from './runtime/slice-scheduler.js';
import type { Teardown } from './runtime/teardown.js';
import { withTimeout } from './runtime/with-timeout.js';
import { collection } from './storage/collection.js';
import { createSealing, type Sealing, storageSecrets } from './storage/sealing.js';
import { version } from './version.js';

/** Computed from the routes: a missing or wrong service does not compile. */
export type Services = {
  readonly [Room in keyof typeof routes]: ServiceOf<(typeof routes)[Room]>;
};
type ServiceOf<Room> = Room[keyof Room] extends { handle(service: infer S, input: never): unknown }
  ? S
  : never;

/** Rooms that hold what a restart replaces; `restartable-scope.ts` makes them. */
type RestartableService = 'session' | 'discovery' | 'cluster' | 'configuration' | 'systemAlerts';

/** What a restart leaves alone: work that is under way goes on in it to its end. */
export interface PersistentScope {
  readonly services: Omit<Services, RestartableService>;
  /** Where all rooms keep what they keep. */
  readonly storage: Storage;
  readonly credentials: ApplicationCredentials;
  readonly tokens: TokenStore;
  readonly authenticator: Authenticator | undefined;
  readonly sealing: Sealing;
  readonly keystore: Keystore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeouts: Timeouts;
  readonly metrics: Metrics;
}

/** The rooms over storage and cluster, top to bottom. */
export async function createPersistentScope(
  options: GatewayOptions,
  teardown: Teardown,
  metrics: Metrics,
): Promise<PersistentScope> {
  const { cluster, logger = silent, clock = machineClock } = options;
  const audit = await createAuditService({
    documents: options.storage.documents,
    clock,
    logger,
    options: options.audit,
  });
  teardown.add(audit.close);
  const storage = withDocuments(options.storage, audit.documents);
  const authenticator = typeof options.auth === 'object' ? options.auth : undefined;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const usualSecrets = options.secrets ?? storageSecrets(storage);

  const { importDirectory } = options.packages ?? {};
  const installed = await installTime(storage.documents, clock);
  let licenseId = (): string | undefined => undefined;
  const properties = createPropertyService({
    documents: storage.documents,
    // Never with the key store: its own password is one of them.
    sealing: createSealing(usualSecrets),
    logger,
    options: options.site,
    fixed: () => ({
      'platform.version': version,
      'platform.installTime': String(installed),
      ...(options.licensing ? { 'platform.license.platform.id': licenseId() ?? '' } : {}),
      ...(importDirectory === undefined ? {} : { 'platform.gateway.importDirectory': importDirectory }),
    }),
  });
  await properties.takeEffect();
  const keystore = createKeystore(properties, usualSecrets, clock);
  keystore.begin();
  const sealing = createSealing(keystore.secrets);
  const tokens = await openTokenStore({ documents: storage.documents, clock, logger });
  teardown.add(tokens.close);
  const accounts = await createAccountService({
    documents: storage.documents,
    clock,
    logger,
    passwordRequired: authenticator?.usesLocalPasswords ?? false,
    forget: (userName, exceptSessionId) => authenticator?.forget?.(userName, exceptSessionId),
    cascade: tokens,
    loginMillis: timeouts.loginMillis,
  });
  const credentials = createApplicationCredentials({
    documents: storage.documents,
    clock,
    isAlive: (appId) => isAlive(cluster, appId, timeouts.resourceManagerMillis),
  });
  const rules = createAccessRules({
    ofCluster: cluster.resourceManager.permissions,
    kept: collection(storage.documents, 'application-permissions', Permissions),
    clock,
  });
  const ownDefaults = createOwnDefaults({ settings: accounts.settings, logger });
  const licenses = options.licensing
    ? await createLicenseService({
        options: options.licensing,
        documents: storage.documents,
        cluster,
        clock,
        logger,
      })
    : communityLicense({ cluster, clock });
  teardown.add(licenses.close);
  licenseId = licenses.currentId;
  const applications = createApplicationService({
    servicesOf: (call, appId) => [...platformServices.neededBy(call, appId)],
    cluster,
    licenses,
    rules,
    clock,
    logger,
    timeouts,
  });
  const containers = createContainerService({
    applications,
    cluster,
    slices: createSliceScheduler(),
    openMillis: timeouts.masterMillis,
  });
  const shelf = archiveShelf();
  const configPackages = await createConfigPackageService({
    storage,
    clock,
    archives: createPackageArchives({
      limits: { ...defaultArchiveLimits, ...options.packages?.limits },
      shelf,
    }),
  });
  const mail = await createMailService({
    documents: storage.documents,
    sealing,
    mailer: options.mailer,
    options: options.mail,
    isDurable: options.alerts?.durable ?? false,
    clock,
    logger,
    testMillis: timeouts.testMailMillis,
  });
  teardown.add(mail.close);
  const usage = await createUsageService({
    licenses,
    documents: storage.documents,
    cluster,
    properties,
    clock,
    logger,
    platformVersion: version,
    installTime: installed,
    timeoutMillis: timeouts.resourceManagerMillis,
  });
  teardown.add(usage.close);
  const platformServices = createPlatformServices({
    documents: storage.documents,
    runtime: options.containers,
    engine: createEngineKind({
      cluster,
      packages: () => appPackages,
      launching: () => launching,
      limits: readServiceLimits(options.services),
      requireUnlocked: () => licenses.require({ lockable: true }),
      maxPackageBytes: { ...defaultArchiveLimits, ...options.packages?.limits }.maxBytes,
    }),
    applications: createRunningApplications({ cluster, clock, millis: timeouts.resourceManagerMillis }),
    property: async (name) => (isSecretProperty(name) ? undefined : properties.value(name)),
    options: options.services,
    clock,
    logger,
  });
  const appPackages = await createPackageService({
    ...options.packages,
    storage,
    shelf,
    clock,
    logger,
    ownDefaults,
    cluster,
    properties,
    licenses,
    checkMillis: timeouts.masterMillis,
  });
  const launching = createLaunchingService({
    packages: appPackages,
    applications,
    configPackages,
    services: platformServices.launches,
    properties,
    cluster,
    ownDefaults,
    timeouts,
  });
  const proxy = createProxyService({
    cluster,
    applications,
    timeouts,
    services: platformServices,
    ownCookies: options.auth === 'none' ? [] : authenticator?.cookies,
    ownHeaders: options.auth === 'none' ? [] : (authenticator?.headers ?? []),
    origins: options.origins ?? [],
    options: options.proxy,
  });
  teardown.add(proxy.close);
  const services: PersistentScope['services'] = {
    metrics,
    audit,
    accounts,
    tokens: createTokenService({
      store: tokens,
      accounts,
      documents: storage.documents,
      clock,
      tokenUsers: authenticator?.tokenUsers,
      limits: options.tokens,
    }),
    applications,
    launching,
    physicalPlan: createPhysicalPlanService({ applications, cluster }),
    containers,
    logicalPlan: createLogicalPlanService({ applications, cluster, containers, timeouts }),
    recordings: createRecordingService({ applications, cluster }),
    appPackages,
    configPackages,
    properties,
    services: platformServices,
    containerRuntime: createContainerRuntimeService({
      runtime: options.containers,
      properties,
      logger,
    }),
    proxy,
    licenses,
    usage,
    system: createSystemService({ cluster, properties, options: options.install }),
    mail,
    alertTemplates: createAlertTemplateService({ documents: storage.documents }),
  };
  return {
    services,
    storage,
    credentials,
    tokens,
    authenticator,
    sealing,
    keystore,
    clock,
    logger,
    timeouts,
    metrics,
  };
}

/** The same storage with another way to its documents. A host's may be an object of a class: its methods stay its own. */
function withDocuments(storage: Storage, documents: DocumentStore): Storage {
  const { blobs, secretKey } = storage;
  return {
    documents,
    blobs,
    ...(secretKey ? { secretKey: () => secretKey.call(storage) } : {}),
    problems: () => storage.problems(),
    close: () => storage.close(),
  };
}

/** What can't be asked has not ended. */
async function isAlive(cluster: ClusterDriver, appId: string, millis: number): Promise<boolean> {
  try {
    const { finalStatus } = await withTimeout(millis, 'The resource manager', undefined, (signal) =>
      cluster.resourceManager.getApplication(appId, { signal }),
    );
    return finalStatus === 'UNDEFINED';
  } catch (error) {
    return !(error instanceof NotFound);
  }
}
