import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Conflict, type Event, type Failure, type LoggerSetting, NotFound } from '../../../lib/index.js';
import { type Agent, type Exit, startContainer } from './agent.js';
import { type Commit, commitOf, stateKeys } from './checkpoint-ledger.js';
import { type DeployDeps, operatorPlansOf } from './deploy-order.js';
import type { EventHistory } from './event-history.js';
import { causeOf } from './exit-cause.js';
import { failureEvent, lastLog, recorded, replayLostEvent } from './failure-reports.js';
import { createFailureCounter, type FailureCounter } from './failures.js';
import { containerId } from './ids.js';
import { type LoggerTarget, withTargets } from './log-levels.js';
import type { LocalClusterSettings } from './options.js';
import type { ContainerEntry, OperatorState, Slot } from './physical-state.js';
import { type ApplicationSettings, settingsOf } from './plan/attributes.js';
import type { Plan } from './plan/logical.js';
import type { PhysicalPlan } from './plan/physical.js';
import type { FromContainer } from './protocol.js';
import type { ApplicationRecord, SavedState } from './record.js';
import { affectedBy, checkpointAt, commonWindow } from './recovery.js';
import { createSlots } from './slots.js';
import { OperatorStatistics } from './statistics.js';
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
  readonly events: EventHistory;
  readonly now: () => number;
  readonly publish: (topic: string, data: string) => boolean;
  /** The record changed. When it is kept now, resolves whether that succeeded; `urgent`: at once. */
  readonly onChange: (application: RunningApplication, urgent: boolean) => Promise<boolean> | undefined;
  /** Keeps the last record; the application is shown as ended when it is kept. Never rejects. */
  readonly onEnd: (application: RunningApplication, record: ApplicationRecord) => Promise<void>;
}

const keptContainers = 100;

/**
 * One running application: starts its containers, deploys operators into them, watches them, and rolls back what a
 * failure touches to the newest checkpoint that all of it has. It never blocks, and its containers can't hurt it.
 */
export class RunningApplication {
  record: ApplicationRecord;
  readonly plan: Plan;
  readonly physical: PhysicalPlan;
  readonly settings: ApplicationSettings;
  readonly clock: WindowClock;
  readonly slots: readonly Slot[];
  readonly operators: readonly OperatorState[];
  readonly events: EventHistory;
  readonly ended: Promise<void>;
  containers: ContainerEntry[] = [];
  failedContainers = 0;
  committed = -1;
  loggers: readonly LoggerTarget[] = [];
  readonly #deps: ApplicationDeps;
  readonly #failures: FailureCounter;
  readonly #keys: ReadonlyMap<string, string>;
  readonly #arrows: readonly (readonly [number, number])[];
  readonly #pending = new Set<Slot>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #obsolete: Commit['obsolete'][number][] = [];
  #endReason = '';
  #epoch = 0;
  #containerNumber = 1;
  #draining = false;
  #over = false;
  #deployTimer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #watchedAt = monotonicMillis();
  #resolveEnded: () => void = () => {};

