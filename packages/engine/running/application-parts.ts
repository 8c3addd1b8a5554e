import { join } from 'node:path';
import { createAccess } from '../access/access.js';
import { createLatch, type Latch } from '../changes/latch.js';
import { createPlanChanger, type PlanChanger } from '../changes/plan-changer.js';
import { createPropertyWriter, type PropertyWriter } from '../changes/property-writer.js';
import { createOperatorLives, type OperatorLives } from '../history/operator-lives.js';
import { createLayout, type Layout } from '../layout/layout.js';
import type { Slot } from '../layout/physical-state.js';
import { createOperatorState, createSlot } from '../layout/slots.js';
import type { OperatorSet } from '../package-code/operator-set.js';
import type { ApplicationSettings } from '../plan/attributes.js';
import type { PhysicalPlan } from '../plan/physical.js';
import type { Planner } from '../plan/planner.js';
import { type Containers, type ContainersDeps, createContainers } from '../processes/containers.js';
import { createStartQueue } from '../processes/start-queue.js';
import type { Subscribe } from '../processes/topic-feeds.js';
import { type ActiveRecordings, createActiveRecordings } from '../recordings/active-recordings.js';
import { createCheckpointStore } from '../recovery/checkpoint-store.js';
import { createFailureHandler, type FailureHandler } from '../recovery/failure-handling.js';
import { createRollout, type Rollout, type RolloutDeps } from '../rollout/rollout.js';
import type { LocalClusterSettings } from '../settings/options.js';
import type { SavedState } from '../store/record.js';
import type { ApplicationState, Outcomes, StateDeps } from './application-state.js';
import { type ContainerEventHandlers, createContainerEventHandlers } from './container-events.js';

export interface PartsDeps extends StateDeps {
  readonly physical: PhysicalPlan;
  /** State of an ended application to begin with, in this application's checkpoint directory already. */
  readonly initial: SavedState | undefined;
  readonly settings: LocalClusterSettings;
  readonly directory: string;
  /** Short path for sockets. */
  readonly socketDirectory: string;
  readonly subscribe: Subscribe;
  readonly planner: Planner;
  readonly operators: OperatorSet;
  /** Throws `Conflict` when there is no room for these besides all that runs. */
  readonly checkRoom: (slots: readonly Slot[]) => void;
}

/** What a running application is made of. */
export interface Parts {
  readonly containers: Containers;
  readonly rollout: Rollout;
  readonly failures: FailureHandler;
  readonly changer: PlanChanger;
  readonly events: ContainerEventHandlers;
  readonly properties: PropertyWriter;
  readonly recordings: ActiveRecordings;
  readonly latch: Latch;
}

/** The parts, each told of the others that it needs. */
export function createParts(state: ApplicationState, deps: PartsDeps, outcomes: Outcomes): Parts {
  const { limits } = deps.settings;
  const { settings } = state;
  const rateMillis = settings.THROUGHPUT_CALCULATION_INTERVAL;
  const place = placeOf(deps);
  const latch = createLatch();
  const starts = createStartQueue((slot) => containers.start(slot, state.loggers));
  const containers = containersOf(state, deps, {
    onMessage: (slot, message) => events.hear(slot, message),
    onExit: (slot, id, exit) => events.containerEnded(slot, id, exit),
  });
  const rollout = rolloutOf(state, deps, {
    starts,
    killContainer: containers.kill,
    onStarted: (slots) => events.started(slots),
  });
  const lives = livesOf(state, deps);
  const failures = createFailureHandler({
    directory: deps.directory,
    settings,
    event: (type, data) => state.event(type, data),
    redeploy: rollout.redeploy,
    giveUp: outcomes.giveUp,
  });
  const checkpoints = createCheckpointStore({
    holder: state,
    clock: state.clock,
    keep: (saved, urgent) => {
      state.update({ saved });
      return outcomes.changed(urgent);
    },
  });
  const changer = createPlanChanger({
    target: state,
    propertiesHoldFrom: () => properties.holdsFrom,
    planner: deps.planner,
    rollout,
    containers,
    starts,
    checkpoints,
    inOrder: state.inOrder,
    latch,
    limitMillis: limits.changeMillis,
    makeSlot: (number, physical) => createSlot(number, physical, place),
    makeState: (operator, since) => createOperatorState(operator, { since, file: undefined, rateMillis }),
    checkRoom: deps.checkRoom,
    apply: (slot, metrics) => events.metrics(slot, metrics),
    adopt: (layout, { application: definition, own }) => {
      state.adopt(layout);
      state.update({ application: definition, isPlanChanged: true, partitionProperties: { ...own } });
    },
    lives,
  });
  const properties = createPropertyWriter({
    state,
    access: createAccess(deps.settings.access),
    verify: deps.operators.verify,
    keep: async () => (await outcomes.changed(true)) ?? false,
  });
  const recordings = recordingsOf(state, deps);
  const events: ContainerEventHandlers = createContainerEventHandlers({
    state,
    outcomes,
    rollout,
    checkpoints,
    failures,
    lives,
    changer,
    recordings,
    latch,
    now: deps.now,
  });
  return { containers, rollout, failures, changer, events, properties, recordings, latch };
}

const containersOf = (
  state: ApplicationState,
  deps: PartsDeps,
  hears: Pick<ContainersDeps, 'onMessage' | 'onExit'>,
): Containers =>
  createContainers({
    ...hears,
    applicationId: deps.record.id,
    directory: deps.directory,
    attributes: state.settings,
    settings: deps.settings,
    packageModules: deps.operators.packageModules,
    now: deps.now,
    publish: deps.publish,
    subscribe: deps.subscribe,
    event: (type, data) => state.event(type, data),
  });

const rolloutOf = (
  state: ApplicationState,
  { plan, record, settings: { limits } }: PartsDeps,
  needed: Pick<RolloutDeps, 'starts' | 'killContainer' | 'onStarted'>,
): Rollout =>
  createRollout({
    ...needed,
    holder: state,
    clock: state.clock,
    settings: state.settings,
    attributes: { ...state.settings, ...plan.attributes, APPLICATION_NAME: record.name },
    queueBytes: limits.queueBytes,
    replayBytes: limits.replayBytes,
  });

const livesOf = (state: ApplicationState, { history, now }: PartsDeps): OperatorLives =>
  createOperatorLives({
    event: (type, data) => state.event(type, data),
    deployed: (operator, container) => history.deployments.add({ ...operator, container, startTime: now() }),
  });

const recordingsOf = (state: ApplicationState, deps: PartsDeps): ActiveRecordings =>
  createActiveRecordings({
    applicationId: deps.record.id,
    directory: join(deps.directory, 'recordings'),
    limits: deps.settings.limits,
    now: deps.now,
    holder: state,
    ask: (operatorId, question, signal) => state.ask(operatorId, question, signal),
  });

/** The plan as it was launched, from saved state where there is some. */
export function firstLayout(deps: PartsDeps, settings: ApplicationSettings): Layout {
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

const placeOf = ({ record, settings, socketDirectory }: PartsDeps) => ({
  containerMemoryMB: settings.containerMemoryMB,
  socketDirectory,
  appId: record.id,
});
