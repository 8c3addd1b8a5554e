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
  withProperties,
} from '../../../lib/driver-kit.js';
import { createAccess } from './access.js';
import { RunningApplication } from './application.js';
import type { Applications } from './applications.js';
import { recordAutomatically } from './auto-record.js';
import { createCapacity } from './capacity.js';
import { createPlanner, type Planner } from './changes/planner.js';
import type { Engine } from './engine.js';
import { openHistory } from './history/history.js';
import { statsViewOf } from './history/stats-view.js';
import { containerId } from './ids.js';
import type { LocalClusterSettings } from './options.js';
import type { OperatorSet } from './package-code/operator-set.js';
import { type Plan, problemsOf, propertyKnowledge } from './plan/logical.js';
import type { PhysicalPlan } from './plan/physical.js';
import { memoryOf } from './rollout/slots.js';
import type { ApplicationRecord, SavedState } from './store/record.js';
import type { ApplicationStore } from './store/store.js';
import { recorderOf } from './views/recorder.js';

export const queueName = 'default';

interface LauncherDeps {
  readonly settings: LocalClusterSettings;
  readonly store: ApplicationStore;
  readonly applications: Applications;
  /** Throws `NotReady` unless the engine is open. */
  readonly engine: () => Engine;
  readonly isClosing: () => boolean;
}

type DefinitionCheck = Parameters<NonNullable<ClusterLauncher['check']>>[0];

