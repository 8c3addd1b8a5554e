import { may } from '../../http/principal.js';
import type { Call } from '../../http/route.js';
import { masked, maskedValues } from './definition/definition-secrets.js';
import type { Dependents } from './launches/dependents.js';
import type { AppService, DependentApp, Service } from './schema.js';
import type { ServiceRegistry } from './supervision/service-registry.js';
import type { Supervisor } from './supervision/supervisor.js';

/** A service as it is told of; texts show their variables, and no secrets. */
function viewOf(supervisor: Supervisor, dependentApps: readonly DependentApp[]): Service {
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
function viewForApplication(supervisor: Supervisor, mayViewDefinitions: boolean): AppService {
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

/** Services as clients read them. */
interface ServiceViews {
  list(): Promise<Service[]>;
  get(name: string): Promise<Service>;
  /** Those that the application needs, as its detail tells of them. */
  neededBy(call: Call, appId: string): readonly AppService[];
}

export function createServiceViews(
  registry: ServiceRegistry,
  dependents: Pick<Dependents, 'of' | 'servicesOf'>,
): ServiceViews {
  const view = async (supervisor: Supervisor) => viewOf(supervisor, await dependents.of(supervisor.name));
  return {
    list: () => Promise.all([...registry.all()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(view)),
    get: async (name) => view(registry.require(name)),
    neededBy: (call, appId) =>
      dependents.servicesOf(appId).flatMap((name) => {
        const supervisor = registry.get(name);
        return supervisor ? [viewForApplication(supervisor, may(call.user, 'VIEW_GLOBAL_CONFIG'))] : [];
      }),
  };
}
