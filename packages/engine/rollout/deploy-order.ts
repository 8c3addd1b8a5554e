import type { Layout } from '../layout/layout.js';
import { operatorPlansOf } from '../layout/operator-plans.js';
import type { Slot } from '../layout/physical-state.js';
import type { WindowClock } from '../model/windows.js';
import type { PhysicalOperator } from '../plan/physical.js';
import type { DeployOrder } from '../protocol/protocol.js';
import { checkpointAt } from '../recovery/recovery.js';

/** What all deployments of an application have in common. */
export interface DeploySettings {
  readonly clock: WindowClock;
  readonly settings: {
    readonly CHECKPOINT_WINDOW_COUNT: number;
    readonly SPIN_MILLIS: number;
  };
  /** What operators are told, under their own. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly queueBytes: number;
  readonly replayBytes: number;
}

/** Has the container of this slot set up its operators as they were after a window. */
export function deployOrderOf(
  slot: Slot,
  layout: Layout,
  { clock, settings, attributes, queueBytes, replayBytes }: DeploySettings,
  deployment: Pick<DeployOrder, 'epoch' | 'window' | 'draining'>,
): DeployOrder {
  return {
    type: 'deploy',
    ...deployment,
    clock,
    checkpointEvery: settings.CHECKPOINT_WINDOW_COUNT,
    spinMillis: settings.SPIN_MILLIS,
    operators: operatorPlansOf(slot.number, {
      plan: layout.physical,
      attributes,
      addressOf: (number) => layout.slot(number)?.address ?? '',
      stateOf: (operator) => stateAfter(deployment.window, layout, operator),
      queueBytes,
      replayBytes,
    }),
  };
}

function stateAfter(window: number, layout: Layout, operator: PhysicalOperator) {
  const state = layout.operator(operator.id);
  if (!state) return { file: undefined, finished: false, isFirst: true };
  const finished = state.finalWindow !== undefined && state.finalWindow <= window;
  const isFirst = window === state.since;
  return { file: state.checkpoints.get(checkpointAt(state, window)), finished, isFirst };
}
