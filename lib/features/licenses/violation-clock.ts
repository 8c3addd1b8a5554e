import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { collection } from '../../storage/collection.js';
import { StoredExcess } from './stored.js';

/** How long applications have used more memory than the license allows. A restart of the host does not wind it back. */
interface ViolationClock {
  /** `undefined` while they don't. */
  exceededMillis(): number | undefined;
  /** Never rejects. */
  note(isExceeded: boolean): Promise<void>;
}

const key = 'exceeded';

export async function openViolationClock(deps: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly logger: Logger;
}): Promise<ViolationClock> {
  const { clock, logger } = deps;
  const kept = collection(deps.documents, 'licenses', StoredExcess);
  const stored = await kept.get(key).catch((err: unknown) => {
    logger.error(
      { event: 'license.excess_unreadable', err },
      'since when the license is exceeded can not be read; it counts from now',
    );
    return undefined;
  });
  // Only a start looks at the time of day, so setting that neither shortens nor lengthens the time that is left.
  let since = stored && clock.monotonic() - Math.max(0, clock.now() - stored.value.since);

  return {
    exceededMillis: () => (since === undefined ? undefined : clock.monotonic() - since),
    async note(isExceeded) {
      if (isExceeded === (since !== undefined)) return;
      since = isExceeded ? clock.monotonic() : undefined;
      try {
        await (isExceeded ? kept.put(key, { since: clock.now() }) : kept.remove(key));
      } catch (err) {
        logger.error(
          { event: 'license.excess_not_saved', err },
          'since when the license is exceeded can not be kept over a restart',
        );
      }
    },
  };
}
