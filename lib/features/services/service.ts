import { randomBytes } from 'node:crypto';
import type { Call } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ContainerRuntime } from '../../interfaces/container-runtime.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { collection } from '../../storage/collection.js';
import { createInstallation } from './installation.js';
import { createContainerKind, noContainers } from './kinds/container-kind.js';
import type { ServiceKind } from './kinds/kind.js';
import { createDependents } from './launches/dependents.js';
import { createLaunchServices, type LaunchServices } from './launches/launch-services.js';
import type { RunningApplications } from './launches/running-applications.js';
import { transientRemoval } from './launches/transient-removal.js';
import { readServiceLimits, type ServiceOptions } from './options.js';
import { type ServiceTargets, serviceTargetOf } from './proxy-target.js';
import type { AppService, NamedService, Service, ServiceInput } from './schema.js';
import { createServiceRequests } from './service-requests.js';
import { StoredOwner } from './stored.js';
import { createHealthPoller } from './supervision/health-poller.js';
import { createResolver } from './supervision/resolver.js';
import { createServiceRegistry } from './supervision/service-registry.js';
import { createSupervisors } from './supervision/supervisors.js';
import { createServiceViews } from './view.js';

export type { AroundLaunch, LaunchServices } from './launches/launch-services.js';
export type { ServiceTarget, ServiceTargets } from './proxy-target.js';

/** Programs that run beside the applications. */
export interface PlatformServices extends ServiceTargets {
  /** Around launches of applications that need services. */
  readonly launches: LaunchServices;
  /** Those that the application needs, as its detail tells of them. */
  neededBy(call: Call, appId: string): readonly AppService[];
  list(): Promise<Service[]>;
  get(name: string): Promise<Service>;
  /** Resolves when it is being installed. Rejects with `Conflict` where there is one of this name. */
  put(call: Call, name: string, input: ServiceInput): Promise<void>;
  /** Takes effect at the next start. Rejects with `Conflict` unless it is STOPPED. */
  update(name: string, input: ServiceInput): Promise<void>;
  /** Resolves when it is gone, or after a while: it goes in the end. */
  remove(name: string): Promise<{ message?: string }>;
  start(name: string): Promise<void>;
  stop(name: string): Promise<{ message?: string }>;
  /**
   * All or none are taken; those that are there already are skipped when they are the same, and a `Conflict` when not.
   * Resolves when each runs, or with `isAsync` at once. Rejects with `ContainerFailed` saying which did not come up.
   */
  install(call: Call, services: readonly NamedService[], options: { isAsync: boolean }): Promise<void>;
  /** After the cluster was opened. */
  open(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

interface ServiceDeps {
  readonly documents: DocumentStore;
  readonly runtime: ContainerRuntime | undefined;
  readonly engine: ServiceKind;
  readonly applications: RunningApplications;
  /** Of the platform's configuration; `undefined` when it is not set. Never a secret. */
  readonly property: (name: string) => Promise<string | undefined>;
  readonly options: ServiceOptions | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createPlatformServices(deps: ServiceDeps): PlatformServices {
  const { documents, runtime, options = {}, clock, logger } = deps;
  const limits = readServiceLimits(options);
  const kinds = {
    container: runtime ? createContainerKind(runtime, limits) : noContainers(),
    engine: deps.engine,
  };
  const registry = createServiceRegistry();
  const resolver = createResolver({
    services: registry,
    property: deps.property,
    given: options.variables ?? {},
  });
  const supervisors = createSupervisors({ documents, registry, kinds, resolver, limits, clock, logger });
  const installation = createInstallation({ supervisors, kinds });
  const dependents = createDependents({ documents, applications: deps.applications, clock });
  const removeTransient = transientRemoval({ supervisors, dependents, logger });
  const healthPoller = createHealthPoller({
    supervisors: registry.all,
    kinds: Object.entries(kinds),
    sweep: async (signal) => removeTransient(await dependents.sweep(signal)),
    everyMillis: limits.pollMillis,
    logger,
  });
  const hasRuntime = runtime !== undefined;

  return {
    ...createServiceViews(registry, dependents),
    ...createServiceRequests({ supervisors, installation, dependents, kinds, hasRuntime, limits }),
    launches: createLaunchServices({
      supervisors,
      dependents,
      installation,
      removeTransient,
      launchesInstallServices: options.launchesInstallServices ?? false,
      logger,
    }),
    target: (name) => serviceTargetOf(registry, name, resolver),

    async open() {
      await runtime?.open({ owner: await containerOwner(documents), logger, clock });
      await supervisors.open();
      await dependents.open();
      await healthPoller.look();
      supervisors.resume();
      // The gateway may have ended before it deleted them. What is known to be needed stays: not what an application
      // needs whose launch the gateway did not live to keep.
      const brought = registry.all().filter(({ stored }) => stored.transient);
      await removeTransient(brought.map(({ name }) => name));
      healthPoller.start();
    },

    async close() {
      healthPoller.close();
      await supervisors.close({ stop: options.stopOnClose ?? false });
    },
  };
}

/** Tells containers of this gateway from those of others: made up once, at the first start. */
async function containerOwner(documents: DocumentStore): Promise<string> {
  const owners = collection(documents, 'service-owner', StoredOwner);
  const { value } = await owners.update(
    'owner',
    (known) => known ?? { owner: randomBytes(12).toString('hex') },
  );
  return value.owner;
}
