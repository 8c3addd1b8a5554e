import { z } from 'zod';
import { Conflict, TimedOut } from '../../../lib/index.js';
import type { Agent } from './agent.js';
import type { Bell } from './bell.js';
import type { Layout } from './layout.js';
import type { OperatorState, Slot } from './physical-state.js';
import { Heartbeat } from './protocol.js';

export interface BarrierDeps {
  readonly layout: Layout;
  /** Rings when a checkpoint was reported. */
  readonly bell: Bell;
  /** Throws when it makes no sense any more to wait. */
  readonly check: () => void;
  /** The window that is reached is not earlier than this one. */
  readonly notBefore: number;
  readonly apply: (slot: Slot, figures: Heartbeat) => void;
}

/**
 * Brings all operators of a running application to the end of one window, where their states are kept, their figures
 * are known, and nothing of a later window is on its way to anybody. Resolves that window; inputs wait behind it until
 * they are told to go on, also when this rejects.
 */
export async function reachBarrier(deps: BarrierDeps, signal: AbortSignal): Promise<number> {
  const { layout, bell, check } = deps;
  const places = layout.slots.flatMap((slot) => (slot.agent ? [{ slot, agent: slot.agent }] : []));
  const askAll = <T>(ask: (agent: Agent) => Promise<T>) => Promise.all(places.map(({ agent }) => ask(agent)));

  const begun = await askAll((agent) => agent.ask({ what: 'hold' }, signal));
  const window = Math.max(...z.array(z.number()).parse(begun), deps.notBefore - 1) + 1;
  // Everybody has to know of the checkpoint before anybody's tuples of that window can arrive.
  await askAll((agent) => agent.ask({ what: 'checkpointAt', window }, signal));
  for (const { agent } of places) agent.send({ type: 'holdAfter', window });

  const hasEnded = ({ finalWindow }: OperatorState) => finalWindow !== undefined;
  const isThere = (state: OperatorState) => {
    if (hasEnded(state)) return true;
    const sources = layout.sourcesOf(state.operator.id);
    // When all that it reads has ended for good, so will this one: it must not do so behind the barrier.
    return state.checkpoints.has(window) && !(sources.length > 0 && sources.every(hasEnded));
  };
  const arrived = () => {
    check();
    return layout.operators.every(isThere);
  };
  try {
    await bell.until(arrived, signal);
  } catch (error) {
    if (!(error instanceof TimedOut)) throw error;
    const late = layout.operators.filter((state) => !isThere(state)).map(({ operator }) => operator.name);
    throw new TimedOut(`What has to end a window before the plan can change (${late.join(', ')})`);
  }
  if (layout.operators.some(({ finalWindow = -1 }) => finalWindow > window))
    throw new Conflict('An input ended while the plan was about to change; nothing was changed, try again');
  // What the next deployment counts begins from nothing: the last of this one must not be missing from the totals.
  await Promise.all(
    places.map(async ({ slot, agent }) =>
      deps.apply(slot, Heartbeat.parse(await agent.ask({ what: 'figures' }, signal))),
    ),
  );
  return window;
}
