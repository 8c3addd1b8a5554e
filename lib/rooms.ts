import { Permissions } from './core/acl.js';
import { type ApplicationCredentials, createApplicationCredentials } from './core/application-credentials.js';
import { collection } from './core/collection.js';
import { within } from './core/deadline.js';
import type { Ending } from './core/ending.js';
import { NotFound } from './core/errors.js';
import type { Metrics } from './core/metrics.js';
import { defaultPatience, type Patience } from './core/patience.js';
import { createSealing, type Sealing, storageSecrets } from './core/sealing.js';
import { createTurns } from './core/turns.js';
import { createOwnDefaults } from './features/accounts/own-defaults.js';
import { createAccountService } from './features/accounts/service.js';
import { createAlertTemplateService } from './features/alert-templates/service.js';
import { defaultArchiveLimits } from './features/app-packages/archive/limits.js';
import { createPackageArchives } from './features/app-packages/archives.js';
import { createPackageService } from './features/app-packages/service.js';
import { createAccessRules } from './features/applications/access-rules.js';
import { createApplicationService } from './features/applications/service.js';
import { createAuditService } from './features/audit/service.js';
import { createConfigPackageService } from './features/config-packages/service.js';
import { createContainerRuntimeService } from './features/container-runtime/service.js';
import { createContainerService } from './features/containers/service.js';
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
import type { Authenticator } from './interfaces/auth.js';
import type { Clock } from './interfaces/clock.js';
import type { ClusterDriver } from './interfaces/cluster.js';
import type { Logger } from './interfaces/logger.js';
import type { DocumentStore, Storage } from './interfaces/storage.js';
import { type GatewayOptions, machineClock, silent } from './options.js';
import type { routes } from './routes.js';
import { version } from './version.js';

/** Computed from the routes: a missing or wrong service does not compile. */
export type Services = {
  readonly [Room in keyof typeof routes]: ServiceOf<(typeof routes)[Room]>;
};
type ServiceOf<Room> = Room[keyof Room] extends { handle(service: infer S, input: never): unknown }
  ? S
  : never;

/** Rooms that hold what a restart replaces; `run.ts` makes them. */
export type RoomOfRun = 'session' | 'discovery' | 'cluster' | 'configuration' | 'systemAlerts';

/** What a restart leaves alone: work that is under way goes on in it to its end. */
export interface Lasting {
  readonly services: Omit<Services, RoomOfRun>;
  /** Where all rooms keep what they keep. */
  readonly storage: Storage;
  readonly credentials: ApplicationCredentials;
  readonly tokens: TokenStore;
  readonly authenticator: Authenticator | undefined;
  readonly sealing: Sealing;
  readonly keystore: Keystore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly patience: Patience;
  readonly metrics: Metrics;
}

/** The rooms over storage and cluster, top to bottom. */
export async function createRooms(
  options: GatewayOptions,
  ending: Ending,
  metrics: Metrics,
): Promise<Lasting> {
  const { cluster, logger = silent, clock = machineClock } = options;
  const audit = await createAuditService({
    documents: options.storage.documents,
    clock,
    logger,
    options: options.audit,
  });
  ending.add(audit.close);
  const storage = withDocuments(options.storage, audit.documents);
  const authenticator = typeof options.auth === 'object' ? options.auth : undefined;
  const patience = { ...defaultPatience, ...options.patience };
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
  ending.add(tokens.close);
  const accounts = await createAccountService({
    documents: storage.documents,
    clock,
    logger,
    passwordRequired: authenticator?.usesLocalPasswords ?? false,
    forget: (userName, exceptSessionId) => authenticator?.forget?.(userName, exceptSessionId),
    belongings: tokens,
    loginMillis: patience.loginMillis,
  });
  const credentials = createApplicationCredentials({
    documents: storage.documents,
    clock,
    isAlive: (appId) => isAlive(cluster, appId, patience.resourceManagerMillis),
  });
  const rules = createAccessRules({
    ofCluster: cluster.resourceManager.permissions,
    kept: collection(storage.documents, 'application-permissions', Permissions),
    clock,
  });
  const ownDefaults = createOwnDefaults({ settings: accounts.settings, logger });
  const licenses = await createLicenseService({
    options: options.licensing,
    documents: storage.documents,
    cluster,
    clock,
    logger,
  });
  ending.add(licenses.close);
  licenseId = licenses.currentId;
  const applications = createApplicationService({
    servicesOf: (call, appId) => [...platformServices.neededBy(call, appId)],
    aroundRestart: (call, ended) => appPackages.aroundRestart(call, ended),
    cluster,
    licenses,
    rules,
    ownDefaults,
    clock,
    logger,
    patience,
  });
  const containers = createContainerService({
    applications,
    cluster,
    turns: createTurns(),
    openMillis: patience.masterMillis,
  });
  const configPackages = await createConfigPackageService({
    storage,
    clock,
    archives: createPackageArchives({ limits: { ...defaultArchiveLimits, ...options.packages?.limits } }),
  });
  const mail = await createMailService({
    documents: storage.documents,
    sealing,
    mailer: options.mailer,
    options: options.mail,
    isDurable: options.alerts?.durable ?? false,
    clock,
    logger,
    testMillis: patience.testMailMillis,
  });
  ending.add(mail.close);
  const usage = await createUsageService({
    licenses,
    documents: storage.documents,
    cluster,
    properties,
    clock,
    logger,
    platformVersion: version,
    installTime: installed,
    patience: patience.resourceManagerMillis,
  });
  ending.add(usage.close);
  const platformServices = createPlatformServices({
    documents: storage.documents,
    runtime: options.containers,
    engine: createEngineKind({
      cluster,
      packages: () => appPackages,
      limits: readServiceLimits(options.services),
      requireUnlocked: () => licenses.require({ lockable: true }),
      maxPackageBytes: { ...defaultArchiveLimits, ...options.packages?.limits }.maxBytes,
    }),
    applications: createRunningApplications({ cluster, clock, millis: patience.resourceManagerMillis }),
    property: async (name) => (isSecretProperty(name) ? undefined : properties.value(name)),
    options: options.services,
    clock,
    logger,
  });
  const appPackages = await createPackageService({
    ...options.packages,
    storage,
    clock,
    logger,
    ownDefaults,
    cluster,
    applications,
    configPackages,
    services: platformServices.launches,
    properties,
    licenses,
    checkMillis: patience.masterMillis,
  });
  const proxy = createProxyService({
    cluster,
    applications,
    patience,
    services: platformServices,
    ownCookies: options.auth === 'none' ? [] : authenticator?.cookies,
    ownHeaders: options.auth === 'none' ? [] : (authenticator?.headers ?? []),
    origins: options.origins ?? [],
    options: options.proxy,
  });
  ending.add(proxy.close);
  const services: Lasting['services'] = {
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
    physicalPlan: createPhysicalPlanService({ applications, cluster }),
    containers,
    logicalPlan: createLogicalPlanService({ applications, cluster, containers, patience }),
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
    patience,
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
    const { finalStatus } = await within(millis, 'The resource manager', undefined, (signal) =>
      cluster.resourceManager.getApplication(appId, { signal }),
    );
    return finalStatus === 'UNDEFINED';
  } catch (error) {
    return !(error instanceof NotFound);
  }
}
