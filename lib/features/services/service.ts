import { randomBytes } from 'node:crypto';
import { collection } from '../../core/collection.js';
import { within } from '../../core/deadline.js';
import { ContainerFailed } from '../../core/errors.js';
import { may } from '../../core/principal.js';
import type { Call } from '../../core/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ContainerRuntime } from '../../interfaces/container-runtime.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { LaunchServices } from '../app-packages/service.js';
import { createContainerKind, noContainers } from './container-kind.js';
import { createDependents } from './dependents.js';
import { createInstallation } from './installation.js';
import type { Keeper } from './keeper.js';
import { createKeepers } from './keepers.js';
import type { ServiceKind } from './kind.js';
import { createLaunchServices } from './launches.js';
import { readServiceLimits, type ServiceOptions } from './options.js';
import type { RunningApplications } from './running-applications.js';
import type { AppService, NamedService, Service, ServiceInput } from './schema.js';
import { StoredOwner } from './stored.js';
import { type ServiceTargets, targetOf } from './target.js';
import { transientRemoval } from './transient.js';
import { createResolver } from './values.js';
import { viewForApplication, viewOf } from './view.js';
import { createWatch } from './watch.js';

export type { ServiceTarget, ServiceTargets } from './target.js';

/** Programs that run beside the applications (spec 2.6, 4.7). */
export interface PlatformServices extends ServiceTargets {
  /** Around launches of applications that need services. */
  readonly launches: LaunchServices;
  /** Those that the application needs, as its detail tells of them. */
  neededBy(call: Call, appId: string): readonly AppService[];
  list(): Promise<Service[]>;
  get(name: string): Promise<Service>;
  /** Resolves when it is being installed. Rejects with `Conflict` where there is one of this name. */
  put(call: Call, name: string, input: ServiceInput): Promise<void>;
  /** Takes effect at the next start. Rejects with `Conflict` unless it is STOPPED. */
  update(name: string, input: ServiceInput): Promise<void>;
  /** Resolves when it is gone, or after a while: it goes in the end. */
  remove(name: string): Promise<{ message?: string }>;
  start(name: string): Promise<void>;
  stop(name: string): Promise<{ message?: string }>;
  /**
   * All or none are taken; those that are there already are skipped when they are the same, and a `Conflict` when not.
   * Resolves when each runs, or with `isAsync` at once. Rejects with `ContainerFailed` saying which did not come up.
   */
  install(call: Call, services: readonly NamedService[], options: { isAsync: boolean }): Promise<void>;
  /** After the cluster was opened. */
  open(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface ServiceDeps {
  readonly documents: DocumentStore;
  readonly runtime: ContainerRuntime | undefined;
  readonly engine: ServiceKind;
  readonly applications: RunningApplications;
  /** Of the platform's configuration; `undefined` when it is not set. Never a secret. */
  readonly property: (name: string) => Promise<string | undefined>;
  readonly options: ServiceOptions | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createPlatformServices(deps: ServiceDeps): PlatformServices {
  const { documents, runtime, options = {}, clock, logger } = deps;
  const limits = readServiceLimits(options);
  const kinds = {
    container: runtime ? createContainerKind(runtime, limits) : noContainers(),
    engine: deps.engine,
  };
  const resolver = createResolver({
    keepers: () => keepers,
    property: deps.property,
    given: options.variables ?? {},
  });
  const keepers = createKeepers({ documents, kinds, resolver, limits, clock, logger });
  const installation = createInstallation({ keepers, kinds });
  const dependents = createDependents({ documents, applications: deps.applications, clock });
  const removeTransient = transientRemoval({ keepers, dependents, logger });
  const watch = createWatch({
    keepers: keepers.all,
    kinds: Object.entries(kinds),
    sweep: async (signal) => removeTransient(await dependents.sweep(signal)),
    everyMillis: limits.watchMillis,
    logger,
  });

  async function ask(name: string, trigger: 'start' | 'stop' | 'delete'): Promise<Keeper> {
    const keeper = keepers.require(name);
    const { type } = keeper.stored.definition;
    // What was left behind by a host that has no runtime any more can be deleted.
    const needsNobody = trigger === 'delete' && type === 'container' && !runtime;
    if (keeper.wouldBegin(trigger) !== undefined && !needsNobody) await kinds[type].requireReachable();
    await keeper.send(trigger);
    return keeper;
  }

  /** A while: what takes longer goes on by itself. */
  const aWhile = (keeper: Keeper, fits: (keeper: Keeper) => boolean) =>
    within(limits.askMillis, `The service ${keeper.name}`, undefined, (signal) =>
      keeper.until(fits, signal),
    ).catch(() => {});

  async function orphaned(name: string, what: string): Promise<{ message?: string }> {
    const apps = await dependents.of(name);
    if (apps.length === 0) return {};
    const ids = apps.map(({ appId, appName }) => `${appName} (${appId})`).join(', ');
    return { message: `The service ${name} ${what}; these applications need it: ${ids}` };
  }

  const view = async (keeper: Keeper) => viewOf(keeper, await dependents.of(keeper.name));

  return {
    launches: createLaunchServices({
      keepers,
      dependents,
      installation,
      removeTransient,
      launchesInstallServices: options.launchesInstallServices ?? false,
      logger,
    }),

    neededBy: (call, appId) =>
      dependents.servicesOf(appId).flatMap((name) => {
        const keeper = keepers.get(name);
        return keeper ? [viewForApplication(keeper, may(call.user, 'VIEW_GLOBAL_CONFIG'))] : [];
      }),

    list: () => Promise.all([...keepers.all()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(view)),

    get: async (name) => view(keepers.require(name)),

    put: (call, name, input) => installation.put(name, input, call.user.userName),

    async update(name, input) {
      const { enabled } = await installation.change(name, input);
      if (enabled) await ask(name, 'start');
    },

    async remove(name) {
      const message = await orphaned(name, 'is deleted');
      await aWhile(await ask(name, 'delete'), ({ isGone }) => isGone);
      return message;
    },

    start: async (name) => {
      await ask(name, 'start');
    },

    async stop(name) {
      const message = await orphaned(name, 'is stopped');
      await aWhile(await ask(name, 'stop'), ({ isAtRest }) => isAtRest);
      return message;
    },

    async install(call, services, { isAsync }) {
      const { userName: installedBy } = call.user;
      const added = await installation.installAll(services, { installedBy, at: 'body' });
      if (isAsync) return;
      await Promise.all(added.map((keeper) => keepers.settled(keeper, call.signal)));
      const failed = added.filter(({ stored }) => stored.state === 'FAILED');
      if (failed.length === 0) return;
      throw new ContainerFailed(
        failed.map(({ name, detail }) => `The service ${name} did not come up: ${detail}`).join('; '),
      );
    },

    target: (name) => targetOf(keepers, name, resolver),

    async open() {
      const owners = collection(documents, 'service-owner', StoredOwner);
      const { value } = await owners.update(
        'owner',
        (known) => known ?? { owner: randomBytes(12).toString('hex') },
      );
      await runtime?.open({ owner: value.owner, logger, clock });
      await keepers.open();
      await dependents.open();
      await watch.look();
      keepers.resume();
      // The gateway may have ended before it deleted them. What is known to be needed stays: not what an application
      // needs whose launch the gateway did not live to keep.
      const brought = keepers.all().filter(({ stored }) => stored.transient);
      await removeTransient(brought.map(({ name }) => name));
      watch.start();
    },

    async close() {
      watch.close();
      await keepers.close({ stop: options.stopOnClose ?? false });
      await runtime?.close();
    },
  };
}
