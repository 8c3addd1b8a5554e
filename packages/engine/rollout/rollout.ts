import type { ApplicationSettings } from '../plan/attributes.js';
import type { StartQueue } from '../processes/start-queue.js';
import { affectedBy, commonWindow } from '../recovery/recovery.js';
import { type DeploySettings, deployOrderOf } from './deploy-order.js';
import type { LayoutHolder } from './layout.js';
import type { OperatorState, Slot } from './physical-state.js';

interface RolloutDeps extends DeploySettings {
  readonly holder: LayoutHolder;
  readonly settings: ApplicationSettings;
  readonly starts: StartQueue;
  readonly killContainer: (slot: Slot, reason: NonNullable<Slot['killReason']>) => void;
  /** The operators of these run. */
  readonly onStarted: (slots: readonly Slot[]) => void;
}

/**
 * Brings operators into containers: waits until all that are affected are there, rolls them back to their common
 * checkpoint, sets them up, and starts them together.
 */
export interface Rollout {
  /** Nobody is waited for. */
  readonly isDone: boolean;
  readonly isDraining: boolean;
  isWaitingFor(slot: Slot): boolean;
  /** Whether a checkpoint of that deployment counts: a later one may have undone it. */
  isValid(slot: Slot, epoch: number): boolean;
  /** These containers and all that read from them; those that another layout had are not waited for any more. */
  redeploy(slots: readonly number[], delayMillis: number): void;
  ready(slot: Slot): void;
  deployed(slot: Slot, epoch: number): void;
  /** Inputs end, also those that are deployed later. */
  drain(): void;
  close(): void;
}

export function createRollout(deps: RolloutDeps): Rollout {
  const { holder, settings, starts } = deps;
  const pending = new Set<Slot>();
  const timers = new Set<NodeJS.Timeout>();
  let deadline: NodeJS.Timeout | undefined;
  let epoch = 0;
  let isDraining = false;

  function redeploy(numbers: readonly number[], delayMillis: number): void {
    const { physical, slots, operatorsOn } = holder.layout;
    for (const slot of pending) if (!slots.includes(slot)) pending.delete(slot);
    const arrows = physical.connections.map(
      ({ source, sink }) => [source.operator.slot, sink.operator.slot] as const,
    );
    const affected = affectedBy([...numbers, ...[...pending].map(({ number }) => number)], arrows);
    epoch++;
    clearTimeout(deadline);
    for (const slot of slots) {
      if (!affected.has(slot.number)) continue;
      pending.add(slot);
      slot.deployed = false;
      for (const operator of operatorsOn(slot)) operator.active = false;
      if (!slot.agent) later(delayMillis, () => start(slot));
    }
    deployWhenReady();
  }

  const start = (slot: Slot) => void starts.add(slot, () => holder.layout.slots.includes(slot));

  function later(millis: number, run: () => void): void {
    if (millis === 0) {
      run();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, millis);
    timers.add(timer);
  }

  function deployWhenReady(): void {
    if (pending.size === 0) return;
    for (const slot of pending) if (!slot.agent || !slot.ready) return;
    const { layout } = holder;
    const affected = [...pending].flatMap((slot) => layout.operatorsOn(slot));
    const window = commonWindow(affected);
    for (const state of affected) rollBack(state, window);
    for (const slot of pending) {
      slot.deployed = false;
      const order = deployOrderOf(slot, layout, deps, { epoch, window, draining: isDraining });
      slot.agent?.send(order);
    }
    clearTimeout(deadline);
    deadline = setTimeout(timedOut, settings.DEPLOY_TIMEOUT_MILLIS);
  }

  function timedOut(): void {
    for (const slot of pending) {
      if (slot.deployed || !slot.agent) continue;
      deps.killContainer(slot, {
        code: 'DEPLOY_TIMEOUT',
        message: `The operators were not set up within ${settings.DEPLOY_TIMEOUT_MILLIS} ms`,
        isFailure: true,
      });
    }
  }

  function startTogether(): void {
    for (const waiting of pending) if (!waiting.deployed) return;
    clearTimeout(deadline);
    const started = [...pending];
    pending.clear();
    for (const slot of started) {
      slot.agent?.send({ type: 'start', epoch });
      if (isDraining) slot.agent?.send({ type: 'shutdown' });
      for (const state of holder.layout.operatorsOn(slot)) state.active = state.finalWindow === undefined;
    }
    deps.onStarted(started);
  }

  return {
    get isDone() {
      return pending.size === 0;
    },
    get isDraining() {
      return isDraining;
    },
    isWaitingFor: (slot) => pending.has(slot),
    // The initial states come while their container waits for the others.
    isValid: (slot, of) => of === epoch || (of < epoch && !pending.has(slot)),
    redeploy,
    ready(slot) {
      slot.ready = true;
      deployWhenReady();
    },
    deployed(slot, of) {
      // One that has failed says so before, and ends.
      if (of !== epoch || slot.exitReport) return;
      slot.deployed = true;
      startTogether();
    },
    drain() {
      isDraining = true;
      for (const { agent } of holder.layout.slots) agent?.send({ type: 'shutdown' });
    },
    close() {
      clearTimeout(deadline);
      for (const timer of timers) clearTimeout(timer);
      starts.clear();
    },
  };
}

/** Later checkpoints belong to a course of events that is undone. */
function rollBack(state: OperatorState, window: number): void {
  for (const later of [...state.checkpoints.keys()]) if (later > window) state.checkpoints.delete(later);
  if (state.finalWindow !== undefined && state.finalWindow > window) state.finalWindow = undefined;
  state.statistics.deployed(window);
}
