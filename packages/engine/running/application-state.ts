import { Conflict, createMutex, type Event, type Failure, NotFound, Unreachable } from 'headgate/driver-kit';
import { levelOfType } from '../history/event-data.js';
import { sentenceOf } from '../history/event-sentences.js';
import type { ApplicationHistory } from '../history/history.js';
import type { Layout } from '../layout/layout.js';
import type { OperatorState, Slot } from '../layout/physical-state.js';
import type { LoggerTarget } from '../model/log-levels.js';
import { monotonicMillis, type WindowClock } from '../model/windows.js';
import { type ApplicationSettings, settingsOf } from '../plan/attributes.js';
import type { Plan } from '../plan/logical.js';
import type { PhysicalOperator, PhysicalPlan } from '../plan/physical.js';
import type { Publish } from '../processes/topic-feeds.js';
import type { Question } from '../protocol/protocol.js';
import type { ApplicationRecord } from '../store/record.js';

export interface StateDeps {
  readonly record: ApplicationRecord;
  readonly plan: Plan;
  readonly history: ApplicationHistory;
  readonly now: () => number;
  readonly publish: Publish;
}

/** What its parts find out, and the application acts on. */
export interface Outcomes {
  /** These operators run, some for the first time. */
  running(deployed: readonly PhysicalOperator[]): void;
  /** All operators have ended for good. */
  finished(): void;
  /** The record changed. When it is kept now, resolves whether that succeeded; `urgent`: at once. */
  changed(urgent: boolean): Promise<boolean> | undefined;
  /** Nothing more is tried. */
  giveUp(diagnostics: string, failure: Failure): void;
}

/**
 * What a running application is at the moment, and what it tells. Its parts are given this, and change it through
 * `update` and `adopt`.
 */
export class ApplicationState {
  readonly settings: ApplicationSettings;
  readonly clock: WindowClock;
  readonly history: ApplicationHistory;
  /** Changes of what runs, one after the other. */
  readonly inOrder = createMutex();
  loggers: readonly LoggerTarget[] = [];
  /** Epoch milliseconds when it was asked to stop. */
  stoppingSince: number | undefined;
  /** Why it ended; empty before. */
  endReason = '';
  isOver = false;
  readonly #deps: StateDeps;
  #record: ApplicationRecord;
  #layout: Layout;

  constructor(deps: StateDeps, layoutFor: (settings: ApplicationSettings) => Layout) {
    this.#deps = deps;
    this.#record = deps.record;
    this.history = deps.history;
    this.settings = settingsOf(deps.plan.attributes);
    this.clock = {
      epochMillis: deps.now(),
      monotonicMillis: monotonicMillis(),
      widthMillis: this.settings.STREAMING_WINDOW_SIZE_MILLIS,
    };
    this.#layout = layoutFor(this.settings);
  }

  get record(): ApplicationRecord {
    return this.#record;
  }

  /** In memory; keeping it is the caller's business. */
  update(change: Partial<ApplicationRecord>): void {
    this.#record = { ...this.#record, ...change };
  }

  get layout(): Layout {
    return this.#layout;
  }

  /** From now on this is what runs. */
  adopt(layout: Layout): void {
    this.#layout = layout;
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

  /** Kept, written to the master's log, and published. */
  event(type: string, data: Readonly<Record<string, string>>): Event {
    const event = this.history.events.add(type, data, this.#deps.now());
    this.log(sentenceOf(type, data), data['logLevel'] ?? levelOfType(type));
    this.#deps.publish(`applications.${this.record.id}.events`, JSON.stringify(event));
    return event;
  }

  log(message: string, level = 'INFO'): void {
    this.history.log.write(this.#deps.now(), level, message);
  }

  /** Asks the container that runs this operator; see `Agent.ask`. */
  async ask(operatorId: string, question: Question, signal?: AbortSignal): Promise<unknown> {
    this.refuseWhenOver();
    const state = this.layout.operator(operatorId);
    if (!state) throw new NotFound('physical operator', operatorId);
    const agent = this.layout.slot(state.operator.slot)?.agent;
    if (!agent) throw new Unreachable(`The container of operator ${operatorId}`);
    return agent.ask(question, signal);
  }

  /** Throws `Conflict`. */
  refuseWhenOver(): void {
    if (this.isOver) throw new Conflict('APPLICATION_ENDED', `The application ${this.record.id} has ended`);
  }
}
