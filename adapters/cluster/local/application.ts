import { join } from 'node:path';
import {
  type ChangeRequest,
  Conflict,
  type Event,
  type Failure,
  type LoggerSetting,
  NotFound,
  Unreachable,
} from '../../../lib/index.js';
import { createAccess } from './access.js';
import { type ActiveRecordings, createActiveRecordings } from './active-recordings.js';
import { createBell } from './changes/bell.js';
import { createInOrder } from './changes/in-order.js';
import { createPlanChanger, type PlanChanger } from './changes/plan-changer.js';
import type { Planner } from './changes/planner.js';
import { createPropertyWriter, type PropertyWriter } from './changes/property-writer.js';
import type { ApplicationHistory } from './history/history.js';
import { createOperatorLives } from './history/operator-lives.js';
import type { LocalClusterSettings } from './options.js';
import type { OperatorSet } from './package-code/operator-set.js';
import { type ApplicationSettings, settingsOf } from './plan/attributes.js';
import type { Plan } from './plan/logical.js';
import type { PhysicalOperator, PhysicalPlan } from './plan/physical.js';
import { type Containers, createContainers } from './processes/containers.js';
import { type LoggerTarget, withTargets } from './processes/log-levels.js';
import type { Question } from './processes/protocol.js';
import type { Subscribe } from './processes/topic-feeds.js';
import { createReactions, type Reactions } from './reactions.js';
import { type CheckpointKeeper, createCheckpointKeeper } from './recovery/checkpoint-keeper.js';
import { createFailureHandler, type FailureHandler } from './recovery/failure-handling.js';
import { recorded } from './recovery/failure-reports.js';
import { createLayout, type Layout } from './rollout/layout.js';
import type { ContainerEntry, OperatorState, Slot } from './rollout/physical-state.js';
import { createRollout, type Rollout } from './rollout/rollout.js';
import { createOperatorState, createSlot } from './rollout/slots.js';
import type { ApplicationRecord, SavedState } from './store/record.js';
import { monotonicMillis, type WindowClock } from './windows.js';

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

/**
 * One running application: its parts, what is asked of it, and how it ends. It never blocks, and its containers can't
 * hurt it.
 */
export class RunningApplication {
  record: ApplicationRecord;
  readonly settings: ApplicationSettings;
  readonly clock: WindowClock;
  readonly history: ApplicationHistory;
  readonly ended: Promise<void>;
  readonly properties: PropertyWriter;
  /** Changes of what runs, one after the other. */
  readonly inOrder = createInOrder();
  readonly recordings: ActiveRecordings;
  loggers: readonly LoggerTarget[] = [];
  /** Why it ended; empty before. */
  endReason = '';
  readonly #deps: ApplicationDeps;
  #layout: Layout;
  readonly #containers: Containers;
  readonly #rollout: Rollout;
  readonly #checkpoints: CheckpointKeeper;
  readonly #failures: FailureHandler;
  readonly #reactions: Reactions;
  readonly #changer: PlanChanger;
  readonly #bell = createBell();
  #over = false;
  #resolveEnded: () => void = () => {};

