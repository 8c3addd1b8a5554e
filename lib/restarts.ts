import type { Lifecycle } from './interfaces/lifecycle.js';
import type { Logger } from './interfaces/logger.js';

/** When `POST /ws/v2/config/restart` becomes a restart. */
interface Restarts {
  /** Begins one soon, so that the answer gets out; one that is asked for meanwhile is the same. */
  readonly request: () => void;
  /** Present while the gateway is between two runs: wait for it before asking one. Never rejects. */
  readonly underWay: Promise<void> | undefined;
  /** None begins any more; resolves when the one that is under way is over. */
  readonly close: () => Promise<void>;
}

/** For the answer to reach the client before a host ends the process. */
const answerMillis = 200;

export function createRestarts(deps: {
  lifecycle: Lifecycle | undefined;
  logger: Logger;
  inPlace: () => Promise<void>;
}): Restarts {
  const { lifecycle, logger } = deps;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  async function restart(): Promise<void> {
    logger.info({ event: 'gateway.restarting' }, 'the gateway restarts');
    try {
      if (lifecycle?.restart) await lifecycle.restart();
      else await deps.inPlace();
    } catch (err) {
      logger.error({ event: 'gateway.restart_failed', err }, 'the restart failed');
    } finally {
      underWay = undefined;
    }
  }

  function begin(): void {
    timer = undefined;
    const work = restart();
    // A host's own restart may take its time, and ends with this process: until then we answer.
    if (!lifecycle?.restart) underWay = work;
  }

  return {
    request() {
      if (isClosed) return;
      timer ??= setTimeout(begin, answerMillis);
    },
    get underWay() {
      return underWay;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
