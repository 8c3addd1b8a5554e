import { Permissions } from './core/acl.js';
import { createApplicationCredentials } from './core/application-credentials.js';
import { authentication, everybodysIdentity } from './core/callers.js';
import { capabilitiesOf } from './core/capabilities.js';
import { collection } from './core/collection.js';
import { within } from './core/deadline.js';
import { createDispatch, pathOf } from './core/dispatch.js';
import { createEnding, type Ending } from './core/ending.js';
import { NotFound, NotReady } from './core/errors.js';
import { defaultPatience } from './core/patience.js';
import type { GatewayRequest, GatewayResponse } from './core/request.js';
import { buildTable, type ListedRoute } from './core/table.js';
import { createTurns } from './core/turns.js';
import { createOwnDefaults } from './features/accounts/own-defaults.js';
import { createAccountService } from './features/accounts/service.js';
import { defaultArchiveLimits } from './features/app-packages/archive/limits.js';
import { createPackageArchives } from './features/app-packages/archives.js';
import { createPackageService } from './features/app-packages/service.js';
import { createAccessRules } from './features/applications/access-rules.js';
import type { HostLaunch } from './features/applications/schema.js';
import { createApplicationService } from './features/applications/service.js';
import { installationOf } from './features/cluster/about.js';
import { createClusterService } from './features/cluster/service.js';
import { createConfigPackageService } from './features/config-packages/service.js';
import { createContainerService } from './features/containers/service.js';
import { createDiscoveryService } from './features/discovery/service.js';
import { createLogicalPlanService } from './features/logical-plan/service.js';
import { createPhysicalPlanService } from './features/physical-plan/service.js';
import { createRecordingService } from './features/recordings/service.js';
import { createSessionService, type Door } from './features/session/service.js';
import { createTokenService } from './features/tokens/service.js';
import { openTokenStore } from './features/tokens/store.js';
import type { Authenticator } from './interfaces/auth.js';
import type { ClusterDriver } from './interfaces/cluster.js';
import { type GatewayOptions, machineClock, silent } from './options.js';
import { createPubSubDoor, type PubSubDoor } from './pubsub/door.js';
import { createHub } from './pubsub/hub.js';
import { bindTopics } from './pubsub/topic-table.js';
import { routes } from './routes.js';
import { topics } from './topics.js';
import { version } from './version.js';

/** What host adapters mount. It never listens, and leaves the process alone. */
export interface Gateway {
  /** Resolves `undefined` for a path that is not ours: the host goes on. Never rejects. */
  handle(request: GatewayRequest): Promise<GatewayResponse | undefined>;
  /** Whether this URL (as in `handle`) is one of ours, whatever the method: for hosts that must decide without waiting. */
  owns(url: string): boolean;
  /** Every operation, in the order in which a first-match router may mount them. */
  readonly routes: readonly ListedRoute[];
  /** What a WebSocket adapter talks to. */
  readonly pubsub: PubSubDoor;
  /**
   * Launches an application for the host's own code, which is trusted: nobody's permissions are asked. Resolves its
   * id. Rejects with `InvalidInput` or `BadRequest` naming what is wrong, `Conflict` when the user already runs one of
   * that name, `NotSupported` when the driver can't launch.
   */
  launch(request: HostLaunch): Promise<string>;
  /**
   * Present when this start made the user `admin` and generated its password. It is kept nowhere else: show it to the
   * person who set the gateway up.
   */
  readonly initialAdminPassword?: string;
  /**
   * The host's own rules (`options.authorize`) have changed: open sockets are asked about again, of one user when only
   * theirs did. Requests ask each time.
   */
  rightsChanged(userName?: string): void;
  /**
   * Idempotent. Ends sockets, timers, child processes, the cluster driver and the storage; requests that come later are
   * answered with 503. Rejects when a part could not be closed, after all the others were.
   */
  close(): Promise<void>;
}

/** Computed from the routes: a missing or wrong service does not compile. */
type Services = {
  readonly [Room in keyof typeof routes]: ServiceOf<(typeof routes)[Room]>;
};
type ServiceOf<Room> = Room[keyof Room] extends { handle(service: infer S, input: never): unknown }
  ? S
  : never;

