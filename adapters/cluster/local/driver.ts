import { mkdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import {
  type ApplicationReport,
  BadRequest,
  type ClusterContext,
  type ClusterDriver,
  Conflict,
  type LaunchRequest,
  type Master,
  NotFound,
  NotReady,
  type RestartRequest,
  version,
} from '../../../lib/index.js';
import { createAccess } from './access.js';
import { RunningApplication } from './application.js';
import { stateKeys } from './checkpoint-ledger.js';
import { lockDirectory } from './directory-lock.js';
import { openEventHistory } from './event-history.js';
import { watchHostGc } from './host-gc.js';
import { applicationId } from './ids.js';
import { endedMaster, type MasterDeps, runningMaster, snapshotOf } from './masters.js';
import { type LocalClusterOptions, settingsFrom } from './options.js';
import { planOf } from './plan/logical.js';
import { withLaunchProperties } from './plan/overrides.js';
import { type PhysicalPlan, physicalPlanOf } from './plan/physical.js';
import { checkReach } from './plan/reach.js';
import type { ApplicationRecord, SavedState } from './record.js';
import { loadOperators, type OperatorRegistry } from './registry.js';
import { makeSocketDirectory } from './slots.js';
import { ended } from './snapshot.js';
import { createStore, emptySnapshot, type KeptApplication } from './store.js';
import { clusterMetrics } from './views/metrics.js';
import { reportOf } from './views/summary.js';

const queueName = 'default';
/** Between two records of a running application that tell of nothing but progress. */
const keepEveryMillis = 5000;

interface Engine {
  readonly context: ClusterContext;
  readonly registry: OperatorRegistry;
  readonly startedAt: number;
  readonly sockets: string;
  readonly unlock: () => Promise<void>;
  readonly hostGc: ReturnType<typeof watchHostGc>;
}

/** The embedded engine: really runs applications, each container a child process on this machine. */
export function createDriver(options: LocalClusterOptions): ClusterDriver {
  const settings = settingsFrom(options);
  const store = createStore(settings.directory);
  const access = createAccess(settings.access);
  const running = new Map<string, RunningApplication>();
  const kept = new Map<string, KeptApplication>();
  const keptAt = new Map<string, number>();
  /** User and name of what is being launched. */
  const claimed = new Set<string>();
  const launching = new Set<Promise<string>>();
  let engine: Engine | undefined;
  let closing: Promise<void> | undefined;
  let sequence = 0;

  function opened(): Engine {
    if (!engine) throw new NotReady('The local engine is not open');
    return engine;
  }

  const masterDeps = (appId: string): MasterDeps => ({
    directory: store.directoryOf(appId),
    version,
    registry: opened().registry,
    gc: opened().hostGc.gc,
    maxEvents: settings.limits.events,
  });

  const recordOf = (appId: string): ApplicationRecord => {
    const found = running.get(appId)?.record ?? kept.get(appId)?.record;
    if (!found) throw new NotFound('application', appId);
    return found;
  };

  const report = (appId: string): ApplicationReport =>
    reportOf(recordOf(appId), running.get(appId), opened().context.clock.now());

  async function keep(application: RunningApplication): Promise<boolean> {
    const { id } = application.record;
    keptAt.set(id, opened().context.clock.monotonic());
    try {
      await store.keep(application.record, snapshotOf(application, masterDeps(id)));
      return true;
    } catch (error) {
      opened().context.logger.error(
        { appId: id, err: error },
        'The state of an application could not be kept',
      );
      return false;
    }
  }

  function onChange(application: RunningApplication, urgent: boolean): Promise<boolean> | undefined {
    const last = keptAt.get(application.record.id) ?? -Infinity;
    const isDue = urgent || opened().context.clock.monotonic() - last >= keepEveryMillis;
    return isDue ? keep(application) : undefined;
  }

  async function onEnd(application: RunningApplication, record: ApplicationRecord): Promise<void> {
    const { id } = record;
    const snapshot = ended(snapshotOf(application, masterDeps(id)), record.finishedTime);
    try {
      await application.events.settled();
      await store.keep(record, snapshot);
      await store.prune(record);
      await forgetOldest();
    } catch (error) {
      opened().context.logger.error({ appId: id, err: error }, 'The end of an application could not be kept');
    }
    application.record = record;
    kept.set(id, { record, snapshot });
    running.delete(id);
    keptAt.delete(id);
  }

  async function forgetOldest(): Promise<void> {
    const oldest = [...kept.values()]
      .sort((one, other) => one.record.finishedTime - other.record.finishedTime)
      .slice(0, Math.max(0, kept.size + 1 - settings.limits.endedApplications));
    for (const { record } of oldest) {
      kept.delete(record.id);
      await store.remove(record.id);
    }
  }

  function checkRoom(physical: PhysicalPlan): void {
    const slots = [...running.values()].flatMap((application) => application.slots);
    const { containers, memoryMB } = settings.limits;
    if (slots.length + physical.slots > containers)
      throw new Conflict(
        `The application needs ${physical.slots} containers; ${slots.length} of at most ${containers} (limits.containers) are in use`,
      );
    const used = slots.reduce((sum, slot) => sum + slot.memoryMB, 0);
    if (used + physical.slots * settings.containerMemoryMB > memoryMB)
      throw new Conflict(
        `The application needs more memory than is left of ${memoryMB} MB (limits.memoryMB)`,
      );
  }

  /** Closing waits for it: what it writes must not come after the directory was let go. */
  function launch(request: LaunchRequest, from?: ApplicationRecord): Promise<string> {
    const launched = startApplication(request, from);
    const over = () => launching.delete(launched);
    launching.add(launched);
    launched.then(over, over);
    return launched;
  }

  async function startApplication(request: LaunchRequest, from?: ApplicationRecord): Promise<string> {
    const { context, registry, startedAt, sockets } = opened();
    if (closing) throw new NotReady('The local engine is closing');
    if (request.queue !== undefined && request.queue !== queueName)
      throw new BadRequest(
        `There is no queue ${JSON.stringify(request.queue)}; the local engine has ${JSON.stringify(queueName)}`,
      );
    const application = withLaunchProperties(request.application, request.properties ?? {});
    const plan = planOf(application, registry);
    checkReach(plan, access);
    const physical = physicalPlanOf(plan, registry);
    const name = String(plan.attributes['APPLICATION_NAME'] ?? request.name);
    if (claimed.has(`${request.user}\n${name}`))
      throw new Conflict(`${request.user} is just launching an application named ${JSON.stringify(name)}`);
    for (const other of running.values())
      if (other.record.user === request.user && other.record.name === name && !other.isOver)
        throw new Conflict(
          `${request.user} already runs an application named ${JSON.stringify(name)}: ${other.record.id}`,
        );
    checkRoom(physical);
    const initial = from?.saved && matching(from.saved, physical, from.id);
    const id = applicationId(startedAt, ++sequence);
    const record: ApplicationRecord = {
      id,
      user: request.user,
      name,
      queue: queueName,
      state: 'ACCEPTED',
      finalStatus: 'UNDEFINED',
      startedTime: context.clock.now(),
      finishedTime: 0,
      diagnostics: '',
      isSystemApp: request.isSystemApp ?? false,
      ...(request.packageSource ? { packageSource: packageSourceOf(request.packageSource) } : {}),
      application,
    };
    // Taken from here on, though nothing is listed before its record is kept.
    const claim = `${request.user}\n${name}`;
    claimed.add(claim);
    try {
      await store.create(record);
      if (from && initial)
        await store.copyState(
          from.id,
          id,
          Object.values(initial.states).filter((file) => file !== null),
        );
      const made = new RunningApplication({
        record,
        plan,
        physical,
        initial,
        settings,
        directory: store.directoryOf(id),
        socketDirectory: sockets,
        events: await openEventHistory(store.directoryOf(id), settings.limits.events),
        now: () => context.clock.now(),
        publish: (topic, data) => context.publish(id, topic, data),
        onChange,
        onEnd,
      });
      await store.keep(record, snapshotOf(made, masterDeps(id)));
      if (closing) throw new NotReady('The local engine is closing');
      running.set(id, made);
      made.start();
    } catch (error) {
      await store.remove(id);
      throw error;
    } finally {
      claimed.delete(claim);
    }
    context.logger.info({ appId: id, name, user: request.user }, 'Application launched');
    return id;
  }

  async function restart(appId: string, request: RestartRequest): Promise<string> {
    const record = recordOf(appId);
    if (running.has(appId)) throw new Conflict(`The application ${appId} is still running`);
    return launch(
      {
        user: request.user,
        name: record.name,
        application: record.application,
        ...(request.queue === undefined ? {} : { queue: request.queue }),
        ...(request.properties ? { properties: request.properties } : {}),
        ...(record.packageSource ? { packageSource: record.packageSource } : {}),
        isSystemApp: record.isSystemApp,
      },
      record,
    );
  }

  async function open(context: ClusterContext): Promise<void> {
    if (engine) throw new Conflict('The local engine is open already');
    const registry = await loadOperators(settings.modules);
    await mkdir(settings.access.folder, { recursive: true });
    const unlock = await lockDirectory(settings.directory);
    let sockets = '';
    try {
      const now = context.clock.now();
      sockets = makeSocketDirectory(tmpdir());
      const startedAt = await store.begin(now, sockets);
      const found = await store.load(now, (appId, error) => {
        context.logger.error(
          { appId, err: error },
          'What was kept of an application is damaged; it is not listed',
        );
      });
      kept.clear();
      for (const application of found) kept.set(application.record.id, application);
      sequence = 0;
      closing = undefined;
      engine = {
        context,
        registry,
        startedAt,
        unlock,
        sockets,
        hostGc: watchHostGc(),
      };
    } catch (error) {
      if (sockets) await rm(sockets, { recursive: true, force: true });
      await unlock();
      throw error;
    }
  }

  async function close(): Promise<void> {
    if (!engine) return;
    const { sockets, unlock, hostGc } = engine;
    await Promise.allSettled(launching);
    for (const application of running.values())
      application.end(
        'FAILED',
        'FAILED',
        'The host stopped the engine while the application was running; restart it to go on from its saved state',
        {
          code: 'HOST_STOPPED',
          message: 'The host stopped the engine while the application was running',
          at: engine.context.clock.now(),
        },
      );
    await Promise.all([...running.values()].map((application) => application.ended));
    hostGc.close();
    await rm(sockets, { recursive: true, force: true });
    await unlock();
    engine = undefined;
  }

  async function master(appId: string): Promise<Master> {
    const deps = masterDeps(appId);
    const application = running.get(appId);
    if (application) return runningMaster(application, deps);
    const { record, snapshot } = kept.get(appId) ?? { record: recordOf(appId), snapshot: emptySnapshot };
    return endedMaster(record, snapshot, deps);
  }

  return {
    name: 'local',
    masterFacets: ['containerControl', 'loggers', 'events', 'operatorClasses'],
    open,
    close: () => {
      closing ??= close();
      return closing;
    },
    master,
    resourceManager: {
      listApplications: async ({ activeOnly = false } = {}) =>
        [...(activeOnly ? [] : kept.keys()), ...running.keys()].map(report),
      getApplication: async (appId) => report(appId),
      async kill(appId) {
        recordOf(appId);
        const application = running.get(appId);
        if (!application) throw new Conflict(`The application ${appId} has ended`);
        application.kill();
      },
      metrics: async () =>
        clusterMetrics(
          [...running.values()],
          [...kept.values()].map(({ record }) => record),
          {
            now: opened().context.clock.now(),
            memoryMB: settings.limits.memoryMB,
            cores: settings.cores,
            submitted: running.size + kept.size,
          },
        ),
      about: async () => {
        const build = { version, buildDate: '', buildRevision: '', buildVersion: version, buildUser: '' };
        return {
          engine: build,
          cluster: { ...build, version: process.version, buildVersion: process.version },
          location: hostname(),
          securityEnabled: false,
          haEnabled: false,
        };
      },
      launcher: { launch: (request) => launch(request), restart },
      queues: {
        list: async () => {
          const used = [...running.values()]
            .flatMap(({ slots }) => slots)
            .reduce((sum, { memoryMB }) => sum + memoryMB, 0);
          return [
            {
              name: queueName,
              state: 'RUNNING',
              capacity: 100,
              currentCapacity: (used / settings.limits.memoryMB) * 100,
              maxCapacity: 100,
            },
          ];
        },
      },
      configuration: { read: async () => configurationOf(settings) },
    },
  };
}

const configurationOf = ({
  limits,
  directory,
  execPath,
  containerMemoryMB,
  modules,
  access,
}: ReturnType<typeof settingsFrom>) =>
  Object.fromEntries(
    [
      ['directory', directory],
      ['execPath', execPath],
      ['operators', modules.join(',')],
      ['containerMemoryMB', containerMemoryMB] as const,
      ['files', access.folder],
      ['files.read', access.read.join(',')],
      ['files.write', access.write.join(',')],
      ['addresses', String(access.addresses)],
      ...Object.entries(limits).map(([name, value]) => [`limits.${name}`, value] as const),
    ].map(([name, value]) => [`local.${name}`, String(value)]),
  );

function packageSourceOf(
  source: NonNullable<LaunchRequest['packageSource']>,
): NonNullable<ApplicationRecord['packageSource']> {
  const { configPackage, ...rest } = source;
  return { ...rest, ...(configPackage ? { configPackage } : {}) };
}

/** The saved state must fit the plan: the same partitions under the same names. */
function matching(saved: SavedState, physical: PhysicalPlan, from: string): SavedState {
  const keys = new Set(stateKeys(physical).values());
  const missing = Object.entries(saved.states).find(([key, file]) => file !== null && !keys.has(key));
  if (missing)
    throw new BadRequest(
      `The saved state of ${from} has the partition ${missing[0]}, which the plan does not have; partitions can't change in a restart`,
    );
  return saved;
}
