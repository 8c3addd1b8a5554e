import type { OperatorAccess } from '@headgate/operators';
import {
  BadRequest,
  type Launcher as ClusterLauncher,
  Conflict,
  type InputIssue,
  InvalidInput,
  JsonApplication,
  type LaunchRequest,
  NotReady,
  type RestartRequest,
} from 'headgate/driver-kit';
import { createAccess } from './access.js';
import { startApplication } from './application-start.js';
import type { Applications } from './applications.js';
import { createCapacity } from './capacity.js';
import { createPlanner } from './changes/planner.js';
import type { Engine } from './engine.js';
import { definitionOf, type LaunchPlan, type LaunchRequested, planLaunch } from './launch-plan.js';
import type { LocalClusterSettings } from './options.js';
import type { OperatorSet } from './package-code/operator-set.js';
import { problemsOf } from './plan/logical.js';
import type { PhysicalPlan } from './plan/physical.js';
import { memoryOf } from './rollout/slots.js';
import type { ApplicationRecord } from './store/record.js';
import type { ApplicationStore } from './store/store.js';
import { queueName } from './views/cluster.js';

interface LauncherDeps {
  readonly settings: LocalClusterSettings;
  readonly store: ApplicationStore;
  readonly applications: Applications;
  /** Throws `NotReady` unless the engine is open. */
  readonly engine: () => Engine;
  readonly isClosing: () => boolean;
}

type DefinitionCheck = Parameters<NonNullable<ClusterLauncher['check']>>[0];

interface Launcher {
  /** Resolves the id. */
  launch(request: LaunchRequest): Promise<string>;
  restart(appId: string, request: RestartRequest): Promise<string>;
  /** All that is wrong with a definition. */
  check(request: DefinitionCheck): Promise<readonly InputIssue[]>;
  /** Resolves when no launch is under way. */
  settled(): Promise<void>;
}

export function createLauncher(deps: LauncherDeps): Launcher {
  const { settings, store, applications } = deps;
  const access = createAccess(settings.access);
  const capacity = createCapacity({ settings, applications });
  const launching = new Set<Promise<string>>();

  /** Closing waits for it: what it writes must not come after the directory was let go. */
  function launch(request: LaunchRequest, from?: ApplicationRecord): Promise<string> {
    const letGo = from && applications.hold(from.id);
    const launched = prepare(request, from);
    const over = () => {
      launching.delete(launched);
      letGo?.();
    };
    launching.add(launched);
    launched.then(over, over);
    return launched;
  }

  async function prepare(request: LaunchRequest, from?: ApplicationRecord): Promise<string> {
    const engine = deps.engine();
    if (deps.isClosing()) throw new NotReady('The local engine is closing');
    if (request.queue !== undefined && request.queue !== queueName)
      throw new BadRequest(
        'UNKNOWN_QUEUE',
        `There is no queue ${JSON.stringify(request.queue)}; the local engine has ${JSON.stringify(queueName)}`,
      );
    const definition = definitionOf(request);
    const { packageCode } = engine;
    const { operators, release } = request.packageContent
      ? await packageCode.operatorsFor(request.packageContent)
      : packageCode.operatorsAgain(from?.packageCode);
    try {
      return await begin(engine, { request, definition, operators, from });
    } finally {
      release();
    }
  }

  async function begin(engine: Engine, requested: LaunchRequested): Promise<string> {
    const { request, operators, from } = requested;
    const planner = createPlanner(operators, access);
    const planned = await planLaunch(requested, planner);
    const { plan, physical } = planned;
    if (deps.isClosing()) throw new NotReady('The local engine is closing');
    const name = String(plan.attributes['APPLICATION_NAME'] ?? request.name);
    // Taken from here on, though nothing is listed before its record is kept.
    const letGo = capacity.claim(request.user, name, roomFor(physical));
    const id = engine.nextApplicationId();
    try {
      const record = firstRecord(id, name, requested, planned, engine.context.clock.now());
      await store.create(record);
      const initial = from && planned.initial && (await store.copyState(from.id, id, planned.initial));
      const launched = { record, plan, physical, initial, planner, operators, letGo };
      await startApplication(engine, launched, { ...deps, capacity });
    } catch (error) {
      await store.remove(id);
      throw error;
    } finally {
      letGo();
    }
    engine.context.logger.info(
      { event: 'application.launched', appId: id, name, user: request.user },
      'Application launched',
    );
    return id;
  }

  const roomFor = (physical: PhysicalPlan) => ({
    containers: physical.slots.length,
    memoryMB: physical.slots.reduce(
      (sum, number) => sum + memoryOf(number, physical, settings.containerMemoryMB),
      0,
    ),
  });

  function endedOne(appId: string): ApplicationRecord {
    const record = applications.record(appId);
    if (applications.isRunning(appId))
      throw new Conflict('APPLICATION_RUNNING', `The application ${appId} is still running`);
    return record;
  }

  return {
    async launch(request) {
      return launch(
        request,
        request.originalAppId === undefined ? undefined : endedOne(request.originalAppId),
      );
    },
    async check({ application, packageContent }) {
      const { operators, release } = await deps.engine().packageCode.operatorsFor(packageContent);
      try {
        return await problemsWith(application, operators, access);
      } finally {
        release();
      }
    },
    async settled() {
      await Promise.allSettled(launching);
    },
    async restart(appId, { user, queue, properties }) {
      const record = endedOne(appId);
      const { name, application, packageSource, isSystemApp } = record;
      return launch(
        {
          user,
          name,
          application,
          isSystemApp,
          ...(queue === undefined ? {} : { queue }),
          ...(properties ? { properties } : {}),
          ...(packageSource ? { packageSource } : {}),
        },
        record,
      );
    },
  };
}

/** All that is wrong with a definition. */
async function problemsWith(
  definition: DefinitionCheck['application'],
  operators: OperatorSet,
  access: OperatorAccess,
): Promise<readonly InputIssue[]> {
  const whole = JsonApplication.safeParse(definition);
  if (!whole.success) return problemsOf(definition, operators.registry);
  try {
    await createPlanner(operators, access).plan(whole.data, {}).verify();
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.issues;
    throw error;
  }
}

function firstRecord(
  id: string,
  name: string,
  { request, operators, from }: LaunchRequested,
  { application, own }: LaunchPlan,
  startedTime: number,
): ApplicationRecord {
  return {
    id,
    user: request.user,
    name,
    queue: queueName,
    state: 'ACCEPTED',
    finalStatus: 'UNDEFINED',
    startedTime,
    finishedTime: 0,
    diagnostics: '',
    isSystemApp: request.isSystemApp ?? false,
    ...(request.packageSource ? { packageSource: packageSourceOf(request.packageSource) } : {}),
    ...(operators.packageCode === undefined ? {} : { packageCode: operators.packageCode }),
    application,
    ...(from?.isPlanChanged ? { isPlanChanged: true } : {}),
    partitionProperties: { ...own },
  };
}

function packageSourceOf(
  source: NonNullable<LaunchRequest['packageSource']>,
): NonNullable<ApplicationRecord['packageSource']> {
  const { configPackage, ...rest } = source;
  return { ...rest, ...(configPackage ? { configPackage } : {}) };
}
