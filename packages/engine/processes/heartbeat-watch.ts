import type { Slot } from '../layout/physical-state.js';
import { monotonicMillis } from '../model/windows.js';
import type { ApplicationSettings } from '../plan/attributes.js';

/** A look that comes later than this tells that the host itself was held up. */
const heldUpMillis = 5000;

interface HeartbeatWatchDeps {
  readonly attributes: ApplicationSettings;
  /** Those with a process. */
  readonly occupied: ReadonlySet<Slot>;
  readonly kill: (slot: Slot, reason: NonNullable<Slot['killReason']>) => void;
}

/** Kills containers that are silent for too long. */
interface HeartbeatWatch {
  start(): void;
  stop(): void;
}

export function createHeartbeatWatch({ attributes, occupied, kill }: HeartbeatWatchDeps): HeartbeatWatch {
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = monotonicMillis();

  function look(): void {
    const now = monotonicMillis();
    const isLate = now - lookedAt > heldUpMillis;
    lookedAt = now;
    for (const slot of occupied) {
      // Everybody gets a fresh start.
      if (isLate) slot.heardAt = now;
      const silent = now - slot.heardAt;
      if (!slot.agent || slot.killReason || silent < timeoutOf(slot)) continue;
      kill(slot, {
        code: 'HEARTBEAT_TIMEOUT',
        message: `No heartbeat for ${Math.round(silent)} ms: an operator does not return, or the machine is overloaded`,
        isFailure: true,
      });
    }
  }

  /** A process that is still starting can't beat yet: on a busy machine that takes seconds. */
  const timeoutOf = ({ ready }: Slot): number =>
    ready
      ? attributes.HEARTBEAT_TIMEOUT_MILLIS
      : Math.max(attributes.HEARTBEAT_TIMEOUT_MILLIS, attributes.DEPLOY_TIMEOUT_MILLIS);

  return {
    start() {
      timer = setInterval(look, Math.min(1000, attributes.HEARTBEAT_INTERVAL_MILLIS));
    },
    stop() {
      clearInterval(timer);
    },
  };
}
