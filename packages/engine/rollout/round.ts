import type { LayoutHolder } from '../layout/layout.js';
import type { OperatorState, Slot } from '../layout/physical-state.js';
import type { ApplicationSettings } from '../plan/attributes.js';
import { commonWindow } from '../recovery/recovery.js';
import { type DeploySettings, deployOrderOf } from './deploy-order.js';

export interface RoundDeps extends DeploySettings {
  readonly holder: LayoutHolder;
  readonly settings: ApplicationSettings;
  readonly killContainer: (slot: Slot, reason: NonNullable<Slot['killReason']>) => void;
  /** The operators of these run. */
  readonly onStarted: (slots: readonly Slot[]) => void;
  /** Whether inputs are to end as soon as they begin. */
  readonly isDraining: () => boolean;
}

/** The containers that are waited for: their operators are set up together, and start together. */
interface Round {
  readonly slots: ReadonlySet<Slot>;
  /** Of the deployment that counts. */
  readonly epoch: number;
  /** Others are not waited for any more. */
  keepOnly(slots: readonly Slot[]): void;
  /** A new deployment, of these as well. */
  begin(slots: readonly Slot[]): void;
  /** Once all containers are there. */
  deployWhenReady(): void;
  deployed(slot: Slot, epoch: number): void;
  close(): void;
}

export function createRound(deps: RoundDeps): Round {
  const { holder, settings } = deps;
  const pending = new Set<Slot>();
  let deadline: NodeJS.Timeout | undefined;
  let epoch = 0;

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
      if (deps.isDraining()) slot.agent?.send({ type: 'shutdown' });
      for (const state of holder.layout.operatorsOn(slot)) state.active = state.finalWindow === undefined;
    }
    deps.onStarted(started);
  }

  return {
    slots: pending,
    get epoch() {
      return epoch;
    },
    keepOnly(slots) {
      for (const slot of pending) if (!slots.includes(slot)) pending.delete(slot);
    },
    begin(slots) {
      epoch++;
      clearTimeout(deadline);
      for (const slot of slots) {
        pending.add(slot);
        slot.deployed = false;
        for (const operator of holder.layout.operatorsOn(slot)) operator.active = false;
      }
    },
    deployWhenReady() {
      if (pending.size === 0) return;
      for (const slot of pending) if (!slot.agent || !slot.ready) return;
      const { layout } = holder;
      const affected = [...pending].flatMap((slot) => layout.operatorsOn(slot));
      const window = commonWindow(affected);
      for (const state of affected) rollBack(state, window);
      const deployment = { epoch, window, draining: deps.isDraining() };
      for (const slot of pending) {
        slot.deployed = false;
        slot.agent?.send(deployOrderOf(slot, layout, deps, deployment));
      }
      clearTimeout(deadline);
      deadline = setTimeout(timedOut, settings.DEPLOY_TIMEOUT_MILLIS);
    },
    deployed(slot, of) {
      // One that has failed says so before, and ends.
      if (of !== epoch || slot.exitReport) return;
      slot.deployed = true;
      startTogether();
    },
    close: () => clearTimeout(deadline),
  };
}

/** Later checkpoints belong to a course of events that is undone. */
function rollBack(state: OperatorState, window: number): void {
  for (const later of [...state.checkpoints.keys()]) if (later > window) state.checkpoints.delete(later);
  if (state.finalWindow !== undefined && state.finalWindow > window) state.finalWindow = undefined;
  state.statistics.deployed(window);
}