  constructor(deps: ApplicationDeps) {
    this.#deps = deps;
    this.record = deps.record;
    this.plan = deps.plan;
    this.physical = deps.physical;
    this.events = deps.events;
    this.settings = settingsOf(deps.plan.attributes);
    this.clock = {
      epochMillis: deps.now(),
      monotonicMillis: monotonicMillis(),
      widthMillis: this.settings.STREAMING_WINDOW_SIZE_MILLIS,
    };
    this.#failures = createFailureCounter({
      max: this.settings.MAX_CONTAINER_FAILURES,
      periodMillis: this.settings.CONTAINER_FAILURE_PERIOD_MILLIS,
    });
    this.#keys = stateKeys(deps.physical);
    this.operators = deps.physical.operators.map((operator) => ({
      operator,
      statistics: new OperatorStatistics(this.settings.THROUGHPUT_CALCULATION_INTERVAL),
      checkpoints: new Map([[-1, deps.initial?.states[this.#keys.get(operator.id) ?? ''] ?? undefined]]),
      finalWindow: undefined,
      active: false,
      recoveryWindow: -1,
    }));
    this.slots = createSlots(deps.physical.slots, this.operators, {
      containerMemoryMB: deps.settings.containerMemoryMB,
      socketDirectory: deps.socketDirectory,
      appId: deps.record.id,
    });
    this.#arrows = deps.physical.connections.map(
      ({ source, sink }) => [source.operator.slot, sink.operator.slot] as const,
    );
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get isOver(): boolean {
    return this.#over;
  }

  start(): void {
    this.#watch = setInterval(
      () => this.#checkHeartbeats(),
      Math.min(1000, this.settings.HEARTBEAT_INTERVAL_MILLIS),
    );
    for (const { operator } of this.operators)
      this.event('CreateOperator', { operatorName: operator.name, operatorId: operator.id });
    this.#redeploy(
      this.slots.map(({ number }) => number),
      0,
    );
  }

  /** Inputs end, the rest drains. */
  shutdown(): void {
    this.#refuseWhenOver();
    this.#draining = true;
    for (const slot of this.slots) slot.agent?.send({ type: 'shutdown' });
  }

  kill(): void {
    this.#refuseWhenOver();
    this.end('KILLED', 'KILLED', 'Killed on request');
  }

  killContainer(id: string): void {
    const entry = this.containers.find((container) => container.id === id);
    if (id === containerId(this.record.id, 1))
      throw new Conflict(`The container ${id} is the application master; kill the application instead`);
    if (!entry) throw new NotFound('container', id);
    if (entry.finishedTime > 0) throw new Conflict(`The container ${id} has ended`);
    this.#killAgent(entry.slot, entry.agent, {
      code: 'KILLED_BY_USER',
      message: 'Killed on request',
      isFailure: false,
    });
  }

  setLoggers(settings: readonly LoggerSetting[]): void {
    this.#refuseWhenOver();
    this.loggers = withTargets(this.loggers, settings);
    for (const slot of this.slots) slot.agent?.send({ type: 'loggers', loggers: [...this.loggers] });
  }

  event(type: string, data: Readonly<Record<string, string>>): Event {
    const event = this.events.add(type, data, this.#deps.now());
    this.#deps.publish(`applications.${this.record.id}.events`, JSON.stringify(event));
    return event;
  }

  /** Ends the application now; containers that still run are killed. */
  end(
    state: 'FINISHED' | 'FAILED' | 'KILLED',
    finalStatus: 'SUCCEEDED' | 'FAILED' | 'KILLED',
    diagnostics: string,
    failure?: Failure,
  ): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#watch);
    clearTimeout(this.#deployTimer);
    for (const timer of this.#timers) clearTimeout(timer);
    const exits = this.slots.flatMap(({ agent }) => agent ?? []).map((agent) => this.#endAgent(agent, state));
    this.#endReason = diagnostics || 'The application ended';
    Promise.all(exits).then(async () => {
      for (const slot of this.slots) rmSync(slot.address, { force: true });
      await this.#deps.onEnd(this, {
        ...this.record,
        state,
        finalStatus,
        diagnostics,
        finishedTime: this.#deps.now(),
        ...(failure ? { failure: recorded(failure) } : {}),
      });
      this.#resolveEnded();
    });
  }

  #endAgent(agent: Agent, state: string): Promise<void> {
    if (state !== 'FINISHED') agent.kill();
    else {
      agent.send({ type: 'stop' });
      const timer = setTimeout(() => agent.kill(), this.#deps.settings.limits.stopMillis);
      agent.exited.then(() => clearTimeout(timer));
    }
    return agent.exited;
  }

  #refuseWhenOver(): void {
    if (this.#over) throw new Conflict(`The application ${this.record.id} has ended`);
  }

  /** Rolls these containers and all that read from them back to their common checkpoint. */
  #redeploy(numbers: readonly number[], delayMillis: number): void {
    const affected = affectedBy(
      [...numbers, ...[...this.#pending].map(({ number }) => number)],
      this.#arrows,
    );
    this.#epoch++;
    clearTimeout(this.#deployTimer);
    for (const slot of this.slots) {
      if (!affected.has(slot.number)) continue;
      this.#pending.add(slot);
      slot.deployed = false;
      for (const operator of slot.operators) operator.active = false;
      if (!slot.agent) this.#later(delayMillis, () => this.#startContainer(slot));
    }
    this.#deployWhenReady();
  }

  #later(millis: number, run: () => void): void {
    if (millis === 0) {
      run();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, millis);
    this.#timers.add(timer);
  }

  #startContainer(slot: Slot): void {
    if (slot.agent || this.#over) return;
    const id = containerId(this.record.id, ++this.#containerNumber);
    const { settings } = this.#deps;
    const logDirectory = join(this.#deps.directory, 'containers', id);
    const agent = startContainer({
      containerId: id,
      execPath: settings.execPath,
      execArgv: settings.execArgv,
      env: settings.env,
      memoryMB: slot.memoryMB,
      logDirectory,
      onMessage: (message) => this.#hear(slot, agent, message),
      onExit: (exit) => this.#containerEnded(slot, agent, exit),
    });
    slot.agent = agent;
    slot.ready = false;
    slot.killReason = undefined;
    slot.lastWords = undefined;
    slot.heardAt = monotonicMillis();
    this.containers.push({
      id,
      pid: agent.pid,
      memoryMB: slot.memoryMB,
      slot,
      agent,
      startedTime: this.#deps.now(),
      finishedTime: -1,
      lastHeartbeat: -1,
      active: false,
    });
    if (this.containers.length > keptContainers) {
      const oldest = this.containers.findIndex(({ finishedTime }) => finishedTime > 0);
      if (oldest >= 0) this.containers.splice(oldest, 1);
    }
    agent.send({
      type: 'init',
      applicationId: this.record.id,
      containerId: id,
      modules: settings.modules,
      access: settings.access,
      logDirectory,
      checkpointDirectory: join(this.#deps.directory, 'checkpoints'),
      address: slot.address,
      logFileBytes: settings.limits.logFileBytes,
      logFiles: settings.limits.logFiles,
      loggers: [...this.loggers],
      heartbeatMillis: this.settings.HEARTBEAT_INTERVAL_MILLIS,
      heapLimitMB: slot.memoryMB,
    });
    this.event('StartContainer', { containerId: id, containerNodeId: hostname() });
  }

  #hear(slot: Slot, agent: Agent, message: FromContainer): void {
    if (slot.agent !== agent) return;
    // The last figures come while the container stops.
    if (this.#over && message.type !== 'heartbeat') return;
    slot.heardAt = monotonicMillis();
    switch (message.type) {
      case 'ready':
        slot.ready = true;
        this.#deployWhenReady();
        return;
      case 'deployed':
        if (message.epoch === this.#epoch) this.#slotDeployed(slot);
        return;
      case 'heartbeat':
        this.#heartbeat(slot, agent, message);
        return;
      case 'checkpointed':
        this.#checkpointed(message);
        return;
      case 'failed':
        slot.lastWords = message;
        return;
      case 'pressure':
        this.#checkpointSoon();
        return;
      case 'replayLost':
        this.#replayLost(message);
        return;
      case 'publish':
        this.#deps.publish(message.topic, message.data);
    }
  }

  #deployWhenReady(): void {
    if (this.#over || this.#pending.size === 0) return;
    for (const slot of this.#pending) if (!slot.agent || !slot.ready) return;
    const pending = [...this.#pending];
    const operators = pending.flatMap((slot) => slot.operators);
    const window = commonWindow(operators);
    for (const state of operators) this.#rollBack(state, window);
    for (const slot of pending) {
      slot.deployed = false;
      slot.agent?.send({
        type: 'deploy',
        epoch: this.#epoch,
        window,
        clock: this.clock,
        checkpointEvery: this.settings.CHECKPOINT_WINDOW_COUNT,
        spinMillis: this.settings.SPIN_MILLIS,
        draining: this.#draining,
        operators: operatorPlansOf(slot.number, this.#deployDeps(window)),
      });
    }
    clearTimeout(this.#deployTimer);
    this.#deployTimer = setTimeout(() => this.#deployTimedOut(), this.settings.DEPLOY_TIMEOUT_MILLIS);
  }

  /** Later checkpoints belong to a course of events that is undone. */
  #rollBack(state: OperatorState, window: number): void {
    for (const later of [...state.checkpoints.keys()]) if (later > window) state.checkpoints.delete(later);
    if (state.finalWindow !== undefined && state.finalWindow > window) state.finalWindow = undefined;
    state.statistics.deployed(window);
  }

  #deployDeps(window: number): DeployDeps {
    const states = new Map(this.operators.map((state) => [state.operator.id, state]));
    return {
      plan: this.physical,
      attributes: { ...this.settings, ...this.plan.attributes, APPLICATION_NAME: this.record.name },
      addressOf: (slot) => this.slots[slot]?.address ?? '',
      stateOf: (operator) => {
        const state = states.get(operator.id);
        if (!state) return { file: undefined, finished: false };
        const finished = state.finalWindow !== undefined && state.finalWindow <= window;
        return { file: state.checkpoints.get(checkpointAt(state, window)), finished };
      },
      queueBytes: this.#deps.settings.limits.queueBytes,
      replayBytes: this.#deps.settings.limits.replayBytes,
    };
  }

  #deployTimedOut(): void {
    for (const slot of this.#pending) {
      if (slot.deployed || !slot.agent) continue;
      this.#killAgent(slot, slot.agent, {
        code: 'DEPLOY_TIMEOUT',
        message: `The operators were not set up within ${this.settings.DEPLOY_TIMEOUT_MILLIS} ms`,
        isFailure: true,
      });
    }
  }

  #slotDeployed(slot: Slot): void {
    slot.deployed = true;
    for (const waiting of this.#pending) if (!waiting.deployed) return;
    clearTimeout(this.#deployTimer);
    const started = [...this.#pending];
    this.#pending.clear();
    for (const { agent, operators } of started) {
      agent?.send({ type: 'start', epoch: this.#epoch });
      if (this.#draining) agent?.send({ type: 'shutdown' });
      for (const state of operators) {
        state.active = state.finalWindow === undefined;
        this.event('StartOperator', {
          operatorName: state.operator.name,
          operatorId: state.operator.id,
          containerId: agent?.containerId ?? '',
        });
      }
    }
    for (const entry of this.containers) if (entry.finishedTime < 0) entry.active = true;
    if (this.record.state === 'ACCEPTED') this.record = { ...this.record, state: 'RUNNING' };
    this.#deps.onChange(this, true);
  }

  #heartbeat(slot: Slot, agent: Agent, message: Extract<FromContainer, { type: 'heartbeat' }>): void {
    const now = this.#deps.now();
    agent.heartbeat = message;
    const entry = this.containers.find(({ id }) => id === agent.containerId);
    if (entry) entry.lastHeartbeat = now;
    if (message.epoch < 0 || this.#pending.has(slot)) return;
    const monotonic = monotonicMillis();
    for (const report of message.operators) {
      const state = slot.operators.find(({ operator }) => operator.id === report.id);
      state?.statistics.apply(report, monotonic, now);
    }
  }

  #checkpointed(message: Extract<FromContainer, { type: 'checkpointed' }>): void {
    const state = this.operators.find(({ operator }) => operator.id === message.operatorId);
    const slot = state && this.slots[state.operator.slot];
    // The initial states come while their container waits for the others.
    if (!state || !slot || message.epoch > this.#epoch) return;
    if (this.#pending.has(slot) && message.epoch !== this.#epoch) return;
    state.checkpoints.set(message.window, message.file);
    state.statistics.checkpointed(message.startedAt, message.millis);
    if (message.finished) {
      state.finalWindow = message.window;
      state.active = false;
    }
    this.#commit();
    if (this.operators.every(({ finalWindow }) => finalWindow !== undefined) && this.#pending.size === 0)
      this.end('FINISHED', 'SUCCEEDED', '');
  }

  /** Keeps the newest state that all have, and lets go of what is older. */
  #commit(): void {
    const commit = commitOf(this.operators, this.#keys, this.committed);
    if (!commit) return;
    this.committed = commit.saved.window;
    this.record = { ...this.record, saved: commit.saved };
    for (const slot of this.slots)
      slot.agent?.send({ type: 'committed', window: this.committed, remove: [] });
    this.#obsolete.push(...commit.obsolete);
    this.#removeWhenKept(this.#deps.onChange(this, false));
  }

  /** Files of older checkpoints go only when the record that no longer names them is durable. */
  #removeWhenKept(kept: Promise<boolean> | undefined): void {
    if (!kept) return;
    const files = this.#obsolete;
    this.#obsolete = [];
    kept.then((isKept) => {
      if (!isKept) return;
      for (const slot of this.slots) {
        const remove = files.flatMap(([number, file]) => (number === slot.number ? [file] : []));
        if (remove.length > 0) slot.agent?.send({ type: 'committed', window: this.committed, remove });
      }
    });
  }

  /** A replay buffer fills up: a checkpoint that all can still reach lets it go. */
  #checkpointSoon(): void {
    const newest = Math.floor((monotonicMillis() - this.clock.monotonicMillis) / this.clock.widthMillis);
    const window = Math.max(newest, ...this.operators.map(({ statistics }) => statistics.window)) + 2;
    for (const slot of this.slots) slot.agent?.send({ type: 'checkpointAt', window });
  }

  #replayLost(message: Extract<FromContainer, { type: 'replayLost' }>): void {
    const operator = this.operators.find(({ operator }) => operator.id === message.operatorId)?.operator;
    const container = this.slots[operator?.slot ?? -1]?.agent?.containerId ?? '';
    const { type, data } = replayLostEvent(message, operator?.name ?? '', container);
    this.event(type, data);
  }

  #checkHeartbeats(): void {
    const now = monotonicMillis();
    const late = now - this.#watchedAt > 5000;
    this.#watchedAt = now;
    for (const slot of this.slots) {
      // The host itself was held up: everybody gets a fresh start.
      if (late) slot.heardAt = now;
      const silent = now - slot.heardAt;
      if (!slot.agent || slot.killReason || silent < this.settings.HEARTBEAT_TIMEOUT_MILLIS) continue;
      this.#killAgent(slot, slot.agent, {
        code: 'HEARTBEAT_TIMEOUT',
        message: `No heartbeat for ${Math.round(silent)} ms: an operator does not return, or the machine is overloaded`,
        isFailure: true,
      });
    }
  }

  #killAgent(slot: Slot, agent: Agent, reason: NonNullable<Slot['killReason']>): void {
    slot.killReason ??= reason;
    agent.kill();
  }

  #containerEnded(slot: Slot, agent: Agent, exit: Exit): void {
    const now = this.#deps.now();
    const entry = this.containers.find(({ id }) => id === agent.containerId);
    if (entry) {
      entry.finishedTime = now;
      entry.active = false;
    }
    if (slot.agent !== agent) return;
    slot.agent = undefined;
    slot.ready = false;
    const cause = causeOf({ slot, exit, at: now, containerId: agent.containerId });
    this.event('StopContainer', {
      containerId: agent.containerId,
      exitStatus: exit.signal ?? String(exit.code),
      reason: this.#over ? this.#endReason : cause.failure.message,
    });
    if (this.#over) return;
    for (const { operator, statistics } of slot.operators) {
      statistics.failureCount++;
      this.event('StopOperator', {
        operatorName: operator.name,
        operatorId: operator.id,
        containerId: agent.containerId,
      });
    }
    if (!cause.isFailure) {
      this.#redeploy([slot.number], 0);
      return;
    }
    this.failedContainers++;
    this.#recover(slot, cause.failure, cause.logFileOffset);
  }

  #recover(slot: Slot, failure: Failure, logFileOffset: string | undefined): void {
    const { type, data } = failureEvent(failure, logFileOffset);
    this.event(type, data);
    const verdict = this.#failures.add(failure, monotonicMillis());
    if (verdict.kind === 'retry') {
      this.#redeploy([slot.number], verdict.delayMillis);
      return;
    }
    const place = verdict.cause.operatorName ? ` in ${verdict.cause.operatorName}` : '';
    const diagnostics = `${verdict.count} container failures within ${this.settings.CONTAINER_FAILURE_PERIOD_MILLIS} ms; the first${place}: ${verdict.cause.message}`;
    lastLog(this.#deps.directory, verdict.cause.containerId ?? '').then((log) =>
      this.end('FAILED', 'FAILED', diagnostics, { ...verdict.cause, log }),
    );
  }
}
