import { createFoundation, type Foundation } from './composition/foundation.js';
import { createIdentityServices, type IdentityServices } from './composition/identity.js';
import { createReportingServices } from './composition/reporting.js';
import type { RestartableService, Services } from './composition/services.js';
import { createWorkloadServices } from './composition/workloads.js';
import { deviceCookieName } from './features/accounts/device-cookies.js';
import { createCheckpointService } from './features/checkpoints/service.js';
import { createContainerRuntimeService } from './features/container-runtime/service.js';
import { createContainerService } from './features/containers/service.js';
import { createLogicalPlanService } from './features/logical-plan/service.js';
import { createPhysicalPlanService } from './features/physical-plan/service.js';
import { createProfilingService } from './features/profiling/service.js';
import { createProxyService } from './features/proxy/service.js';
import { createRecordingService } from './features/recordings/service.js';
import { createSystemService } from './features/system/service.js';
import type { GatewayOptions } from './options.js';
import type { Metrics } from './runtime/metrics.js';
import { createSliceScheduler } from './runtime/slice-scheduler.js';
import type { Teardown } from './runtime/teardown.js';

/** What a restart leaves alone: work that is under way goes on in it to its end. */
export interface PersistentScope {
  readonly services: Omit<Services, RestartableService>;
  readonly foundation: Foundation;
  readonly identity: IdentityServices;
  readonly metrics: Metrics;
}

/** The rooms over storage and cluster, top to bottom. */
export async function createPersistentScope(
  options: GatewayOptions,
  teardown: Teardown,
  metrics: Metrics,
): Promise<PersistentScope> {
  const { cluster } = options;
  const foundation = await createFoundation(options, teardown);
  const { audit, properties, licenses, logger, timeouts } = foundation;
  const identity = await createIdentityServices(options, foundation, teardown);
  const { authenticator, accounts, tokens } = identity;
  const reporting = await createReportingServices(options, foundation, teardown);
  const workloads = await createWorkloadServices(options, foundation, identity.ownDefaults);
  const { applications } = workloads;
  const containers = createContainerService({
    applications,
    cluster,
    slices: createSliceScheduler(),
    openMillis: timeouts.masterMillis,
  });
  const proxy = createProxyService({
    cluster,
    applications,
    timeouts,
    services: workloads.services,
    ownCookies: options.auth === 'none' ? [] : authenticator?.cookies?.concat(deviceCookieName),
    ownHeaders: options.auth === 'none' ? [] : (authenticator?.headers ?? []),
    origins: options.origins ?? [],
    options: options.proxy,
  });
  teardown.add('the proxies', proxy.close);
  const services: PersistentScope['services'] = {
    ...workloads,
    ...reporting,
    metrics,
    audit,
    accounts,
    tokens,
    physicalPlan: createPhysicalPlanService({ applications, cluster }),
    containers,
    logicalPlan: createLogicalPlanService({ applications, cluster, containers, timeouts }),
    recordings: createRecordingService({ applications, cluster }),
    checkpoints: createCheckpointService({ applications, cluster }),
    profiling: createProfilingService({ applications, cluster }),
    properties,
    containerRuntime: createContainerRuntimeService({
      runtime: options.containers,
      properties,
      logger,
    }),
    proxy,
    licenses,
    system: createSystemService({ cluster, properties, options: options.install }),
  };
  return { services, foundation, identity, metrics };
}
