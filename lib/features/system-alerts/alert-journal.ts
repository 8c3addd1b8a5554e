import type { Logger } from '../../interfaces/logger.js';
import type { DocumentWrite } from '../../interfaces/storage.js';
import { createMutex } from '../../runtime/mutex.js';
import type { AlertMails } from '../mail/service.js';
import type { AlertStatusStore, KeptChange, StatusChange } from './status-store.js';

/** What lasts from the same moment on as a status. */
interface Along {
  /** Mails about them are queued. */
  readonly changes?: readonly KeptChange[];
  readonly writes?: readonly DocumentWrite[];
}

/** Writes what becomes of alerts, one batch after the other: `docs/decisions.md`, An alert and its mail are one write. */
export interface AlertJournal {
  /** Mails are queued once they are written. Resolves whether it was written; never rejects: alerts go on without. */
  keep(status: StatusChange, along: Along): Promise<boolean>;
  /** Waits for what is being written. */
  settled(): Promise<void>;
}

export function createAlertJournal(deps: {
  readonly mails: Pick<AlertMails, 'prepare'>;
  /** Absent: nothing is written, and mails are queued all the same. */
  readonly statusStore: Pick<AlertStatusStore, 'write'> | undefined;
  readonly logger: Logger;
}): AlertJournal {
  const { mails, statusStore, logger } = deps;
  const inTurn = createMutex();
  const underWay = new Set<Promise<boolean>>();

  const notSent = ({ alert, kind }: KeptChange, err: unknown): void =>
    logger.warn(
      { event: 'alerts.notification_failed', alert: alert.name, change: kind, err },
      'a mail about an alert is not sent',
    );

  const prepared = (changes: readonly KeptChange[]) =>
    Promise.all(
      changes.map((change) =>
        mails.prepare(change).catch((err: unknown) => {
          notSent(change, err);
          return undefined;
        }),
      ),
    );

  async function write(status: StatusChange, { changes = [], writes = [] }: Along): Promise<boolean> {
    const mailed = await prepared(changes);
    try {
      await statusStore?.write(status, [...writes, ...mailed.flatMap((mail) => mail?.writes ?? [])]);
    } catch (err) {
      logger.error(
        { event: 'alerts.status_not_saved', alert: status.name, err },
        'the status of an alert is not written',
      );
      for (const [index, change] of changes.entries()) if (mailed[index]) notSent(change, err);
      return false;
    }
    for (const mail of mailed) await mail?.queue();
    return true;
  }

  return {
    keep(status, along) {
      const work = inTurn(() => write(status, along));
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
      return work;
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
