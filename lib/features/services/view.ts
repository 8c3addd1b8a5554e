import { masked, maskedValues } from './definition/definition-secrets.js';
import type { AppService, DependentApp, Service } from './schema.js';
import type { Supervisor } from './supervision/supervisor.js';

/** A service as it is told of; texts show their variables, and no secrets. */
export function viewOf(supervisor: Supervisor, dependentApps: readonly DependentApp[]): Service {
  const { name, stored, life, detail, unseenSince } = supervisor;
  const { state, enabled } = stored;
  const definition = masked(stored.definition);
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
    ...(definition.proxy ? { proxy: definition.proxy } : {}),
    metadata: { ...definition.metadata, ...maskedValues(life?.metadata ?? {}) },
    ...(definition.type === 'container'
      ? { ...(lifeId === undefined ? {} : { containerId: lifeId }), container: definition.container }
      : { ...(lifeId === undefined ? {} : { appId: lifeId }), engine: definition.engine }),
  };
}

/** As the detail of an application tells of it: how it was made is for those who may see definitions. */
export function viewForApplication(supervisor: Supervisor, mayViewDefinitions: boolean): AppService {
  const { dependentApps: _, ...view } = viewOf(supervisor, []);
  if (mayViewDefinitions) return view;
  const { name, state, type, enabled, startedTime, installedTime, memoryMB, requiredServices } = view;
  const { name: path, address = '', followRedirect = true } = view.proxy ?? {};
  const proxy = { ...(path === undefined ? {} : { name: path }), address, followRedirect };
  return {
    name,
    state,
    type,
    enabled,
    startedTime,
    installedTime,
    memoryMB,
    requiredServices,
    metadata: view.metadata,
    ...(view.proxy ? { proxy } : {}),
  };
}
