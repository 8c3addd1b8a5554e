import type { Keeper } from './keeper.js';
import type { DependentApp, Service, ServiceProxy } from './schema.js';

/** A service as it is told of; texts show their variables. */
export function viewOf(keeper: Keeper, dependentApps: readonly DependentApp[]): Service {
  const { name, stored, life, detail, unseenSince } = keeper;
  const { definition, state, enabled } = stored;
  const lifeId = life?.id ?? stored.lifeId;
  return {
    name,
    state,
    ...(detail === undefined ? {} : { stateDetail: detail }),
    ...(unseenSince === undefined ? {} : { observedAt: unseenSince }),
    enabled,
    type: definition.type,
    ...(definition.description === undefined ? {} : { description: definition.description }),
    startedTime: life?.startedTime ?? stored.startedTime ?? 0,
    installedTime: stored.installedTime,
    memoryMB: life?.memoryMB ?? 0,
    ...(definition.srcUrl === undefined ? {} : { srcUrl: definition.srcUrl }),
    requiredServices: definition.requiredServices,
    dependentApps: [...dependentApps],
    ...(definition.proxy ? { proxy: proxyOf(definition.proxy) } : {}),
    metadata: { ...definition.metadata, ...life?.metadata },
    ...(definition.type === 'container'
      ? { ...(lifeId === undefined ? {} : { containerId: lifeId }), container: definition.container }
      : { ...(lifeId === undefined ? {} : { appId: lifeId }), engine: definition.engine }),
  };
}

/** Headers may hold what lets the gateway in: their values are not told. */
const proxyOf = ({ requestHeaders, ...proxy }: ServiceProxy): NonNullable<Service['proxy']> => ({
  ...proxy,
  ...(requestHeaders ? { requestHeaders } : {}),
});
