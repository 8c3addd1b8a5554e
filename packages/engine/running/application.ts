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
export class RunningApplication {
  readonly state: ApplicationState;
  readonly ended: Promise<void>;
  readonly #deps: ApplicationDeps;
  readonly #parts: Parts;
  #resolveEnded: () => void = () => {};

  constructor(deps: ApplicationDeps) {
    this.state = new ApplicationState(deps, (settings) => firstLayout(deps, settings));
    this.#deps = deps;
    this.#parts = createParts(this.state, deps, {
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
    return [...new Set([...this.state.slots, ...this.#parts.changer.arriving, ...coming])];
  }

  get failedContainers(): number {
    return this.#parts.failures.count;
  }

  start(): void {
    const { record, operators, slots } = this.state;
    this.state.log(
      `${JSON.stringify(record.name)} was launched by ${record.user}: ${operators.length} operators in ${slots.length} containers`,
    );
    this.#parts.containers.watch();
    for (const { operator } of operators)
      this.state.event('CreateOperator', { operatorName: operator.name, operatorId: operator.id });
    this.#parts.rollout.redeploy(
      slots.map(({ number }) => number),
      0,
    );
  }

  /** Inputs end, the rest drains. */
  shutdown(): void {
    this.state.refuseWhenOver();
    if (this.state.stoppingSince === undefined) {
      this.state.stoppingSince = this.#deps.now();
      this.state.event('ShutdownApplication', { reason: 'Requested' });
    }
    this.#parts.rollout.drain();
    this.#parts.latch.notify();
  }

  /** All or nothing; see `PlanChanger`. */
  async changePlan(requests: readonly ChangeRequest[], signal: AbortSignal | undefined): Promise<void> {
    this.state.refuseWhenOver();
    await this.#parts.changer.change(requests, signal);
    this.#parts.events.finishIfAllHave();
  }

  kill(): void {
    this.state.refuseWhenOver();
    this.end('KILLED', 'KILLED', 'Killed on request');
  }

  killContainer(id: string): void {
    this.#parts.containers.killOnRequest(id);
  }

  setLoggers(settings: readonly LoggerSetting[]): void {
    this.state.refuseWhenOver();
    const loggers = withTargets(this.state.loggers, settings);
    if (loggers.length > maxLoggers)
      throw new BadRequest(
        'LOGGER_LIMIT',
        `The application would have ${loggers.length} levels of loggers, more than ${maxLoggers}: set one of a package (org.example.*), which takes the place of those in it`,
      );
    this.state.loggers = loggers;
    this.#parts.containers.tell({ type: 'loggers', loggers: [...loggers] });
  }

  /** Ends the application now; containers that still run are killed, after a success they end by themselves. */
  async end(
    state: 'FINISHED' | 'FAILED' | 'KILLED',
    finalStatus: 'SUCCEEDED' | 'FAILED' | 'KILLED',
    diagnostics: string,
    failure?: Failure,
  ): Promise<void> {
    if (this.state.isOver) return;
    this.state.isOver = true;
    this.state.endReason = diagnostics || 'The application ended';
    this.#parts.changer.close();
    this.#parts.rollout.close();
    this.#parts.latch.notify();
    await this.#parts.containers.end(state === 'FINISHED' ? 'stop' : 'kill');
    this.state.log(
      `The application is ${state}. ${diagnostics}`.trim(),
      state === 'FAILED' ? 'ERROR' : 'INFO',
    );
    await this.#deps.onEnd(this, {
      ...this.state.record,
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
    if (this.state.record.state === 'ACCEPTED') this.state.update({ state: 'RUNNING' });
    this.#deps.onChange(this, true);
    this.#deps.onDeployed(this, deployed);
  }
}
