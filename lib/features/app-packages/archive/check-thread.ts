import { MessageChannel } from 'node:worker_threads';
import type { CheckTask } from './check-thread-main.js';
import type { ArchiveLimits } from './limits.js';
import { lingeringWorker } from './lingering-worker.js';
import { type RemoteCheck, remoteCheck } from './remote-check.js';
import { sharedRing } from './shared-ring.js';

/**
 * A thread for checking large archives: inflating, summing, and what V8 has to collect after it stay off the host's
 * event loop. One for all of them, so that uploads take one core more at most; it ends a while after
 * the last check.
 */
interface CheckThread {
  check(limits: Partial<ArchiveLimits>): Promise<RemoteCheck>;
}

/**
 * The young generation is small because the check leaves nothing to keep. The rest is more than all checks together may
 * take by `checkCapacity`.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 448 };

/** The next upload finds a thread that has compiled its code (ms). */
const lingerMs = 10_000;

export function checkThread(): CheckThread {
  const worker = lingeringWorker<CheckTask>({ env: {}, execArgv: [], resourceLimits }, lingerMs);

  return {
    async check(limits) {
      const { default: program } = await import('./check-thread-main.text.js');
      const { port1, port2 } = new MessageChannel();
      const ring = sharedRing();
      const { lose, ...check } = remoteCheck(port1, ring);
      const use = worker.use(`${program}(require)`, {
        task: { port: port2, ring, limits },
        transferred: [port2],
        onLost: lose,
      });
      return {
        ...check,
        close() {
          check.close();
          use.release();
        },
      };
    },
  };
}
