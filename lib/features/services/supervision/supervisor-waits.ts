import { ContainerFailed } from '../../../model/errors.js';
import { withTimeout } from '../../../runtime/with-timeout.js';
import type { Supervisor } from './supervisor.js';

/** Waits for what a service comes to, for as long as one may take to get ready. */
export interface SupervisorWaits {
  /** Starts it if need be. Rejects with `ContainerFailed` when it does not come up, with `TimedOut` when that takes too long. */
  bringUp(supervisor: Supervisor, signal: AbortSignal): Promise<void>;
  /** Until nothing is under way. Rejects with `TimedOut`. */
  settled(supervisor: Supervisor, signal: AbortSignal): Promise<void>;
  /** Until one that is being removed is gone. Rejects with `TimedOut`. */
  gone(supervisor: Supervisor, signal: AbortSignal): Promise<void>;
}

export function createSupervisorWaits(readyMillis: number): SupervisorWaits {
  const waitFor = (supervisor: Supervisor, fits: (supervisor: Supervisor) => boolean, outer: AbortSignal) =>
    withTimeout(readyMillis, `The service ${supervisor.name}`, outer, (signal) =>
      supervisor.until(fits, signal),
    );
  const settled = (supervisor: Supervisor, signal: AbortSignal) =>
    waitFor(supervisor, ({ isAtRest }) => isAtRest, signal);

  return {
    async bringUp(supervisor, signal) {
      if (supervisor.stored.state !== 'RUNNING') await supervisor.send('start');
      await settled(supervisor, signal);
      if (supervisor.stored.state === 'RUNNING' && !supervisor.isGone) return;
      throw new ContainerFailed(
        `The service ${supervisor.name} did not come up: ${supervisor.detail ?? `it is ${supervisor.stored.state}`}`,
      );
    },
    settled,
    gone: (supervisor, signal) => waitFor(supervisor, ({ isGone }) => isGone, signal),
  };
}
