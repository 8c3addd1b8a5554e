import { pathOf } from './core/dispatch.js';
import { createEnding, type Ending } from './core/ending.js';
import { NotReady } from './core/errors.js';
import { createMetrics } from './core/metrics.js';
import type { GatewayRequest, GatewayResponse } from './core/request.js';
import type { ListedRoute } from './core/table.js';
import type { HostLaunch } from './features/applications/schema.js';
import { measuredDrivers } from './measuring.js';
import { type GatewayOptions, silent } from './options.js';
import type { PubSubDoor } from './pubsub/door.js';
import { createHubRelay } from './pubsub/relay.js';
import { createRestarts } from './restarts.js';
import { createRooms } from './rooms.js';
import { createRun, type Run } from './run.js';

/** What host adapters mount. It never listens, and leaves the process alone. */
export interface Gateway {
  /** Resolves `undefined` for a path that is not ours: the host goes on. Never rejects. */
  handle(request: GatewayRequest): Promise<GatewayResponse | undefined>;
  /** Whether this URL (as in `handle`) is one of ours, whatever the method: for hosts that must decide without waiting. */
  owns(url: string): boolean;
  /** Id of the operation that answers: for hosts with a router. `undefined`: there is none of this method, or no such path. */
  operationAt(method: string, url: string): string | undefined;
  /** Whether a WebSocket at this URL (as in `handle`) is for `handle`: a request with `isUpgrade`, answered with a `tunnel`. */
  ownsUpgrade(url: string): boolean;
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
   * A property of the platform as it is in force (`docs/configuration.md`); `undefined` while nothing sets it. Secrets come
   * as they are.
   */
  property(name: string): string | undefined;
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

/** Rejects when the storage or the cluster can't be opened; then everything given is closed. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { storage, cluster, logger = silent } = options;
  const ending = createEnding();
  ending.add(() => storage?.close());
  ending.add(() => cluster?.close());
  try {
    requireGiven(options);
    return await wire(options, ending);
  } catch (error) {
    await ending.end().catch((err: unknown) => logger.error({ err }, 'closing after a failed start failed'));
    throw error;
  }
}

/** A host in JavaScript has no compiler to tell it. */
function requireGiven({ storage, cluster }: Partial<GatewayOptions>): void {
  const choices = {
    storage: 'filesystemStorage() of headgate/storage/filesystem, or one of your own',
    cluster: 'localCluster() of headgate/cluster/local, or one of your own',
  };
  const missing = storage === undefined ? 'storage' : cluster === undefined ? 'cluster' : undefined;
  if (missing) throw new TypeError(`createGateway needs the option \`${missing}\`: ${choices[missing]}`);
}

/** `rooms.ts`: what lasts. `run.ts`: what a restart replaces. Here: the door before both, and the cluster behind them. */
async function wire(given: GatewayOptions, ending: Ending): Promise<Gateway> {
  const metrics = createMetrics();
  const options = measuredDrivers(given, metrics);
  const { cluster } = options;
  let isClosed = false;
  const requireOpen = () => {
    if (isClosed) throw new NotReady('The gateway is closed');
  };
  const lasting = await createRooms(options, ending, metrics);
  const { authenticator, clock, credentials, logger } = lasting;
  const { accounts, applications, properties, usage } = lasting.services;

  const restarts = createRestarts({ lifecycle: options.lifecycle, logger, inPlace: restartInPlace });
  let starts = 0;
  const next = (): Run =>
    createRun({ options, lasting, start: ++starts, requireOpen, restart: restarts.request });
  let run = next();
  ending.add(() => run.close('goingAway'));
  await run.open();
  const relay = createHubRelay(run.hub);

  /** The authenticator is the host's one object: the old run lets go of it before the new one takes it. */
  async function restartInPlace(): Promise<void> {
    await properties.takeEffect();
    lasting.keystore.begin();
    const fresh = next();
    await run.close('restart').catch((err: unknown) => {
      logger.error({ err }, 'a part did not close at the restart');
    });
    run = fresh;
    relay.use(run.hub);
    await run.open();
  }

  await cluster.open({
    storage: lasting.storage,
    logger,
    clock,
    publish: relay.publishFrom,
    subscribe: relay.watch,
    subscribeFor: relay.watchFrom,
    credentials,
    property: properties.value,
  });
  usage.open();
  ending.add(lasting.services.services.close);
  await lasting.services.services.open();
  // Last: after a failed start nobody would be told the password that was generated.
  const initialAdminPassword = authenticator?.usesLocalPasswords
    ? await accounts.ensureAdmin(options.initialAdmin?.password)
    : undefined;

  ending.add(restarts.close);
  // Last, so it is first: what is answered from memory must not outlive the rest.
  ending.add(() => {
    isClosed = true;
  });
  return {
    handle: async (request) => {
      if (restarts.underWay && run.table.owns(pathOf(request.url))) await restarts.underWay;
      return run.handle(request);
    },
    owns: (url) => run.table.owns(pathOf(url)),
    operationAt: (method, url) => run.table.operationAt(method, pathOf(url)),
    routes: run.table.routes,
    pubsub: {
      limits: run.pubsub.limits,
      async accept(request) {
        await restarts.underWay;
        return run.pubsub.accept(request);
      },
    },
    property: properties.value,
    ownsUpgrade: (url) => url.startsWith('/proxy/services/'),
    rightsChanged(userName) {
      relay.rightsChanged(userName);
      lasting.services.proxy.tunnels.rightsChanged(userName);
    },
    launch: async (request) => {
      requireOpen();
      return applications.launch(request);
    },
    ...(initialAdminPassword === undefined ? {} : { initialAdminPassword }),
    close: ending.end,
  };
}
