import { randomBytes } from 'node:crypto';
import { collection } from '../../core/collection.js';
import {
  BadRequest,
  Conflict,
  ContainerFailed,
  InvalidInput,
  NotFound,
  NotReady,
  TimedOut,
  TooManyRequests,
} from '../../core/errors.js';
import { oneByOne } from '../../core/one-by-one.js';
import { may } from '../../core/principal.js';
import type { Call } from '../../core/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ContainerRuntime } from '../../interfaces/container-runtime.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { LaunchServices } from '../app-packages/service.js';
import { createContainerKind, noContainers } from './container-kind.js';
import { checkPatterns, checkTogether, isSame } from './definitions.js';
import { createDependents, type RunningApplications } from './dependents.js';
import { createKeeper, type Keeper } from './keeper.js';
import type { ServiceKind } from './kind.js';
import { createLaunchServices } from './launches.js';
import { readServiceLimits, type ServiceOptions } from './options.js';
import { allNeeded } from './required.js';
import type { AppService, NamedService, Service, ServiceDefinition, ServiceInput } from './schema.js';
import { unmasked } from './secrets.js';
import { installing } from './state.js';
import { StoredOwner, StoredService } from './stored.js';
import { baseOf, type ServiceTargets } from './target.js';
import { resolveVariables, type VariableSource } from './variables.js';
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
  const kept = collection(documents, 'services', StoredService);
  const keepers = new Map<string, Keeper>();
  const turns = oneByOne();
  const kinds = {
    container: runtime ? createContainerKind(runtime, limits) : noContainers(),
    engine: deps.engine,
  };
  const watch = createWatch({
    keepers: () => [...keepers.values()],
    kinds: Object.entries(kinds),
    alsoEachTime: async () => removeTransient(await dependents.sweep()),
    everyMillis: limits.watchMillis,
    logger,
  });
  const dependents = createDependents({ documents, applications: deps.applications, logger });
  const closing = new AbortController();
  /** What applications needed, as long as something else still needs it. */
  const idle = new Set<string>();

  function keeperOf(name: string): Keeper {
    const keeper = keepers.get(name);
    if (!keeper) throw new NotFound('service', name);
    return keeper;
  }

  const sourceFor = (name: string): VariableSource => ({
    own: (key) => metadataOf(keepers.get(name), key),
    ofService: (other, key) => metadataOf(keepers.get(other), key),
    ofGateway: async (key) => {
      const given = options.variables?.[key];
      if (given !== undefined) return given;
      if (key === 'GATEWAY_ADMIN_USER') return 'admin';
      return deps.property(key === 'GATEWAY_CONNECT_ADDRESS' ? `platform.attr.${key}` : key);
    },
  });

  const resolver = (name: string) => (text: string) => resolveVariables(text, sourceFor(name));

  function keep(name: string, stored: StoredService): Keeper {
    const keeper = createKeeper(name, stored, {
      kind: kinds[stored.definition.type],
      save: async (key, value) => {
        await kept.put(key, value);
      },
      forget: async (key) => {
        await kept.remove(key);
        keepers.delete(key);
      },
      resolve: resolver,
      startRequired,
      limits,
      clock,
      logger,
    });
    keepers.set(name, keeper);
    return keeper;
  }

  /** One after the other: what is needed comes first. */
  async function startRequired({ definition }: StoredService, signal: AbortSignal): Promise<void> {
    for (const name of definition.requiredServices) {
      const needed = keepers.get(name);
      if (!needed) throw new ContainerFailed(`It needs the service ${name}, which is not installed`);
      await bringUp(needed, signal);
    }
  }

  /** Rejects with `ContainerFailed` when it does not come up, with `TimedOut` when that takes too long. */
  async function bringUp(keeper: Keeper, signal: AbortSignal): Promise<void> {
    if (keeper.stored.state !== 'RUNNING') await keeper.send('start');
    await settled(keeper, signal);
    if (keeper.stored.state === 'RUNNING' && !keeper.isGone) return;
    throw new ContainerFailed(
      `The service ${keeper.name} did not come up: ${keeper.detail ?? `it is ${keeper.stored.state}`}`,
    );
  }

  /** Until nothing is under way. Rejects with `TimedOut`. */
  async function settled(keeper: Keeper, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(limits.readyMillis)]);
    try {
      await keeper.until(({ isAtRest }) => isAtRest, limit);
    } catch {
      if (closing.signal.aborted) throw new NotReady('The gateway is closing');
      if (!signal.aborted) throw new TimedOut(`The service ${keeper.name}`);
    }
  }

  function check(name: string, definition: ServiceDefinition, at: string): void {
    kinds[definition.type].check(name, definition, at);
    checkPatterns(definition, at);
  }

  const present = () =>
    [...keepers.values()].map(({ name, stored }) => ({ name, definition: stored.definition }));

  /** In one write, so all or none are there afterwards. */
  async function add(
    fresh: readonly NamedService[],
    installedBy: string,
    isTransient: (name: string) => boolean = () => false,
  ) {
    if (keepers.size + fresh.length > limits.services)
      throw new TooManyRequests(`There are ${limits.services} services already: delete one first`, 60);
    for (const type of new Set(fresh.map((one) => one.type))) await kinds[type].requireReachable();
    const entries = fresh.map(({ name, ...definition }) => {
      const { state, enabled } = installing(definition.enabled ?? true);
      const stored = StoredService.parse({
        definition,
        state,
        enabled,
        installedBy,
        installedTime: 0,
        ...(isTransient(name) ? { transient: true } : {}),
      });
      return { name, stored };
    });
    await documents.write(
      entries.map(({ name, stored }) => kept.writes.put(name, stored, { ifMatch: null })),
    );
    const added = entries.map(({ name, stored }) => keep(name, stored));
    for (const keeper of added) keeper.resume();
    return added;
  }

  /** What is new among them, checked; changes of what is there wait. */
  const installAll = (
    sent: readonly NamedService[],
    installedBy: string,
    { at, isTransient = () => false }: { at: string; isTransient?: (name: string) => boolean },
  ) =>
    turns('', async () => {
      requireOnce(sent, at);
      const services = sent.map(({ name, ...definition }, index) => ({
        ...unmasked(definition, keepers.get(name)?.stored.definition, `${at}.${index}`),
        name,
      }));
      for (const [index, { name, ...definition }] of services.entries())
        check(name, definition, `${at}.${index}`);
      const fresh = services.filter((service) => {
        const { name, ...definition } = service;
        const there = keepers.get(name);
        if (there && !isSame(there.stored.definition, definition)) throw differs(name);
        return !there;
      });
      checkTogether(fresh, present(), at);
      return fresh.length === 0 ? [] : add(fresh, installedBy, isTransient);
    });

  async function ask(name: string, trigger: 'start' | 'stop' | 'delete'): Promise<Keeper> {
    const keeper = keeperOf(name);
    const { definition } = keeper.stored;
    if (
      keeper.wouldBegin(trigger) !== undefined &&
      !(trigger === 'delete' && definition.type === 'container' && !runtime)
    )
      await kinds[definition.type].requireReachable();
    await keeper.send(trigger);
    return keeper;
  }

  async function orphaned(name: string, what: string): Promise<{ message?: string }> {
    const apps = await dependents.of(name);
    if (apps.length === 0) return {};
    const ids = apps.map(({ appId, appName }) => `${appName} (${appId})`).join(', ');
    return { message: `The service ${name} ${what}; these applications need it: ${ids}` };
  }

  /** An application or a launch needs it, or another service that does not go with it. */
  const isNeeded = (name: string) =>
    dependents.isNeeded(name) ||
    [...keepers.values()].some(
      ({ stored: { state, definition } }) =>
        state !== 'REMOVING' && definition.requiredServices.includes(name),
    );

  /** Those that a launch brought, and that nobody needs: what needs others goes first. What is needed goes another time. */
  async function removeTransient(names: readonly string[]): Promise<void> {
    for (const name of names) idle.add(name);
    for (const name of [...allNeeded([...idle], needsOf(present()))].reverse()) {
      const keeper = keepers.get(name);
      if (!idle.has(name) || (keeper?.stored.transient && isNeeded(name))) continue;
      idle.delete(name);
      if (!keeper?.stored.transient) continue;
      await keeper
        .send('delete')
        .catch((err) => logger.error({ service: name, err }, 'a service can not be deleted'));
    }
  }

  return {
    launches: createLaunchServices({
      keepers,
      dependents,
      installAll: (services, installedBy, isTransient) =>
        installAll(services, installedBy, { at: 'services', isTransient }),
      bringUp,
      removeTransient,
      launchesInstallServices: options.launchesInstallServices ?? false,
      logger,
    }),

    neededBy: (call, appId) =>
      dependents.servicesOf(appId).flatMap((name) => {
        const keeper = keepers.get(name);
        return keeper ? [viewForApplication(keeper, may(call.user, 'VIEW_GLOBAL_CONFIG'))] : [];
      }),

    list: () =>
      Promise.all(
        [...keepers.values()]
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map(async (keeper) => viewOf(keeper, await dependents.of(keeper.name))),
      ),

    get: async (name) => viewOf(keeperOf(name), await dependents.of(name)),

    put: (call, name, input) =>
      turns('', async () => {
        const service = named(name, input);
        if (keepers.has(name)) throw new Conflict(`There is a service ${name} already: POST changes it`);
        const { name: _, ...definition } = service;
        unmasked(definition, undefined, 'body');
        check(name, definition, 'body');
        checkTogether([service], present(), 'body');
        await add([service], call.user.userName);
      }),

    update: (name, input) =>
      turns('', async () => {
        const { name: _, ...sent } = named(name, input);
        const keeper = keeperOf(name);
        const definition = unmasked(sent, keeper.stored.definition, 'body');
        check(name, definition, 'body');
        checkTogether([{ ...definition, name }], present(), 'body');
        if (definition.type !== keeper.stored.definition.type)
          throw new BadRequest(
            `${name} is of type ${keeper.stored.definition.type}: delete it and install it anew`,
          );
        await keeper.redefine((stored) => {
          if (stored.state !== 'STOPPED')
            throw new Conflict(`The service ${name} is ${stored.state}: stop it before changing it`);
          return { ...stored, definition };
        });
        if (definition.enabled) await ask(name, 'start');
      }),

    async remove(name) {
      const message = await orphaned(name, 'is deleted');
      const keeper = await ask(name, 'delete');
      const limit = AbortSignal.timeout(limits.askMillis);
      await keeper.until(({ isGone }) => isGone, limit).catch(() => {});
      return message;
    },

    start: async (name) => {
      await ask(name, 'start');
    },

    async stop(name) {
      const message = await orphaned(name, 'is stopped');
      const keeper = await ask(name, 'stop');
      const limit = AbortSignal.timeout(limits.askMillis);
      await keeper.until(({ isAtRest }) => isAtRest, limit).catch(() => {});
      return message;
    },

    async install(call, services, { isAsync }) {
      const added = await installAll(services, call.user.userName, { at: 'body' });
      if (isAsync) return;
      await Promise.all(added.map((keeper) => settled(keeper, call.signal)));
      const failed = added.filter(({ stored }) => stored.state === 'FAILED');
      if (failed.length === 0) return;
      throw new ContainerFailed(
        failed.map(({ name, detail }) => `The service ${name} did not come up: ${detail}`).join('; '),
      );
    },

    async target(name) {
      const keeper =
        keepers.get(name) ??
        [...keepers.values()].find(({ stored }) => stored.definition.proxy?.name === name);
      if (!keeper) throw new NotFound('service', name);
      const { proxy } = keeper.stored.definition;
      if (!proxy) throw new NotFound('proxy address of the service', keeper.name);
      if (keeper.stored.state !== 'RUNNING')
        throw new NotReady(`The service ${keeper.name} does not run: it is ${keeper.stored.state}`);
      const resolve = resolver(keeper.name);
      const headers = await Promise.all(
        Object.entries(proxy.requestHeaders ?? {}).map(async ([header, value]) => [
          header,
          await resolve(value),
        ]),
      );
      return {
        name: keeper.name,
        base: baseOf(await resolve(proxy.address)),
        followRedirect: proxy.followRedirect,
        requestHeaders: Object.fromEntries(headers),
        replaceStrings: proxy.replaceStrings ?? [],
      };
    },

    async open() {
      const owners = collection(documents, 'service-owner', StoredOwner);
      const { value } = await owners.update(
        'owner',
        (known) => known ?? { owner: randomBytes(12).toString('hex') },
      );
      await runtime?.open({ owner: value.owner, logger, clock });
      for (const { key, value: stored } of await kept.list()) keep(key, stored);
      await dependents.open();
      await watch.look();
      for (const name of allNeeded([...keepers.keys()], needsOf(present()))) keepers.get(name)?.resume();
      watch.start();
    },

    async close() {
      closing.abort();
      await watch.close();
      const shouldStop = options.stopOnClose ?? false;
      await Promise.allSettled([...keepers.values()].map((keeper) => keeper.close({ stop: shouldStop })));
      await runtime?.close();
    },
  };
}