  constructor(deps: ApplicationDeps) {
    const { record, plan, physical, initial } = deps;
    const { limits, containerMemoryMB } = deps.settings;
    this.#deps = deps;
    this.record = record;
    this.history = deps.history;
    const settings = settingsOf(plan.attributes);
    this.settings = settings;
    this.clock = {
      epochMillis: deps.now(),
      monotonicMillis: monotonicMillis(),
      widthMillis: settings.STREAMING_WINDOW_SIZE_MILLIS,
    };
    const rateMillis = settings.THROUGHPUT_CALCULATION_INTERVAL;
    const place = { containerMemoryMB, socketDirectory: deps.socketDirectory, appId: record.id };
    this.#layout = createLayout({
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
    this.#containers = createContainers({
      applicationId: record.id,
      directory: deps.directory,
      attributes: settings,
      settings: deps.settings,
      packageModules: deps.operators.packageModules,
      now: deps.now,
      subscribe: deps.subscribe,
      event: (type, data) => this.event(type, data),
      onMessage: (slot, message) => this.#reactions.hear(slot, message),
      onExit: (slot, id, exit) => this.#reactions.containerEnded(slot, id, exit),
    });
    this.#rollout = createRollout({
      holder: this,
      clock: this.clock,
      settings,
      attributes: { ...settings, ...plan.attributes, APPLICATION_NAME: record.name },
      queueBytes: limits.queueBytes,
      replayBytes: limits.replayBytes,
      startContainer: (slot) => this.#containers.start(slot, this.loggers),
      killContainer: this.#containers.kill,
      onStarted: (slots) => this.#reactions.started(slots),
    });
    const lives = createOperatorLives({
      event: (type, data) => this.event(type, data),
      deployed: (operator, container) =>
        deps.history.deployments.add({ ...operator, container, startTime: deps.now() }),
    });
    this.#failures = createFailureHandler({
      directory: deps.directory,
      settings,
      event: (type, data) => this.event(type, data),
      redeploy: this.#rollout.redeploy,
      giveUp: (diagnostics, failure) => this.end('FAILED', 'FAILED', diagnostics, failure),
    });
    this.#checkpoints = createCheckpointKeeper({
      holder: this,
      clock: this.clock,
      keep: (saved, urgent) => {
        this.record = { ...this.record, saved };
        return deps.onChange(this, urgent);
      },
    });
    this.#changer = createPlanChanger({
      target: this,
      planner: deps.planner,
      rollout: this.#rollout,
      containers: this.#containers,
      checkpoints: this.#checkpoints,
      inOrder: this.inOrder,
      bell: this.#bell,
      limitMillis: limits.changeMillis,
      makeSlot: (number, plan) => createSlot(number, plan, place),
      makeState: (operator, since) => createOperatorState(operator, { since, file: undefined, rateMillis }),
      checkRoom: deps.checkRoom,
      apply: (slot, figures) => this.#reactions.figures(slot, figures),
      adopt: (layout, { application, own }) => {
        this.#layout = layout;
        this.record = { ...this.record, application, partitionProperties: { ...own } };
      },
      lives,
    });
    this.properties = createPropertyWriter({
      application: this,
      access: createAccess(deps.settings.access),
      verify: deps.operators.verify,
      keep: async () => (await deps.onChange(this, true)) ?? false,
    });
    this.recordings = createActiveRecordings({
      applicationId: record.id,
      directory: join(deps.directory, 'recordings'),
      limits,
      now: deps.now,
      holder: this,
      ask: (operatorId, question, signal) => this.ask(operatorId, question, signal),
    });
    this.#reactions = createReactions({
      owner: this,
      rollout: this.#rollout,
      checkpoints: this.#checkpoints,
      failures: this.#failures,
      lives,
      changer: this.#changer,
      recordings: this.recordings,
      bell: this.#bell,
      now: deps.now,
      publish: deps.publish,
    });
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get layout(): Layout {
    return this.#layout;
  }

  get plan(): Plan {
    return this.#layout.plan;
  }

  get physical(): PhysicalPlan {
    return this.#layout.physical;
  }

  get operators(): readonly OperatorState[] {
    return this.#layout.operators;
  }

  get slots(): readonly Slot[] {
    return this.#layout.slots;
  }

  get isOver(): boolean {
    return this.#over;
  }

  get processCount(): number {
    return this.#containers.occupied.size;
  }

  get containers(): readonly ContainerEntry[] {
    return this.#containers.entries;
  }

  /** Places of the plan, and those that a change will need. */
  get places(): readonly Slot[] {
    const coming = [...this.#containers.occupied].filter(({ killReason }) => !killReason);
    return [...new Set([...this.slots, ...coming])];
  }

  get failedContainers(): number {
    return this.#failures.count;
  }

  start(): void {
    this.#containers.watch();
    for (const { operator } of this.operators)
      this.event('CreateOperator', { operatorName: operator.name, operatorId: operator.id });
    this.#rollout.redeploy(
      this.slots.map(({ number }) => number),
      0,
    );
  }

  /** Inputs end, the rest drains. */
  shutdown(): void {
    this.refuseWhenOver();
    this.#rollout.drain();
    this.#bell.ring();
  }

  /** All or nothing; see `PlanChanger`. */
  async changePlan(requests: readonly ChangeRequest[], signal: AbortSignal | undefined): Promise<void> {
    this.refuseWhenOver();
    await this.#changer.change(requests, signal);
    this.#reactions.finishIfAllHave();
  }

  kill(): void {
    this.refuseWhenOver();
    this.end('KILLED', 'KILLED', 'Killed on request');
  }

  killContainer(id: string): void {
    this.#containers.killOnRequest(id);
  }

  setLoggers(settings: readonly LoggerSetting[]): void {
    this.refuseWhenOver();
    this.loggers = withTargets(this.loggers, settings);
    this.#containers.tell({ type: 'loggers', loggers: [...this.loggers] });
  }

  /** Asks the container that runs this operator; see `Questions.ask`. */
  async ask(operatorId: string, question: Question, signal?: AbortSignal): Promise<unknown> {
    this.refuseWhenOver();
    const state = this.#layout.operator(operatorId);
    if (!state) throw new NotFound('physical operator', operatorId);
    const agent = this.#layout.slot(state.operator.slot)?.agent;
    if (!agent) throw new Unreachable(`The container of operator ${operatorId}`);
    return agent.ask(question, signal);
  }

  event(type: string, data: Readonly<Record<string, string>>): Event {
    const event = this.history.events.add(type, data, this.#deps.now());
    this.#deps.publish(`applications.${this.record.id}.events`, JSON.stringify(event));
    return event;
  }

  /** Ends the application now; containers that still run are killed, after a success they end by themselves. */
  async end(
    state: 'FINISHED' | 'FAILED' | 'KILLED',
    finalStatus: 'SUCCEEDED' | 'FAILED' | 'KILLED',
    diagnostics: string,
    failure?: Failure,
  ): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    this.endReason = diagnostics || 'The application ended';
    this.#changer.close();
    this.#rollout.close();
    this.#bell.ring();
    await this.#containers.end(state === 'FINISHED' ? 'stop' : 'kill');
    await this.#deps.onEnd(this, {
      ...this.record,
      state,
      finalStatus,
      diagnostics,
      finishedTime: this.#deps.now(),
      ...(failure ? { failure: recorded(failure) } : {}),
    });
    this.#resolveEnded();
  }

  /** Throws `Conflict`. */
  refuseWhenOver(): void {
    if (this.#over) throw new Conflict(`The application ${this.record.id} has ended`);
  }

  /** These operators run, some for the first time. */
  running(deployed: readonly PhysicalOperator[]): void {
    for (const entry of this.containers) if (entry.finishedTime < 0) entry.active = true;
    if (this.record.state === 'ACCEPTED') this.record = { ...this.record, state: 'RUNNING' };
    this.#deps.onChange(this, true);
    this.#deps.onDeployed(this, deployed);
  }

  /** All operators have ended for good. */
  finished(): void {
    this.end('FINISHED', 'SUCCEEDED', '');
  }
}
