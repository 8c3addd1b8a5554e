import { Conflict } from '../../../model/errors.js';
import type { ServiceState } from '../schema.js';

// `docs/decisions.md`, States of a service, as a table: from which state what happens leads where, and what has to
// be done then.

interface Phase {
  readonly state: ServiceState;
  /** The gateway keeps it running. */
  readonly enabled: boolean;
}

/** What users ask for, and what turns out. `failed`: the work that the state stands for could not be done. */
export type Trigger =
  | 'start'
  | 'stop'
  | 'delete'
  | 'installed'
  | 'healthy'
  | 'failed'
  | 'ended'
  | 'retry'
  | 'stopped'
  | 'removed';

/** What has to be done next; work that is under way is given up for it. */
export type Effect = 'install' | 'start' | 'stop' | 'remove' | 'retryLater';

interface Step {
  /** `undefined`: it is gone. */
  readonly next: Phase | undefined;
  readonly effect?: Effect;
}

export const installing = (enabled: boolean): Phase => ({ state: 'INSTALLING', enabled });

/** Nothing changes. */
const same = (phase: Phase): Step => ({ next: phase });
const to = (state: ServiceState, enabled: boolean, effect?: Effect): Step => ({
  next: { state, enabled },
  ...(effect === undefined ? {} : { effect }),
});

/** Throws `Conflict` for what can't be asked of a service that is being removed. */
export function transition(phase: Phase, trigger: Trigger): Step {
  const { state, enabled } = phase;
  switch (trigger) {
    case 'start':
      if (state === 'REMOVING') throw beingRemoved();
      if (state === 'STOPPED' || state === 'FAILED') return to('STARTING', true, 'start');
      // What is under way is finished first.
      return to(state, true);

    case 'stop':
      if (state === 'REMOVING') throw beingRemoved();
      if (state === 'STOPPED') return same(phase);
      if (state === 'INSTALLING' || state === 'STOPPING') return to(state, false);
      return to('STOPPING', false, 'stop');

    case 'delete':
      return state === 'REMOVING' ? same(phase) : to('REMOVING', false, 'remove');

    case 'installed':
      if (state !== 'INSTALLING') return same(phase);
      return enabled ? to('STARTING', true, 'start') : to('STOPPED', false);

    case 'healthy':
      return state === 'STARTING' ? to('RUNNING', enabled) : same(phase);

    case 'failed':
      if (state === 'INSTALLING' || state === 'STARTING')
        return to('FAILED', enabled, enabled ? 'retryLater' : undefined);
      // It may still be there: that is not given up.
      if (state === 'STOPPING' || state === 'REMOVING') return to(state, enabled, 'retryLater');
      return same(phase);

    case 'ended':
      if (state !== 'RUNNING' && state !== 'STARTING') return same(phase);
      return to('FAILED', enabled, enabled ? 'retryLater' : undefined);

    case 'retry':
      if (state === 'FAILED' && enabled) return to('STARTING', true, 'start');
      if (state === 'STOPPING') return to('STOPPING', enabled, 'stop');
      if (state === 'REMOVING') return to('REMOVING', false, 'remove');
      return same(phase);

    case 'stopped':
      if (state !== 'STOPPING') return same(phase);
      // Somebody asked for a start meanwhile.
      return enabled ? to('STARTING', true, 'start') : to('STOPPED', false);

    case 'removed':
      return state === 'REMOVING' ? { next: undefined } : same(phase);
  }
}

/** What a service goes on with after a restart of the gateway; whether one that ran still does is seen when it is looked at. */
export function resumed({ state, enabled }: Phase): Effect | undefined {
  switch (state) {
    case 'INSTALLING':
      return 'install';
    case 'STARTING':
      return 'start';
    case 'STOPPING':
      return 'stop';
    case 'REMOVING':
      return 'remove';
    case 'FAILED':
      return enabled ? 'retryLater' : undefined;
    case 'RUNNING':
    case 'STOPPED':
      return undefined;
  }
}

const beingRemoved = () => new Conflict('SERVICE_BEING_REMOVED', 'The service is being removed');
