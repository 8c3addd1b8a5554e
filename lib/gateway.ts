import { userInfo } from 'node:os';
import { capabilitiesOf } from './core/capabilities.js';
import { createDispatch, pathOf } from './core/dispatch.js';
import { NotLoggedIn } from './core/errors.js';
import { allPermissions } from './core/permissions.js';
import type { GatewayRequest, GatewayResponse } from './core/request.js';
import { buildTable, type ListedRoute } from './core/table.js';
import { createDiscoveryService } from './features/discovery/service.js';
import type { Authenticator, CallerRequest, Identity } from './interfaces/auth.js';
import { type GatewayOptions, machineClock, silent } from './options.js';
import { routes } from './routes.js';
import { version } from './version.js';

/** What host adapters mount. It never listens, and leaves the process alone. */
export interface Gateway {
  /** Resolves `undefined` for a path that is not ours: the host goes on. Never rejects. */
  handle(request: GatewayRequest): Promise<GatewayResponse | undefined>;
  /** Whether this URL (as in `handle`) is one of ours, whatever the method: for hosts that must decide without waiting. */
  owns(url: string): boolean;
  /** Every operation, in the order in which a first-match router may mount them. */
  readonly routes: readonly ListedRoute[];
  /** Idempotent. Ends sockets, timers, child processes, the cluster driver and the storage. */
  close(): Promise<void>;
}

/** Computed from the routes: a missing or wrong service does not compile. */
type Services = {
  readonly [Room in keyof typeof routes]: ServiceOf<(typeof routes)[Room]>;
};
type ServiceOf<Room> = Room[keyof Room] extends { handle(service: infer S, input: never): unknown }
  ? S
  : never;

/** The wiring, top to bottom. Rejects when the storage or the cluster can't be opened. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { storage, cluster, logger = silent, clock = machineClock } = options;
  const capabilities = capabilitiesOf(cluster);

  const services: Services = {
    discovery: createDiscoveryService({
      routes: () => table.routes,
      version,
      cluster,
      capabilities,
      storage,
    }),
  };
  const table = buildTable(routes, services);

  await cluster.open({
    storage,
    logger,
    clock,
    publish: () => false,
    subscribe: () => () => {},
  });

  const dispatch = createDispatch({
    table,
    authenticate: authentication(options.auth),
    principalOf: async (identity) => ({
      userName: identity.userName,
      roles: ['admin'],
      permissions: new Set(allPermissions),
      isAdmin: true,
      identity,
    }),
    requireLicense: () => {},
    driverName: cluster.name,
    capabilities,
    origins: options.origins ?? [],
    logger,
    clock,
  });

  let closing: Promise<void> | undefined;
  return {
    handle: dispatch,
    owns: (url) => table.owns(pathOf(url)),
    routes: table.routes,
    close() {
      closing ??= (async () => {
        await cluster.close();
        await storage.close();
      })();
      return closing;
    },
  };
}

function authentication(
  auth: Authenticator | 'none' | undefined,
): (caller: CallerRequest) => Promise<Identity | undefined> {
  if (auth === undefined) {
    return () =>
      Promise.reject(
        new NotLoggedIn(
          "No authenticator is configured: pass `auth` to createGateway, or `auth: 'none'` to let everybody in",
        ),
      );
  }
  if (auth === 'none') {
    const identity = { userName: userInfo().username };
    return async () => identity;
  }
  return (caller) => auth.authenticate(caller);
}
