import type { ConditionResult } from './conditions/condition.js';

// The transitions of an alert: `docs/decisions.md`, States of an alert.

export type AlertState =
  | { readonly is: 'disabled' }
  /** `trueSince`: monotonic milliseconds of the first of the evaluations in a row that were true. */
  | { readonly is: 'inactive'; readonly trueSince?: number }
  /** `inTime`: epoch milliseconds. */
  | { readonly is: 'active'; readonly inTime: number };

export type AlertEvent =
  | { readonly is: 'evaluated'; readonly holds: boolean; readonly thresholdMillis: number }
  /** The condition threw, was stopped, or has no data. */
  | { readonly is: 'failed' }
  /** Created or replaced. */
  | { readonly is: 'saved'; readonly disabled: boolean }
  | { readonly is: 'deleted' };

export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly monotonic: number;
}

export interface AlertStep {
  /** `undefined`: there is none any more. */
  readonly state: AlertState | undefined;
  /** What the recipients are told. */
  readonly change?: 'triggered' | 'cleared' | 'disabled';
  /** An activation that is over now goes into the history with this `inTime`. */
  readonly ended?: number;
}

/** `state` is `undefined` for an alert that is saved first. */
export function nextState(state: AlertState | undefined, event: AlertEvent, moment: Moment): AlertStep {
  const ended = state?.is === 'active' ? { ended: state.inTime } : {};
  switch (event.is) {
    case 'deleted':
      return { state: undefined, ...ended };
    case 'saved':
      if (!event.disabled) return { state: { is: 'inactive' }, ...ended };
      if (state?.is === 'disabled') return { state };
      return { state: { is: 'disabled' }, change: 'disabled', ...ended };
    case 'failed':
      // The state stays; what had held for a while has to begin anew.
      return { state: state?.is === 'inactive' ? { is: 'inactive' } : state };
    case 'evaluated':
      if (state?.is === 'active') {
        return event.holds ? { state } : { state: { is: 'inactive' }, change: 'cleared', ...ended };
      }
      return state?.is === 'inactive' ? whileInactive(state.trueSince, event, moment) : { state };
  }
}

function whileInactive(
  since: number | undefined,
  { holds, thresholdMillis }: { readonly holds: boolean; readonly thresholdMillis: number },
  { now, monotonic }: Moment,
): AlertStep {
  if (!holds) return { state: { is: 'inactive' } };
  const trueSince = since ?? monotonic;
  return monotonic - trueSince >= thresholdMillis
    ? { state: { is: 'active', inTime: now }, change: 'triggered' }
    : { state: { is: 'inactive', trueSince } };
}

/** Whether `step` would leave everything as it is, whenever that is what comes of the condition. */
export const isSettled = (state: AlertState, result: AlertEvent | ConditionResult): boolean =>
  result.is === 'evaluated' &&
  (state.is === 'active'
    ? result.holds
    : state.is === 'inactive' && state.trueSince === undefined && !result.holds);

/** The result of the next evaluation that would change the state; `undefined`: none. */
export function decisive(
  state: AlertState,
  thresholdMillis: number,
  { monotonic }: Moment,
): boolean | undefined {
  if (state.is === 'active') return false;
  if (state.is === 'disabled') return undefined;
  const held = state.trueSince === undefined ? 0 : monotonic - state.trueSince;
  return held >= thresholdMillis ? true : undefined;
}