/** Rejects when the storage or the cluster can't be opened; then everything given is closed. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { storage, cluster, logger = silent } = options;
  const ending = createEnding();
  ending.add(() => storage.close());
  ending.add(() => cluster.close());
  try {
    return await wire(options, ending);
  } catch (error) {
    await ending.end().catch((err: unknown) => logger.error({ err }, 'closing after a failed start failed'));
    throw error;
  }
}

/** The wiring, top to bottom. */
async function wire(options: GatewayOptions, ending: Ending): Promise<Gateway> {
  const { storage, cluster, logger = silent, clock = machineClock } = options;
  const authenticator = typeof options.auth === 'object' ? options.auth : undefined;
  const capabilities = capabilitiesOf(cluster);
  const patience = { ...defaultPatience, ...options.patience };

  const tokenStore = await openTokenStore({ documents: storage.documents, clock, logger });
  ending.add(tokenStore.close);
  const accounts = await createAccountService({
    documents: storage.documents,
    clock,
    logger,
    passwordRequired: authenticator?.usesLocalPasswords ?? false,
    forget: (userName, exceptSessionId) => authenticator?.forget?.(userName, exceptSessionId),
    belongings: tokenStore,
  });
  const credentials = createApplicationCredentials({
    documents: storage.documents,
    clock,
    isAlive: (appId) => isAlive(cluster, appId, patience.resourceManagerMillis),
  });
  const rules = createAccessRules({
    ofCluster: cluster.resourceManager.permissions,
    kept: collection(storage.documents, 'application-permissions', Permissions),
    clock,
  });
  const ownDefaults = createOwnDefaults({ settings: accounts.settings, logger });
  const applications = createApplicationService({
    cluster,
    rules,
    ownDefaults,
    clock,
    logger,
    patience,
  });
  const containers = createContainerService({
    applications,
    cluster,
    turns: createTurns(),
    openMillis: patience.masterMillis,
  });
  const configPackages = await createConfigPackageService({
    storage,
    clock,
    archives: createPackageArchives({ limits: { ...defaultArchiveLimits, ...options.packages?.limits } }),
  });
  const services: Services = {
    accounts,
    session: createSessionService({ door: doorOf(options.auth), accounts, applications: credentials }),
    tokens: createTokenService({
      store: tokenStore,
      accounts,
      documents: storage.documents,
      clock,
      tokenUsers: authenticator?.tokenUsers,
      limits: options.tokens,
    }),
    discovery: createDiscoveryService({
      routes: () => table.routes,
      version,
      cluster,
      capabilities,
      storage,
    }),
    applications,
    physicalPlan: createPhysicalPlanService({ applications, cluster }),
    containers,
    logicalPlan: createLogicalPlanService({ applications, cluster, containers, patience }),
    recordings: createRecordingService({ applications, cluster }),
    appPackages: await createPackageService({
      ...options.packages,
      storage,
      clock,
      logger,
      ownDefaults,
      cluster,
      applications,
      configPackages,
      checkMillis: patience.masterMillis,
    }),
    configPackages,
    cluster: createClusterService({
      cluster,
      installation: installationOf(version),
      patience: patience.resourceManagerMillis,
    }),
  };
  const table = buildTable(routes, services);

  const { limits, trustedPublishers = [] } = options.pubsub ?? {};
  const hub = createHub({
    topics: bindTopics(topics, services),
    authorize: options.authorize?.topic?.bind(options.authorize),
    clock,
    logger,
    ...(limits ? { limits } : {}),
  });
  const authenticate = authentication(options.auth);
  let isClosed = false;
  const requireOpen = () => {
    if (isClosed) throw new NotReady('The gateway is closed');
  };
  const { principalOf } = accounts;
  const pubsub = createPubSubDoor({
    hub,
    logger,
    requireOpen,
    authenticate: async (request) => (await credentials.authenticate(request)) ?? authenticate(request),
    principalOf: async (identity) =>
      credentials.applicationOf(identity) === undefined
        ? principalOf(identity)
        : credentials.principalOf(identity),
    applicationOf: credentials.applicationOf,
    onUse: (sessionId) => authenticator?.sessions?.touch(sessionId),
    origins: options.origins ?? [],
    trustedPublishers,
    ...(limits ? { limits } : {}),
  });

  const dispatch = createDispatch({
    table,
    requireOpen,
    authenticate,
    principalOf,
    requireLicense: () => {},
    authorize: options.authorize?.operation?.bind(options.authorize),
    driverName: cluster.name,
    capabilities,
    origins: options.origins ?? [],
    logger,
    clock,
  });

  accounts.onRightsChanged(hub.rightsChanged);
  await authenticator?.open?.({
    verifyPassword: accounts.verifyPassword,
    verifyToken: tokenStore.verify,
    clock,
  });
  // Not before: one that belongs to another gateway refuses to be opened, and must not be closed under it.
  ending.add(() => authenticator?.close?.());
  ending.add(authenticator?.sessions?.onEnd(hub.sessionEnded) ?? (() => {}));
  ending.add(tokenStore.onEnd(hub.sessionEnded));
  ending.add(hub.close);
  await cluster.open({
    storage,
    logger,
    clock,
    publish: (appId, topic, data) => hub.publishFrom(appId, topic, data),
    subscribe: (topic, receive) => hub.watch(topic, receive),
    subscribeFor: (appId, topic, receive) => hub.watchFrom(appId, topic, receive),
    credentials,
  });
  // Last: after a failed start nobody would be told the password that was generated.
  const initialAdminPassword = authenticator?.usesLocalPasswords
    ? await accounts.ensureAdmin(options.initialAdmin?.password)
    : undefined;

  // Last, so it is first: what is answered from memory must not outlive the rest.
  ending.add(() => {
    isClosed = true;
  });
  return {
    handle: dispatch,
    owns: (url) => table.owns(pathOf(url)),
    routes: table.routes,
    pubsub,
    rightsChanged: hub.rightsChanged,
    launch: async (request) => {
      requireOpen();
      return applications.launch(request);
    },
    ...(initialAdminPassword === undefined ? {} : { initialAdminPassword }),
    close: ending.end,
  };
}

/** What can't be asked has not ended. */
async function isAlive(cluster: ClusterDriver, appId: string, millis: number): Promise<boolean> {
  try {
    const { finalStatus } = await within(millis, 'The resource manager', undefined, (signal) =>
      cluster.resourceManager.getApplication(appId, { signal }),
    );
    return finalStatus === 'UNDEFINED';
  } catch (error) {
    return !(error instanceof NotFound);
  }
}

function doorOf(auth: Authenticator | 'none' | undefined): Door {
  if (auth === 'none') return { kind: 'everybody', identity: everybodysIdentity() };
  return auth?.sessions ? { kind: 'sessions', sessions: auth.sessions } : { kind: 'elsewhere' };
}
