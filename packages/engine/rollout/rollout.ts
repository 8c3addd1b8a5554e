import type { Slot } from '../layout/physical-state.js';
import type { StartQueue } from '../processes/start-queue.js';
import { affectedBy } from '../recovery/recovery.js';
import { createDelays } from './delays.js';
import { createRound, type RoundDeps } from './round.js';

export interface RolloutDeps extends Omit<RoundDeps, 'isDraining'> {
  readonly starts: StartQueue;
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
  const { holder, starts } = deps;
  const delays = createDelays();
  let isDraining = false;
  const round = createRound({ ...deps, isDraining: () => isDraining });

  const start = (slot: Slot) => void starts.add(slot, () => holder.layout.slots.includes(slot));

  return {
    get isDone() {
      return round.slots.size === 0;
    },
    get isDraining() {
      return isDraining;
    },
    isWaitingFor: (slot) => round.slots.has(slot),
    // The initial states come while their container waits for the others.
    isValid: (slot, of) => of === round.epoch || (of < round.epoch && !round.slots.has(slot)),
    redeploy(numbers, delayMillis) {
      const { physical, slots } = holder.layout;
      round.keepOnly(slots);
      const arrows = physical.connections.map(
        ({ source, sink }) => [source.operator.slot, sink.operator.slot] as const,
      );
      const waiting = [...round.slots].map(({ number }) => number);
      const affected = affectedBy([...numbers, ...waiting], arrows);
      const anew = slots.filter(({ number }) => affected.has(number));
      round.begin(anew);
      for (const slot of anew) if (!slot.agent) delays.after(delayMillis, () => start(slot));
      round.deployWhenReady();
    },
    ready(slot) {
      slot.ready = true;
      round.deployWhenReady();
    },
    deployed: round.deployed,
    drain() {
      isDraining = true;
      for (const { agent } of holder.layout.slots) agent?.send({ type: 'shutdown' });
    },
    close() {
      round.close();
      delays.close();
      starts.clear();
    },
  };
}
