import {
  type BoundRoute,
  type ListedRoute,
  listRoutes,
  type RoutePlace,
  sortedPlaces,
} from './http/table.js';
import type { routes } from './routes.js';
import { timeSlice } from './runtime/event-loop.js';

// Each room is loaded with the first request for it: their schemas are most of what a gateway has, and few use all of them.

type Rooms = typeof routes;

const rooms: { readonly [R in keyof Rooms]: () => Promise<Rooms[R]> } = {
  accounts: async () => (await import('./features/accounts/routes.js')).accountRoutes,
  alertTemplates: async () => (await import('./features/alert-templates/routes.js')).alertTemplateRoutes,
  appPackages: async () => (await import('./features/app-packages/routes.js')).packageRoutes,
  applications: async () => (await import('./features/applications/routes.js')).applicationRoutes,
  audit: async () => (await import('./features/audit/routes.js')).auditRoutes,
  checkpoints: async () => (await import('./features/checkpoints/routes.js')).checkpointRoutes,
  cluster: async () => (await import('./features/cluster/routes.js')).clusterRoutes,
  configPackages: async () => (await import('./features/config-packages/routes.js')).configPackageRoutes,
  configuration: async () => (await import('./features/configuration/routes.js')).configurationRoutes,
  containerRuntime: async () =>
    (await import('./features/container-runtime/routes.js')).containerRuntimeRoutes,
  containers: async () => (await import('./features/containers/routes.js')).containerRoutes,
  discovery: async () => (await import('./features/discovery/routes.js')).discoveryRoutes,
  launching: async () => (await import('./features/launching/routes.js')).launchingRoutes,
  licenses: async () => (await import('./features/licenses/routes.js')).licenseRoutes,
  logicalPlan: async () => (await import('./features/logical-plan/routes.js')).logicalPlanRoutes,
  mail: async () => (await import('./features/mail/routes.js')).mailRoutes,
  metrics: async () => (await import('./features/metrics/routes.js')).metricsRoutes,
  physicalPlan: async () => (await import('./features/physical-plan/routes.js')).physicalPlanRoutes,
  profiling: async () => (await import('./features/profiling/routes.js')).profilingRoutes,
  properties: async () => (await import('./features/properties/routes.js')).propertyRoutes,
  proxy: async () => (await import('./features/proxy/routes.js')).proxyRoutes,
  recordings: async () => (await import('./features/recordings/routes.js')).recordingRoutes,
  services: async () => (await import('./features/services/routes.js')).serviceRoutes,
  session: async () => (await import('./features/session/routes.js')).sessionRoutes,
  system: async () => (await import('./features/system/routes.js')).systemRoutes,
  systemAlerts: async () => (await import('./features/system-alerts/routes.js')).alertRoutes,
  tokens: async () => (await import('./features/tokens/routes.js')).tokenRoutes,
  topicStreams: async () => (await import('./features/topic-streams/routes.js')).topicStreamRoutes,
  usage: async () => (await import('./features/usage/routes.js')).usageRoutes,
};

const isRoom = (name: string): name is keyof Rooms => Object.hasOwn(rooms, name);

/** Binds routes to the services of their rooms, and loads those. */
export function bindRooms(
  services: Readonly<Record<keyof Rooms, unknown>>,
): (place: RoutePlace) => BoundRoute | Promise<BoundRoute> {
  const bound = new Map<string, BoundRoute>();

  async function load({ id, room }: RoutePlace): Promise<BoundRoute> {
    if (isRoom(room)) {
      for (const listed of listRoutes({ [room]: await loaded(room) }))
        bound.set(listed.id, { ...listed, service: services[room] });
    }
    const found = bound.get(id);
    if (!found) throw new Error(`There is no route ${id}`);
    return found;
  }

  return (place) => bound.get(place.id) ?? load(place);
}

/**
 * All of them, one after the other. In between others have their turn: where a bundler has made one file of everything, loading
 * waits for nothing.
 */
export async function loadRoutes(): Promise<readonly ListedRoute[]> {
  const all: ListedRoute[] = [];
  const { isOver: due, next: rest } = timeSlice();
  for (const room of Object.keys(rooms).filter(isRoom)) {
    if (due()) await rest();
    all.push(...listRoutes({ [room]: await loaded(room) }));
  }
  return sortedPlaces(all);
}

async function loaded(room: keyof Rooms): Promise<Rooms[keyof Rooms]> {
  try {
    return await rooms[room]();
  } catch (cause) {
    const message = `The operations of ${room} can't be loaded. Were files of the package replaced since the start? Start the host again`;
    throw new Error(message, { cause });
  }
}
