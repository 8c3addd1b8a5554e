import { join } from 'node:path';
import { createAccess } from './access.js';
import { type ActiveRecordings, createActiveRecordings } from './active-recordings.js';
import type { RunningApplication } from './application.js';
import { type Bell, createBell } from './changes/bell.js';
import { createPlanChanger, type PlanChanger } from './changes/plan-changer.js';
import type { Planner } from './changes/planner.js';
import { createPropertyWriter, type PropertyWriter } from './changes/property-writer.js';
import type { ApplicationHistory } from './history/history.js';
import { createOperatorLives } from './history/operator-lives.js';
import type { LocalClusterSettings } from './options.js';
import type { OperatorSet } from './package-code/operator-set.js';
import type { ApplicationSettings } from './plan/attributes.js';
import type { Plan } from './plan/logical.js';
import type { PhysicalOperator, PhysicalPlan } from './plan/physical.js';
import { type Containers, createContainers } from './processes/containers.js';
import type { Subscribe } from './processes/topic-feeds.js';
import { createReactions, type Reactions } from './reactions.js';
import { createCheckpointKeeper } from './recovery/checkpoint-keeper.js';
import { createFailureHandler, type FailureHandler } from './recovery/failure-handling.js';
import { createLayout, type Layout } from './rollout/layout.js';
import type { Slot } from './rollout/physical-state.js';
import { createRollout, type Rollout } from './rollout/rollout.js';
import { createOperatorState, createSlot } from './rollout/slots.js';
import type { ApplicationRecord, SavedState } from './store/record.js';

export interface ApplicationDeps {
  readonly record: ApplicationRecord;
  readonly plan: Plan;
  readonly physical: PhysicalPlan;
  /** State of an ended application to begin with, in this application's checkpoint directory already. */
  readonly initial: SavedState | undefined;
  readonly settings: LocalClusterSettings;
  readonly directory: string;
  /** Short path for sockets. */
  readonly socketDirectory: string;
  readonly history: ApplicationHistory;
  readonly now: () => number;
  readonly publish: (topic: string, data: string) => boolean;
  readonly subscribe: Subscribe;
  readonly planner: Planner;
  readonly operators: OperatorSet;
  /** Throws `Conflict` when there is no room for these besides all that runs. */
  readonly checkRoom: (slots: readonly Slot[]) => void;
  /** The record changed. When it is kept now, resolves whether that succeeded; `urgent`: at once. */
  readonly onChange: (application: RunningApplication, urgent: boolean) => Promise<boolean> | undefined;
  /** These operators begin to run, after a start, a failure or a change of the plan. */
  readonly onDeployed: (application: RunningApplication, operators: readonly PhysicalOperator[]) => void;
  /** Keeps the last record; the application is shown as ended when it is kept. Never rejects. */
  readonly onEnd: (application: RunningApplication, record: ApplicationRecord) => Promise<void>;
}

/** What a running application is made of. */
export interface Parts {
  readonly containers: Containers;
  readonly rollout: Rollout;
  readonly failures: FailureHandler;
  readonly changer: PlanChanger;
  readonly reactions: Reactions;
  readonly properties: PropertyWriter;
  readonly recordings: ActiveRecordings;
  readonly bell: Bell;
}

/** The parts, each told of the others that it needs. `adopt`: from now on this is the application's layout. */
export function createParts(
  application: RunningApplication,
  deps: ApplicationDeps,
  adopt: (layout: Layout) => void,
): Parts {
  const { record, plan } = deps;
  const { limits } = deps.settings;
  const { clock, settings } = application;
  const rateMillis = settings.THROUGHPUT_CALCULATION_INTERVAL;
  const place = placeOf(deps);
  const bell = createBell();
  const containers = createContainers({
    applicationId: record.id,
    directory: deps.directory,
    attributes: settings,
    settings: deps.settings,
    packageModules: deps.operators.packageModules,
    now: deps.now,
    subscribe: deps.subscribe,
    event: (type, data) => application.event(type, data),
    onMessage: (slot, message) => reactions.hear(slot, message),
    onExit: (slot, id, exit) => reactions.containerEnded(slot, id, exit),
  });
  const rollout = createRollout({
    holder: application,
    clock,
    settings,
    attributes: { ...settings, ...plan.attributes, APPLICATION_NAME: record.name },
    queueBytes: limits.queueBytes,
    replayBytes: limits.replayBytes,
    startContainer: (slot) => containers.start(slot, application.loggers),
    killContainer: containers.kill,
    onStarted: (slots) => reactions.started(slots),
  });
  const lives = createOperatorLives({
    event: (type, data) => application.event(type, data),
    deployed: (operator, container) =>
      deps.history.deployments.add({ ...operator, container, startTime: deps.now() }),
  });
  const failures = createFailureHandler({
    directory: deps.directory,
    settings,
    event: (type, data) => application.event(type, data),
    redeploy: rollout.redeploy,
    giveUp: (diagnostics, failure) => application.end('FAILED', 'FAILED', diagnostics, failure),
  });
  const checkpoints = createCheckpointKeeper({
    holder: application,
    clock,
    keep: (saved, urgent) => {
      application.record = { ...application.record, saved };
      return deps.onChange(application, urgent);
    },
  });
  const changer = createPlanChanger({
    target: application,
    planner: deps.planner,
    rollout,
    containers,
    checkpoints,
    inOrder: application.inOrder,
    bell,
    limitMillis: limits.changeMillis,
    makeSlot: (number, physical) => createSlot(number, physical, place),
    makeState: (operator, since) => createOperatorState(operator, { since, file: undefined, rateMillis }),
    checkRoom: deps.checkRoom,
    apply: (slot, figures) => reactions.figures(slot, figures),
    adopt: (layout, { application: definition, own }) => {
      adopt(layout);
      application.record = {
        ...application.record,
        application: definition,
        partitionProperties: { ...own },
      };
    },
    lives,
  });
  const properties = createPropertyWriter({
    application,
    access: createAccess(deps.settings.access),
    verify: deps.operators.verify,
    keep: async () => (await deps.onChange(application, true)) ?? false,
  });
  const recordings = createActiveRecordings({
    applicationId: record.id,
    directory: join(deps.directory, 'recordings'),
    limits,
    now: deps.now,
    holder: application,
    ask: (operatorId, question, signal) => application.ask(operatorId, question, signal),
  });
  const reactions: Reactions = createReactions({
    owner: application,
    rollout,
    checkpoints,
    failures,
    lives,
    changer,
    recordings,
    bell,
    now: deps.now,
    publish: deps.publish,
  });
  return { containers, rollout, failures, changer, reactions, properties, recordings, bell };
}

/** The plan as it was launched, from saved state where there is some. */
export function firstLayout(deps: ApplicationDeps, settings: ApplicationSettings): Layout {
  const { plan, physical, initial } = deps;
  const rateMillis = settings.THROUGHPUT_CALCULATION_INTERVAL;
  const place = placeOf(deps);
  return createLayout({
    plan,
    physical,
    operators: physical.operators.map((operator) =>
      createOperatorState(operator, {
        since: -1,
        file: initial?.states[operator.key] ?? undefined,
        rateMillis,
      }),
    ),
    slots: physical.slots.map((number) => createSlot(number, physical, place)),
  });
}

const placeOf = ({ record, settings, socketDirectory }: ApplicationDeps) => ({
  containerMemoryMB: settings.containerMemoryMB,
  socketDirectory,
  appId: record.id,
});
