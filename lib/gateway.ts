import { consoleAt } from './console-mount.js';
import { checkedInDevelopment } from './development.js';
import type { HostLaunch } from './features/launching/schema.js';
import { servicesStopMillis } from './features/services/options.js';
import { pathOf } from './http/dispatch.js';
import type { GatewayRequest, GatewayResponse } from './http/request.js';
import type { RoutePlace } from './http/table.js';
import { instrumentedDrivers, readProcessAndBuild } from './instrumentation.js';
import { NotReady } from './model/errors.js';
import { defaultTimeouts } from './model/timeouts.js';
import { type GatewayOptions, silent } from './options.js';
import { createPersistentScope, type PersistentScope } from './persistent-scope.js';
import { createHubProxy } from './pubsub/hub-proxy.js';
import type { UpgradeHandler } from './pubsub/upgrade-handler.js';
import { readGatewayOptions } from './read-options.js';
import { createRestartableScope, type RestartableScope } from './restartable-scope.js';
import { createRestarts } from './restarts.js';
import { createMetrics } from './runtime/metrics.js';
import { createTeardown, type Teardown } from './runtime/teardown.js';
import { unfailingLogger } from './runtime/unfailing-logger.js';

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
  readonly routes: readonly RoutePlace[];
  /** What a WebSocket adapter talks to. */
  readonly pubsub: UpgradeHandler;
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
   * answered with 503. Each part has `timeouts.closeMillis` for it. Rejects when one could not be closed, or not in that time,
   * after all the others were; the log names it at once (`gateway.part_close_failed`).
   */
  close(): Promise<void>;
}

/**
 * Rejects when the storage or the cluster can't be opened, and with a `TypeError` for an option that can't be used; then
 * everything given is closed.
 */
export async function createGateway(given: GatewayOptions): Promise<Gateway> {
  let logger = silent;
  let { closeMillis } = defaultTimeouts;
  const teardown = createTeardown({
    limitMillis: () => closeMillis,
    failed: (part, err) =>
      logger.error({ event: 'gateway.part_close_failed', part, err }, 'a part did not close'),
  });
  // Whatever a host in JavaScript has given, promises too.
  teardown.add('the storage', async () => (await given?.storage)?.close?.());
  teardown.add('the cluster driver', async () => (await given?.cluster)?.close?.());
  try {
    const options = readGatewayOptions(given);
    logger = unfailingLogger(options.logger ?? silent);
    closeMillis = options.timeouts?.closeMillis ?? closeMillis;
    return await wire({ ...options, logger }, teardown);
  } catch (error) {
    // The log has been told; the start's own error is the host's.
    await teardown.end().catch(() => {});
    throw error;
  }
}

/** `persistent-scope.ts`: what lasts. `restartable-scope.ts`: what a restart replaces. Here: what hosts mount before both, and the cluster behind them. */
async function wire(given: GatewayOptions, teardown: Teardown): Promise<Gateway> {
  const metrics = createMetrics();
  teardown.add('the metrics of the process', readProcessAndBuild(metrics));
  const options = instrumentedDrivers(await checkedInDevelopment(given), metrics);
  const { cluster } = options;
  let isClosed = false;
  const requireOpen = () => {
    if (isClosed) throw new NotReady('The gateway is closed');
  };
  const persistent = await createPersistentScope(options, teardown, metrics);
  const { storage, properties, clock, logger } = persistent.foundation;
  const { authenticator, accounts, credentials } = persistent.identity;
  const { usage, services, proxy, launching } = persistent.services;

  const restartable = await openRestartable(options, persistent, teardown, requireOpen);
  const { restarts, hubProxy } = restartable;
  await cluster.open({
    storage,
    logger,
    clock,
    publish: hubProxy.publishFrom,
    subscribe: hubProxy.watch,
    subscribeFor: hubProxy.watchFrom,
    credentials,
    property: properties.value,
  });
  usage.open();
  teardown.add('the container runtime', () => options.containers?.close());
  teardown.add(
    'services',
    services.close,
    (usualMillis) => usualMillis + servicesStopMillis(options.services),
  );
  await services.open();
  // Last: after a failed start nobody would be told the password that was generated.
  const initialAdminPassword = authenticator?.usesLocalPasswords
    ? await accounts.ensureAdmin(options.initialAdmin?.password)
    : undefined;

  teardown.add('a restart under way', restarts.close);
  // Last, so it is first: what is answered from memory must not outlive the rest.
  teardown.add('the door', () => {
    isClosed = true;
  });
  const pages = options.console && consoleAt(options.console, logger);
  // Without a promise of its own: one costs each request a turn of the queue.
  const answer: Gateway['handle'] = (request) =>
    restarts.underWay && restartable.run.table.owns(pathOf(request.url))
      ? restarts.underWay.then(() => restartable.run.handle(request))
      : restartable.run.handle(request);
  return {
    handle: pages ? (request) => (pages.owns(request.url) ? pages.handle(request) : answer(request)) : answer,
    owns: (url) => restartable.run.table.owns(pathOf(url)) || pages?.owns(url) === true,
    operationAt: (method, url) => restartable.run.table.operationAt(method, pathOf(url)),
    routes: restartable.run.table.routes,
    pubsub: {
      limits: restartable.run.pubsub.limits,
      async accept(request) {
        await restarts.underWay;
        return restartable.run.pubsub.accept(request);
      },
      answeredElsewhere: (request) => restartable.run.pubsub.answeredElsewhere(request),
      failed: (request, thrown) => restartable.run.pubsub.failed(request, thrown),
    },
    property: properties.value,
    ownsUpgrade: (url) => restartable.run.table.ownsUpgrade(pathOf(url)),
    rightsChanged(userName) {
      hubProxy.rightsChanged(userName);
      proxy.tunnels.rightsChanged(userName);
    },
    launch: async (request) => {
      requireOpen();
      return launching.launchForHost(request);
    },
    ...(initialAdminPassword === undefined ? {} : { initialAdminPassword }),
    close: teardown.end,
  };
}

/** What a restart replaces, opened, and what replaces it. */
async function openRestartable(
  options: GatewayOptions,
  persistent: PersistentScope,
  teardown: Teardown,
  requireOpen: () => void,
) {
  const { keystore, properties, logger } = persistent.foundation;
  const restarts = createRestarts({ lifecycle: options.lifecycle, logger, inPlace: restartInPlace });
  let starts = 0;
  const next = (): RestartableScope =>
    createRestartableScope({
      options,
      persistent,
      teardown: teardown.another(),
      start: ++starts,
      requireOpen,
      restart: restarts.request,
    });
  let run = next();
  teardown.add(
    'sockets and sessions',
    () => run.close('goingAway'),
    () => Infinity,
  );
  await run.open();
  const hubProxy = createHubProxy(run.hub);

  /** The authenticator is the host's one object: the old run lets go of it before the new one takes it. */
  async function restartInPlace(): Promise<void> {
    await properties.takeEffect();
    keystore.begin();
    const fresh = next();
    // The log has been told what did not close; the new start goes on without.
    await run.close('restart').catch(() => {});
    run = fresh;
    hubProxy.use(run.hub);
    await run.open();
  }

  return {
    restarts,
    /** Stays while runs come and go. */
    hubProxy,
    get run() {
      return run;
    },
  };
}