const needsOf = (services: readonly { name: string; definition: ServiceDefinition }[]) =>
  new Map(services.map(({ name, definition }) => [name, definition.requiredServices]));

function named(name: string, { name: inBody, ...definition }: ServiceInput): NamedService {
  if (inBody !== undefined && inBody !== name)
    throw new InvalidInput([{ path: 'body.name', message: `is not ${name}, the name in the path` }]);
  return { ...definition, name };
}

function requireOnce(services: readonly NamedService[], at: string): void {
  const seen = new Set<string>();
  for (const [index, { name }] of services.entries()) {
    if (seen.has(name))
      throw new InvalidInput([{ path: `${at}.${index}.name`, message: `${name} comes twice` }]);
    seen.add(name);
  }
}

const differs = (name: string) =>
  new Conflict(
    `There is a service ${name} already, with another definition: stop it and POST the new one, or delete it`,
  );

/** What runs may tell more than the definition did, and newer. */
function metadataOf(keeper: Keeper | undefined, key: string): string | undefined {
  if (!keeper) return undefined;
  const { definition, state } = keeper.stored;
  if (key === '_type') return definition.type;
  if (key === '_state') return state;
  const { [key]: told } = keeper.life?.metadata ?? {};
  const { [key]: given } = definition.metadata;
  return told ?? given;
}
