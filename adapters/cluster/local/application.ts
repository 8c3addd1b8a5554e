import {
  type ChangeRequest,
  Conflict,
  type Event,
  type Failure,
  type LoggerSetting,
  NotFound,
  Unreachable,
} from '../../../lib/index.js';
import type { ActiveRecordings } from './active-recordings.js';
import { type ApplicationDeps, createParts, firstLayout, type Parts } from './application-parts.js';
import { createInOrder } from './changes/in-order.js';
import type { PropertyWriter } from './changes/property-writer.js';
import type { ApplicationHistory } from './history/history.js';
import { type ApplicationSettings, settingsOf } from './plan/attributes.js';
import type { Plan } from './plan/logical.js';
import type { PhysicalOperator, PhysicalPlan } from './plan/physical.js';
import { type LoggerTarget, withTargets } from './processes/log-levels.js';
import type { Question } from './processes/protocol.js';
import { recorded } from './recovery/failure-reports.js';
import type { Layout } from './rollout/layout.js';
import type { ContainerEntry, OperatorState, Slot } from './rollout/physical-state.js';
import type { ApplicationRecord } from './store/record.js';
import { monotonicMillis, type WindowClock } from './windows.js';

/**
 * One running application: what is asked of its parts, and how it ends. It never blocks, and its containers can't
 * hurt it.
 */
export class RunningApplication {
  record: ApplicationRecord;
  readonly settings: ApplicationSettings;
  readonly clock: WindowClock;
  readonly history: ApplicationHistory;
  readonly ended: Promise<void>;
  /** Changes of what runs, one after the other. */
  readonly inOrder = createInOrder();
  loggers: readonly LoggerTarget[] = [];
  /** Why it ended; empty before. */
  endReason = '';
  readonly #deps: ApplicationDeps;
  #layout: Layout;
  readonly #parts: Parts;
  #over = false;
  #resolveEnded: () => void = () => {};

  constructor(deps: ApplicationDeps) {
    const { record, plan } = deps;
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
    this.#layout = firstLayout(deps, settings);
    this.#parts = createParts(this, deps, (layout) => {
      this.#layout = layout;
    });
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get properties(): PropertyWriter {
    return this.#parts.properties;
  }

  get recordings(): ActiveRecordings {
    return this.#parts.recordings;
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
    return this.#parts.containers.occupied.size;
  }

  get containers(): readonly ContainerEntry[] {
    return this.#parts.containers.entries;
  }

  /** Places of the plan, and those that a change will need. */
  get places(): readonly Slot[] {
    const coming = [...this.#parts.containers.occupied].filter(({ killReason }) => !killReason);
    return [...new Set([...this.slots, ...coming])];
  }

  get failedContainers(): number {
    return this.#parts.failures.count;
  }

  start(): void {
    this.#parts.containers.watch();
    for (const { operator } of this.operators)
      this.event('CreateOperator', { operatorName: operator.name, operatorId: operator.id });
    this.#parts.rollout.redeploy(
      this.slots.map(({ number }) => number),
      0,
    );
  }

  /** Inputs end, the rest drains. */
  shutdown(): void {
    this.refuseWhenOver();
    this.#parts.rollout.drain();
    this.#parts.bell.ring();
  }

  /** All or nothing; see `PlanChanger`. */
  async changePlan(requests: readonly ChangeRequest[], signal: AbortSignal | undefined): Promise<void> {
    this.refuseWhenOver();
    await this.#parts.changer.change(requests, signal);
    this.#parts.reactions.finishIfAllHave();
  }

  kill(): void {
    this.refuseWhenOver();
    this.end('KILLED', 'KILLED', 'Killed on request');
  }

  killContainer(id: string): void {
    this.#parts.containers.killOnRequest(id);
  }

  setLoggers(settings: readonly LoggerSetting[]): void {
    this.refuseWhenOver();
    this.loggers = withTargets(this.loggers, settings);
    this.#parts.containers.tell({ type: 'loggers', loggers: [...this.loggers] });
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
    this.#parts.changer.close();
    this.#parts.rollout.close();
    this.#parts.bell.ring();
    await this.#parts.containers.end(state === 'FINISHED' ? 'stop' : 'kill');
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