interface Wanted {
  readonly request: LaunchRequest;
  /** Without the launch properties. */
  readonly definition: JsonApplication;
  readonly operators: OperatorSet;
  readonly from: ApplicationRecord | undefined;
}

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
  const admission = createCapacity({ settings, applications });
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

  /**
   * By the definition that was asked for; by that of the other application where its saved state fits only that, since
   * its plan was changed while it ran, and the package does not know.
   */
  async function planOf({ request, definition, operators, from }: Wanted, planner: Planner) {
    const application = withProperties(
      definition,
      {
        name: request.packaged?.name ?? request.name,
        properties: request.properties ?? {},
        ...(request.defaults ? { defaults: request.defaults } : {}),
      },
      propertyKnowledge(operators.registry),
    );
    const planned = planner.plan(application, from?.partitionProperties ?? {});
    const missing = from?.saved && missingPartition(from.saved, planned.physical);
    if (from && missing !== undefined) {
      if (definition === from.application || !wasChanged(from, request)) throw misfit(from.id, missing);
      return planOf({ request, definition: from.application, operators, from }, planner);
    }
    await planned.verify();
    const { plan, physical, own } = planned;
    return { application, plan, physical, own, initial: from?.saved };
  }

  async function begin(engine: Engine, { request, definition, operators, from }: Wanted): Promise<string> {
    const planner = createPlanner(operators, access);
    const { application, plan, physical, own, initial } = await planOf(
      { request, definition, operators, from },
      planner,
    );
    if (deps.isClosing()) throw new NotReady('The local engine is closing');
    const name = String(plan.attributes['APPLICATION_NAME'] ?? request.name);
    admission.checkName(request.user, name);
    const room = {
      containers: physical.slots.length,
      memoryMB: physical.slots.reduce(
        (sum, number) => sum + memoryOf(number, physical, settings.containerMemoryMB),
        0,
      ),
    };
    admission.checkRoom(room);
    const id = engine.nextApplicationId();
    const record: ApplicationRecord = {
      id,
      user: request.user,
      name,
      queue: queueName,
      state: 'ACCEPTED',
      finalStatus: 'UNDEFINED',
      startedTime: engine.context.clock.now(),
      finishedTime: 0,
      diagnostics: '',
      isSystemApp: request.isSystemApp ?? false,
      ...(request.packageSource ? { packageSource: packageSourceOf(request.packageSource) } : {}),
      ...(operators.packageCode === undefined ? {} : { packageCode: operators.packageCode }),
      application,
      ...(from?.isPlanChanged ? { isPlanChanged: true } : {}),
      partitionProperties: { ...own },
    };
    // Taken from here on, though nothing is listed before its record is kept.
    const letGo = admission.claim(request.user, name, room);
    try {
      await store.create(record);
      const copy = from && initial && (await store.copyState(from.id, id, initial));
      await start(engine, { record, plan, physical, initial: copy, planner, operators, letGo });
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

  async function start(
    { context, gc, sockets }: Engine,
    what: {
      readonly record: ApplicationRecord;
      readonly plan: Plan;
      readonly physical: PhysicalPlan;
      readonly initial: SavedState | undefined;
      readonly planner: Planner;
      readonly operators: OperatorSet;
      /** It is counted among those that run. */
      readonly letGo: () => void;
    },
  ): Promise<void> {
    const { id } = what.record;
    const directory = store.directoryOf(id);
    const history = await openHistory(directory, {
      ...settings.limits,
      masterId: containerId(id, 1),
      everyMillis: settings.statsIntervalMillis,
      now: () => context.clock.now(),
      onProblem: (err) =>
        context.logger.error(
          { event: 'application.history_lost', appId: id, err },
          'A part of the history of an application is lost',
        ),
    });
    const made = new RunningApplication({
      ...what,
      settings,
      directory,
      socketDirectory: sockets,
      history,
      now: () => context.clock.now(),
      publish: (topic, data) => context.publish(id, topic, data),
      subscribe: (topic, receive) => context.subscribeFor(id, topic, receive),
      checkRoom: (slots) =>
        admission.checkRoom({
          containers: slots.length,
          memoryMB: slots.reduce((sum, { memoryMB }) => sum + memoryMB, 0),
        }),
      onChange: applications.changed,
      onDeployed(application, deployed) {
        const maxRecordings = settings.limits.recordings;
        void recordAutomatically(
          deployed,
          recorderOf(application, { directory, maxRecordings }),
          (err, place) => {
            if (!application.isOver)
              context.logger.warn(
                { event: 'application.recording_not_started', appId: id, ...place, err },
                'A port with AUTO_RECORD is not recorded',
              );
          },
        );
      },
      onEnd: applications.ended,
    });
    await applications.keepFirst(made);
    if (deps.isClosing()) throw new NotReady('The local engine is closing');
    applications.add(made);
    what.letGo();
    made.start();
    if (made.settings.ENABLE_STATS_RECORDING) history.stats.watch(statsViewOf(made, directory, gc));
  }

  function endedOne(appId: string): ApplicationRecord {
    const record = applications.record(appId);
    if (applications.isRunning(appId)) throw new Conflict(`The application ${appId} is still running`);
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
      const whole = JsonApplication.safeParse(application);
      try {
        if (!whole.success) return problemsOf(application, operators.registry);
        await createPlanner(operators, access).plan(whole.data, {}).verify();
        return [];
      } catch (error) {
        if (error instanceof InvalidInput) return error.issues;
        throw error;
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

function definitionOf({ name, application, packaged }: LaunchRequest): JsonApplication {
  if (application) return application;
  const { type = 'class', file = 'a jar', className } = packaged ?? {};
  const what = className === undefined ? `in ${file}` : `in ${file} (${className})`;
  throw new BadRequest(
    `The driver "local" runs JSON applications only: ${JSON.stringify(name)} is a ${type} application ${what}, which needs a JVM`,
  );
}

function packageSourceOf(
  source: NonNullable<LaunchRequest['packageSource']>,
): NonNullable<ApplicationRecord['packageSource']> {
  const { configPackage, ...rest } = source;
  return { ...rest, ...(configPackage ? { configPackage } : {}) };
}

/** The saved state must fit the plan: the same partitions under the same names. */
function missingPartition(saved: SavedState, physical: PhysicalPlan): string | undefined {
  const keys = new Set(physical.operators.map(({ key }) => key));
  return Object.entries(saved.states).find(([key, file]) => file !== null && !keys.has(key))?.[0];
}

const misfit = (from: string, partition: string) =>
  new BadRequest(
    `The saved state of ${from} has the partition ${partition}, which the plan does not have; partitions can't change in a restart`,
  );

/** While it ran; and it is the same application of the same package. */
function wasChanged(
  { isPlanChanged, packageSource: before }: ApplicationRecord,
  request: LaunchRequest,
): boolean {
  const { packageSource: now } = request;
  return (
    isPlanChanged === true &&
    before?.user === now?.user &&
    before?.name === now?.name &&
    before?.version === now?.version &&
    before?.appName === now?.appName
  );
}
