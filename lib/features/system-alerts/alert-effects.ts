import type { Logger } from '../../interfaces/logger.js';
import type { AlertMails } from '../mail/service.js';
import type { AlertHistory, HistoryEntry } from './history.js';
import { type AlertEntry, keptStatusOf, type StepEffects } from './live-alert.js';
import type { AlertStatusStore, KeptChange } from './status-store.js';

/** What the steps of alerts come to: history, what is kept over a restart, and mails to the recipients. */
interface AlertEffects {
  /** After the entry is what it is now. Resolves when what lasts of that is kept; never rejects. */
  settle(name: string, effects: StepEffects): Promise<void>;
  /** After an entry without an activation was deleted: nothing is kept of it any more. */
  forget(name: string): Promise<void>;
  /** Changes that an earlier start did not get told are told now. */
  resume(entry: AlertEntry): void;
  /** Waits for what is being told and written. */
  close(): Promise<void>;
}

export function createAlertEffects(deps: {
  readonly entries: ReadonlyMap<string, AlertEntry>;
  readonly history: AlertHistory;
  readonly mails: AlertMails;
  readonly statusStore: AlertStatusStore | undefined;
  readonly logger: Logger;
}): AlertEffects {
  const { entries, history, mails, statusStore, logger } = deps;
  const underWay = new Set<Promise<void>>();

  const stopHearing = mails.onSent((changeId) => {
    const added = history.sent(changeId);
    if (added.length > 0 && statusStore) follow(statusStore.keep({ added }));
    const entry = [...entries.values()].find((one) => one.changeId === changeId);
    if (!entry) return;
    entry.isSent = true;
    follow(keepStatus(entry.alert.name));
  });

  function keepStatus(
    name: string,
    more: { added?: HistoryEntry[]; dropped?: HistoryEntry[] } = {},
  ): Promise<void> {
    const entry = entries.get(name);
    return statusStore?.keep({ name, status: entry && keptStatusOf(entry), ...more }) ?? Promise.resolve();
  }

  /** Kept before it is told, so that a crash in between loses nothing; forgotten when it is taken over. */
  async function tell(name: string, change: KeptChange): Promise<void> {
    await mails.notify(change).catch((err: unknown) => {
      logger.warn(
        { event: 'alerts.notification_failed', alert: name, change: change.kind, err },
        'a mail about an alert is not sent',
      );
    });
    const untold = entries.get(name)?.untold;
    const at = untold?.findIndex(({ id }) => id === change.id) ?? -1;
    if (at < 0) return;
    untold?.splice(at, 1);
    await keepStatus(name);
  }

  function follow(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  return {
    settle(name, { change, ended }) {
      const over = ended && history.add(ended);
      if (change) entries.get(name)?.untold.push(change);
      if (!change && !ended) return Promise.resolve();
      const kept = keepStatus(name, {
        added: over ? [over.added] : [],
        dropped: over?.dropped ? [over.dropped] : [],
      });
      if (change) follow(kept.then(() => tell(name, change)));
      else follow(kept);
      return kept;
    },
    forget(name) {
      const kept = keepStatus(name);
      follow(kept);
      return kept;
    },
    resume({ alert: { name }, untold }) {
      for (const change of untold) follow(tell(name, change));
    },
    async close() {
      stopHearing();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
