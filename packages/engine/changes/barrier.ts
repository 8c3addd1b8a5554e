import { Conflict, TimedOut } from 'headgate/driver-kit';
import * as z from 'zod';
import type { Layout } from '../layout/layout.js';
import type { OperatorState, Slot } from '../layout/physical-state.js';
import { Heartbeat, type Question } from '../protocol/protocol.js';
import type { Latch } from './latch.js';

interface BarrierDeps {
  readonly layout: Layout;
  /** Notified when a checkpoint was reported. */
  readonly latch: Latch;
  /** Throws when it makes no sense any more to wait. */
  readonly check: () => void;
  /** The window that is reached is not earlier than this one. */
  readonly notBefore: number;
  readonly apply: (slot: Slot, metrics: Heartbeat) => void;
}

/**
 * Brings all operators of a running application to the end of one window, where their states are kept, their metrics
 * are known, and nothing of a later window is on its way to anybody. Resolves that window; inputs wait behind it until
 * they are told to go on, also when this rejects.
 */
export async function reachBarrier(deps: BarrierDeps, signal: AbortSignal): Promise<number> {
  const { layout, latch, check } = deps;
  const places = layout.slots.flatMap((slot) => (slot.agent ? [{ slot, agent: slot.agent }] : []));
  /** Who is waited for. */
  let isThere: (state: OperatorState) => boolean = () => false;

  async function askAll<T>(question: Question, hear: (slot: Slot, answer: unknown) => T): Promise<T[]> {
    const silent = new Set(layout.slots.map(({ number }) => number));
    isThere = ({ operator }) => !silent.has(operator.slot);
    return Promise.all(
      places.map(async ({ slot, agent }) => {
        const answer = await agent.ask(question, signal);
        silent.delete(slot.number);
        return hear(slot, answer);
      }),
    );
  }

  async function go(): Promise<number> {
    const begun = await askAll({ what: 'hold' }, (_slot, answer) => z.number().parse(answer));
    const window = Math.max(...begun, deps.notBefore - 1) + 1;
    // Everybody has to know of the checkpoint before anybody's tuples of that window can arrive.
    await askAll({ what: 'checkpointAt', window }, () => {});
    for (const { agent } of places) agent.send({ type: 'holdAfter', window });
    isThere = (state) => hasKept(layout, state, window);
    await latch.until(() => {
      check();
      return layout.operators.every(isThere);
    }, signal);
    if (layout.operators.some(({ finalWindow = -1 }) => finalWindow > window))
      throw new Conflict(
        'PLAN_CHANGE_INTERRUPTED',
        'An input ended while the plan was about to change; the plan is as it was, try again',
      );
    // What the next deployment counts begins from nothing: the last of this one must not be missing from the totals.
    await askAll({ what: 'metrics' }, (slot, answer) => deps.apply(slot, Heartbeat.parse(answer)));
    return window;
  }

  try {
    return await go();
  } catch (error) {
    if (!(error instanceof TimedOut)) throw error;
    const late = layout.operators.filter((state) => !isThere(state)).map(({ operator }) => operator.name);
    throw new TimedOut(`What has to end a window before the plan can change (${late.join(', ')})`);
  }
}

const hasEnded = ({ finalWindow }: OperatorState): boolean => finalWindow !== undefined;

/** When all that it reads has ended for good, so will this one: it must not do so behind the barrier. */
function hasKept(layout: Layout, state: OperatorState, window: number): boolean {
  if (hasEnded(state)) return true;
  const sources = layout.sourcesOf(state.operator.id);
  return state.checkpoints.has(window) && !(sources.length > 0 && sources.every(hasEnded));
}
