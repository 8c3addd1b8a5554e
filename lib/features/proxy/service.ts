import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Timeouts } from '../../model/timeouts.js';
import type { Applications } from '../applications/service.js';
import type { ServiceTargets } from '../services/service.js';
import { type ClusterProxy, createClusterProxy } from './cluster-proxy.js';
import { defaultProxyLimits, type ProxyOptions } from './options.js';
import { createServiceProxy, type ServiceProxy } from './service-proxy.js';

export interface ProxyService extends ClusterProxy, ServiceProxy {}

export function createProxyService({
  cluster,
  applications,
  timeouts,
  services,
  ownCookies,
  origins,
  ...deps
}: {
  cluster: ClusterDriver;
  applications: Applications;
  timeouts: Pick<Timeouts, 'resourceManagerMillis'>;
  /** Absent: there are no services. */
  services?: ServiceTargets | undefined;
  /** As in `Authenticator`. */
  ownCookies: readonly string[] | undefined;
  /** As in `Authenticator`. */
  ownHeaders: readonly string[];
  origins: readonly string[];
  options?: ProxyOptions | undefined;
}): ProxyService {
  const limits = { ...defaultProxyLimits, ...deps.options?.limits };
  const ownHeaders = new Set(deps.ownHeaders.map((name) => name.toLowerCase()));
  return {
    ...createClusterProxy({ cluster, applications, timeouts, ownHeaders, limits }),
    ...createServiceProxy({ services, ownCookies, ownHeaders, origins, limits }),
  };
}
