import { BadRequest, type ChangeRequest, type Failure, type LoggerSetting } from 'headgate/driver-kit';
import type { PropertyWriter } from '../changes/property-writer.js';
import type { ContainerEntry, Slot } from '../layout/physical-state.js';
import { withTargets } from '../model/log-levels.js';
import type { PhysicalOperator } from '../plan/physical.js';
import type { ActiveRecordings } from '../recordings/active-recordings.js';
import { recorded } from '../recovery/failure-reports.js';
import type { ApplicationRecord } from '../store/record.js';
import { createParts, firstLayout, type Parts, type PartsDeps } from './application-parts.js';
import { ApplicationState } from './application-state.js';

interface ApplicationDeps extends PartsDeps {
  /** The record changed. When it is kept now, resolves whether that succeeded; `urgent`: at once. */
  readonly onChange: (application: RunningApplication, urgent: boolean) => Promise<boolean> | undefined;
  /** These operators begin to run, after a start, a failure or a change of the plan. */
  readonly onDeployed: (application: RunningApplication, operators: readonly PhysicalOperator[]) => void;
  /** Keeps the last record; the application is shown as ended when it is kept. Never rejects. */
  readonly onEnd: (application: RunningApplication, record: ApplicationRecord) => Promise<void>;
}

/** Levels of loggers: each container gets all of them. */
const maxLoggers = 1_000;

/**
 * One running application: what is asked of its parts, and how it ends. It never blocks, and its containers can't
 * hurt it.
 */
export class RunningApplication extends ApplicationState {
  readonly ended: Promise<void>;
  readonly #deps: ApplicationDeps;
  readonly #parts: Parts;
  #resolveEnded: () => void = () => {};

  constructor(deps: ApplicationDeps) {
    super(deps, (settings) => firstLayout(deps, settings));
    this.#deps = deps;
    this.#parts = createParts(this, deps, {
      running: (deployed) => this.#running(deployed),
      changed: (urgent) => deps.onChange(this, urgent),
      finished: () => void this.end('FINISHED', 'SUCCEEDED', ''),
      giveUp: (diagnostics, failure) => void this.end('FAILED', 'FAILED', diagnostics, failure),
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

  get processCount(): number {
    return this.#parts.containers.occupied.size;
  }

  get containers(): readonly ContainerEntry[] {
    return this.#parts.containers.entries;
  }

  /** Places of the plan, and those that a change will need. */
  get places(): readonly Slot[] {
    const coming = [...this.#parts.containers.occupied].filter(({ killReason }) => !killReason);
    return [...new Set([...this.slots, ...this.#parts.changer.arriving, ...coming])];
  }

  get failedContainers(): number {
    return this.#parts.failures.count;
  }

  start(): void {
    const { name, user } = this.record;
    this.log(
      `${JSON.stringify(name)} was launched by ${user}: ${this.operators.length} operators in ${this.slots.length} containers`,
    );
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
    if (this.stoppingSince === undefined) {
      this.stoppingSince = this.#deps.now();
      this.event('ShutdownApplication', { reason: 'Requested' });
    }
    this.#parts.rollout.drain();
    this.#parts.condition.ring();
  }

  /** All or nothing; see `PlanChanger`. */
  async changePlan(requests: readonly ChangeRequest[], signal: AbortSignal | undefined): Promise<void> {
    this.refuseWhenOver();
    await this.#parts.changer.change(requests, signal);
    this.#parts.events.finishIfAllHave();
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
    const loggers = withTargets(this.loggers, settings);
    if (loggers.length > maxLoggers)
      throw new BadRequest(
        'LOGGER_LIMIT',
        `The application would have ${loggers.length} levels of loggers, more than ${maxLoggers}: set one of a package (org.example.*), which takes the place of those in it`,
      );
    this.loggers = loggers;
    this.#parts.containers.tell({ type: 'loggers', loggers: [...this.loggers] });
  }

  /** Ends the application now; containers that still run are killed, after a success they end by themselves. */
  async end(
    state: 'FINISHED' | 'FAILED' | 'KILLED',
    finalStatus: 'SUCCEEDED' | 'FAILED' | 'KILLED',
    diagnostics: string,
    failure?: Failure,
  ): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    this.endReason = diagnostics || 'The application ended';
    this.#parts.changer.close();
    this.#parts.rollout.close();
    this.#parts.condition.ring();
    await this.#parts.containers.end(state === 'FINISHED' ? 'stop' : 'kill');
    this.log(`The application is ${state}. ${diagnostics}`.trim(), state === 'FAILED' ? 'ERROR' : 'INFO');
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

  /** These operators run, some for the first time. */
  #running(deployed: readonly PhysicalOperator[]): void {
    for (const entry of this.containers) if (entry.finishedTime < 0) entry.active = true;
    if (this.record.state === 'ACCEPTED') this.update({ state: 'RUNNING' });
    this.#deps.onChange(this, true);
    this.#deps.onDeployed(this, deployed);
  }
}
