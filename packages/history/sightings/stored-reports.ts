import { collection, type Logger, type Storage } from 'headgate/driver-kit';
import type { ZodType } from 'zod';
import type { Sighting } from './sighting.js';

/** What was last seen of applications, over restarts of the gateway: a cluster forgets, and nothing else tells how one ended. */
export interface StoredReports<S extends Sighting> {
  /** As of the start. */
  readonly earlier: readonly S[];
  /** Written soon, when it tells something new: another state or attempt. */
  keep(sighting: S): void;
  drop(appId: string): void;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

/** `name`: the collection of documents that they are kept in. */
export async function openStoredReports<S extends Sighting>(
  name: string,
  shape: ZodType<S>,
  { storage, logger }: { readonly storage: Storage; readonly logger: Logger },
): Promise<StoredReports<S>> {
  const kept = collection(storage.documents, name, shape);
  const written = new Map<string, string>();
  const earlier: S[] = [];
  for await (const { value } of kept.entries()) {
    earlier.push(value);
    written.set(value.report.id, markOf(value));
  }
  /** `undefined`: to be removed. */
  const waiting = new Map<string, S | undefined>();
  let writing: Promise<void> | undefined;

  /** One at a time, the newest of each. */
  async function write(): Promise<void> {
    for (const [id, sighting] of waiting) {
      waiting.delete(id);
      const done = sighting ? kept.put(id, shape.parse(sighting)) : kept.remove(id);
      await done.catch((err: unknown) => {
        logger.warn(
          { event: 'application.sighting_not_saved', err, appId: id },
          'What was seen of an application can not be kept',
        );
        // The next look tries it again.
        if (sighting && written.get(id) === markOf(sighting)) written.delete(id);
      });
    }
  }

  function change(id: string, sighting: S | undefined): void {
    waiting.set(id, sighting);
    writing ??= write().finally(() => {
      writing = undefined;
    });
  }

  return {
    earlier,
    keep(sighting) {
      const { id } = sighting.report;
      const mark = markOf(sighting);
      if (written.get(id) === mark) return;
      written.set(id, mark);
      change(id, sighting);
    },
    drop(appId) {
      if (written.delete(appId)) change(appId, undefined);
    },
    close: async () => writing,
  };
}

const markOf = ({ report }: Sighting): string => `${report.state} ${report.currentAttemptId}`;
