import { defaultArchiveLimits } from '../features/app-packages/archive/limits.js';
import { archiveShelf } from '../features/app-packages/archive/shelf.js';
import { createPackageArchives } from '../features/app-packages/archives.js';
import { createPackageService, type PackageService } from '../features/app-packages/service.js';
import { createAccessRules } from '../features/applications/access-rules.js';
import { createApplicationService } from '../features/applications/service.js';
import { createConfigPackageService } from '../features/config-packages/service.js';
import { createLaunchingService, type LaunchingService } from '../features/launching/service.js';
import { isSecretProperty } from '../features/properties/known.js';
import { createEngineKind } from '../features/services/kinds/engine-kind.js';
import { createRunningApplications } from '../features/services/launches/running-applications.js';
import { readServiceLimits } from '../features/services/options.js';
import { createPlatformServices, type PlatformServices } from '../features/services/service.js';
import { type OwnDefaults, Permissions } from '../model/acl.js';
import type { GatewayOptions } from '../options.js';
import { collection } from '../storage/collection.js';
import type { Foundation } from './foundation.js';
import type { Services } from './services.js';

/** What runs on the cluster and what it is launched from: packages, the platform's services, applications. */
export async function createWorkloadServices(
  options: GatewayOptions,
  foundation: Foundation,
  ownDefaults: OwnDefaults,
): Promise<Pick<Services, 'appPackages' | 'configPackages' | 'services' | 'applications' | 'launching'>> {
  const { cluster } = options;
  const { storage, properties, licenses, clock, logger, timeouts } = foundation;
  const { appPackages, configPackages } = await createPackageServices(options, foundation, ownDefaults);
  const services = platformServicesOf(options, foundation, {
    packages: appPackages,
    launching: () => launching,
  });
  const applications = createApplicationService({
    servicesOf: (call, appId) => [...services.neededBy(call, appId)],
    cluster,
    licenses,
    rules: createAccessRules({
      ofCluster: cluster.resourceManager.permissions,
      kept: collection(storage.documents, 'application-permissions', Permissions),
      clock,
    }),
    clock,
    logger,
    timeouts,
  });
  const launching = createLaunchingService({
    packages: appPackages,
    applications,
    configPackages,
    services: services.launches,
    properties,
    cluster,
    ownDefaults,
    timeouts,
  });
  return { appPackages, configPackages, services, applications, launching };
}

/** Both kinds of packages: archives that are open are kept on one shelf. */
async function createPackageServices(
  { packages, cluster }: GatewayOptions,
  { storage, properties, licenses, clock, logger, timeouts }: Foundation,
  ownDefaults: OwnDefaults,
): Promise<Pick<Services, 'appPackages' | 'configPackages'>> {
  const shelf = archiveShelf();
  const configPackages = await createConfigPackageService({
    storage,
    clock,
    archives: createPackageArchives({ limits: { ...defaultArchiveLimits, ...packages?.limits }, shelf }),
  });
  const appPackages = await createPackageService({
    ...packages,
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
  return { appPackages, configPackages };
}

function platformServicesOf(
  { cluster, containers, packages: packageOptions, services: options }: GatewayOptions,
  { storage, properties, licenses, clock, logger, timeouts }: Foundation,
  {
    packages,
    launching,
  }: {
    readonly packages: PackageService;
    /** Services may be applications, and applications may need services: it is launched by what is made after this. */
    readonly launching: () => LaunchingService;
  },
): PlatformServices {
  return createPlatformServices({
    documents: storage.documents,
    runtime: containers,
    engine: createEngineKind({
      cluster,
      packages,
      launching,
      limits: readServiceLimits(options),
      requireUnlocked: () => licenses.require({ lockable: true }),
      maxPackageBytes: { ...defaultArchiveLimits, ...packageOptions?.limits }.maxBytes,
    }),
    applications: createRunningApplications({ cluster, clock, millis: timeouts.resourceManagerMillis }),
    property: async (name) => (isSecretProperty(name) ? undefined : properties.value(name)),
    options,
    clock,
    logger,
  });
}
