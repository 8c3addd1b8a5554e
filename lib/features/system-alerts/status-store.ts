import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { collection } from '../../storage/collection.js';
import { HistoryEntry, notCounted } from './history.js';

const KeptChange = z.object({
  id: z.string(),
  kind: z.enum(['triggered', 'cleared', 'disabled']),
  alert: z.object({
    name: z.string(),
    owner: z.string(),
    condition: z.string(),
    recipients: z.array(z.string()),
    description: z.string(),
    timeThresholdMillis: z.number(),
  }),
  time: z.number(),
  inTime: z.number().exactOptional(),
  fields: z.array(
    z.object({ topic: z.string(), path: z.array(z.string()), value: z.string().exactOptional() }),
  ),
});
export type KeptChange = z.output<typeof KeptChange>;

/** What outlives a restart of an alert that has changed since it was made. */
export const KeptStatus = z.object({
  name: z.string(),
  /** Of the alert that it belongs to: an older one's status is nothing. */
  savedAt: z.number(),
  /** While it is active. */
  inTime: z.number().exactOptional(),
  changeId: z.string().exactOptional(),
  isSent: z.boolean(),
  /** What a build kept here that queued mails in a write of their own: these are not queued yet. */
  untold: z.array(KeptChange).exactOptional(),
});
export type KeptStatus = z.output<typeof KeptStatus>;

/** Status and history on the disk, for hosts that want them to outlive a restart. */
export interface AlertStatusStore {
  load(): Promise<{ readonly statuses: readonly KeptStatus[]; readonly history: readonly HistoryEntry[] }>;
  /** One batch with `more`, which lasts from the same moment on. */
  write(change: StatusChange, more: readonly DocumentWrite[]): Promise<void>;
}

export interface StatusChange {
  /** With `status` absent nothing is kept of it any more. */
  readonly name?: string;
  readonly status?: KeptStatus | undefined;
  readonly added?: readonly HistoryEntry[];
  readonly dropped?: readonly HistoryEntry[];
}

export function createAlertStatusStore(deps: {
  readonly documents: DocumentStore;
  readonly logger: Logger;
}): AlertStatusStore {
  const { documents, logger } = deps;
  const statuses = collection(documents, 'alert-status', KeptStatus);
  const history = collection(documents, 'alert-history', HistoryEntry);

  function writesOf({ name, status, added = [], dropped = [] }: StatusChange): DocumentWrite[] {
    const ofStatus = status ? [statuses.writes.put(status.name, status)] : [];
    return [
      ...(name === undefined || status ? ofStatus : [statuses.writes.remove(name)]),
      ...added.map((entry) => history.writes.put(keyOf(entry), entry)),
      ...dropped.map((entry) => history.writes.remove(keyOf(entry))),
    ];
  }

  return {
    async load() {
      const kept = {
        statuses: (await statuses.list()).map(({ value }) => value),
        history: (await history.list()).map(({ value }) => value),
      };
      for (const problem of [...statuses.problems(), ...history.problems()])
        logger.error(
          { event: 'alerts.status_unreadable', ...problem },
          'what is remembered of an alert can not be read',
        );
      return kept;
    },
    async write(change, more) {
      await documents.write([...writesOf(change), ...more]);
    },
  };
}

const inOrder = (count: number): string => String(count).padStart(15, '0');

/** What was kept before entries were counted stays where it is. */
const keyOf = ({ sequence, item: { name, outTime } }: HistoryEntry): string =>
  sequence === notCounted
    ? `${inOrder(outTime)}-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`
    : inOrder(sequence);
