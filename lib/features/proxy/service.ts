import type { ForwardLimits } from '../../forwarding/exchange.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Timeouts } from '../../model/timeouts.js';
import type { Applications } from '../applications/service.js';
import type { ServiceTargets } from '../services/service.js';
import { type ClusterProxy, createClusterProxy } from './cluster-proxy.js';
import { createServiceProxy, type ServiceProxy } from './service-proxy.js';
import { defaultTunnelLimits, type TunnelLimits } from './tunnels.js';

export interface ProxyService extends ClusterProxy, ServiceProxy {}

export interface ProxyOptions {
  readonly limits?: Partial<ForwardLimits & TunnelLimits>;
}

export const defaultForwardLimits: ForwardLimits = {
  connectMillis: 5000,
  answerMillis: 60_000,
  idleMillis: 120_000,
};

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
  const limits = { ...defaultForwardLimits, ...defaultTunnelLimits, ...deps.options?.limits };
  const ownHeaders = new Set(deps.ownHeaders.map((name) => name.toLowerCase()));
  return {
    ...createClusterProxy({ cluster, applications, timeouts, ownHeaders, limits }),
    ...createServiceProxy({ services, ownCookies, ownHeaders, origins, limits }),
  };
}
