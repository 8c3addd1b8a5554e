import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';

export interface AlertRound {
  readonly durationMillis: number;
  readonly isOk: boolean;
}

/** Begins one round after the other, at the multiples of a period, never two at once. */
interface RoundTicker {
  start(): void;
  /** Idempotent. No round begins any more from here on; resolves when the one that is under way is over. */
  close(): Promise<void>;
}

export function createRoundTicker(deps: {
  /** One round. It gives up what it can when the signal is aborted. */
  readonly evaluate: (closing: AbortSignal) => Promise<void>;
  readonly onRound: (round: AlertRound) => void;
  /** Milliseconds from the beginning of one round to that of the next. */
  readonly everyMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
}): RoundTicker {
  const { evaluate, onRound, everyMillis, clock, logger } = deps;
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isFailing = false;

  function schedule(): void {
    if (closing.signal.aborted) return;
    const wait = everyMillis - (clock.monotonic() % everyMillis);
    // A timer may come a little early.
    timer = setTimeout(begin, wait < everyMillis / 10 ? wait + everyMillis : wait).unref();
  }

  function begin(): void {
    const startedAt = clock.monotonic();
    const ended = (isOk: boolean) => onRound({ isOk, durationMillis: clock.monotonic() - startedAt });
    round = evaluate(closing.signal)
      .then(
        () => {
          isFailing = false;
          ended(true);
        },
        (err: unknown) => {
          if (!isFailing && !closing.signal.aborted)
            logger.error({ event: 'alerts.evaluation_failed', err }, 'alerts can not be evaluated');
          isFailing = true;
          ended(false);
        },
      )
      .finally(schedule);
  }

  return {
    start: schedule,
    async close() {
      closing.abort();
      clearTimeout(timer);
      await round;
    },
  };
}
