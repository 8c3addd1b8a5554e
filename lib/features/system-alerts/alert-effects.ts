import type { AlertMails } from '../mail/service.js';
import type { AlertJournal } from './alert-journal.js';
import type { AlertHistory } from './history.js';
import { type AlertEntry, keptStatusOf, type StepEffects } from './live-alert.js';
import type { KeptChange, StatusChange } from './status-store.js';

/** What the steps of alerts come to: history, what is kept over a restart, and mails to the recipients. */
interface AlertEffects {
  /** Once all entries are there: from now on they hear which of their mails were sent, also of those sent before. */
  begin(): void;
  /** After the entry is what it is now. Resolves when what lasts of that is kept; never rejects. */
  settle(name: string, effects: StepEffects): Promise<void>;
  /** After an entry without an activation was deleted: nothing is kept of it any more. */
  forget(name: string): Promise<void>;
  /** Changes whose mails an earlier start did not queue have theirs queued now. */
  resume(name: string, untold: readonly KeptChange[]): void;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

export function createAlertEffects(deps: {
  readonly entries: ReadonlyMap<string, AlertEntry>;
  readonly history: AlertHistory;
  readonly journal: AlertJournal;
  readonly mails: Pick<AlertMails, 'onSent'>;
}): AlertEffects {
  const { entries, history, journal, mails } = deps;
  let stopHearing = () => {};

  const statusOf = (name: string): StatusChange => {
    const entry = entries.get(name);
    return { name, status: entry && keptStatusOf(entry) };
  };

  return {
    begin() {
      stopHearing = mails.onSent((changeId, writes) => {
        const added = history.sent(changeId);
        const entry = [...entries.values()].find((one) => one.changeId === changeId);
        if (entry) entry.isSent = true;
        if (!entry && added.length === 0) return Promise.resolve(false);
        return journal.keep({ ...(entry && statusOf(entry.alert.name)), added }, { writes });
      });
    },
    async settle(name, { change, ended }) {
      if (!change && !ended) return;
      const over = ended && history.add(ended);
      await journal.keep(
        {
          ...statusOf(name),
          added: over ? [over.added] : [],
          dropped: over?.dropped ? [over.dropped] : [],
        },
        { changes: change ? [change] : [] },
      );
    },
    async forget(name) {
      await journal.keep(statusOf(name), {});
    },
    resume(name, untold) {
      if (untold.length > 0) void journal.keep(statusOf(name), { changes: untold });
    },
    async close() {
      stopHearing();
      await journal.settled();
    },
  };
}
