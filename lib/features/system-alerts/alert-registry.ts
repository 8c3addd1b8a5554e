import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { FieldRead } from '../../model/alerts.js';
import type { AlertMails } from '../mail/service.js';
import { createAlertEffects } from './alert-effects.js';
import { createAlertJournal } from './alert-journal.js';
import { type AlertEvent, isSettled, type Moment } from './alert-state.js';
import { type AlertHistory, createAlertHistory } from './history.js';
import {
  type AlertEntry,
  advance,
  type LiveAlert,
  newAlertEntry,
  restoredEntry,
  shownAlert,
} from './live-alert.js';
import type { Alert } from './schema.js';
import type { AlertStatusStore } from './status-store.js';
import type { StoredAlert } from './stored.js';

/** All alerts with their states; each step has its effects here: history, and telling the recipients. */
export interface AlertRegistry {
  readonly history: Pick<AlertHistory, 'list'>;
  get(name: string): LiveAlert | undefined;
  /** The same array as before while none is saved or deleted. */
  all(): readonly LiveAlert[];
  /** Takes up alerts that were kept. Status and history begin anew, without a word, unless they are remembered. */
  restore(alerts: readonly StoredAlert[]): Promise<void>;
  /** Resolves when what comes of it is kept, where that lasts. */
  save(alert: StoredAlert): Promise<void>;
  /** Resolves when its end is kept, where that lasts. */
  remove(name: string): Promise<void>;
  /** Takes what came of an evaluation, unless the alert was saved or deleted since it began. */
  take(live: LiveAlert, event: AlertEvent, moment: Moment, fields?: readonly FieldRead[]): void;
  shown(live: LiveAlert): Alert;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

export function createAlertRegistry(deps: {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mails: AlertMails;
  /** Without it a restart clears status and history. */
  readonly statusStore: AlertStatusStore | undefined;
  readonly historyPerOwner: number;
}): AlertRegistry {
  const { clock, logger, mails, statusStore } = deps;
  const entries = new Map<string, AlertEntry>();
  let list: readonly AlertEntry[] | undefined;
  const history = createAlertHistory(deps.historyPerOwner);
  const journal = createAlertJournal({ mails, statusStore, logger });
  const effects = createAlertEffects({ entries, history, journal, mails });

  function enter(entry: AlertEntry): void {
    entries.set(entry.alert.name, entry);
    list = undefined;
  }

  const present = (): Moment => ({ now: clock.now(), monotonic: clock.monotonic() });

  return {
    history,
    get: (name) => entries.get(name),
    all: () => (list ??= [...entries.values()]),
    async restore(alerts) {
      const kept = await statusStore?.load();
      const statuses = new Map(kept?.statuses.map((status) => [status.name, status]));
      history.restore(kept?.history ?? []);
      for (const alert of alerts) {
        const status = statuses.get(alert.name);
        enter(restoredEntry(alert, status));
        if (status?.untold) effects.resume(alert.name, status.untold);
      }
      effects.begin();
    },
    async save(alert) {
      const before = entries.get(alert.name);
      const event: AlertEvent = { is: 'saved', disabled: alert.disabled };
      const { state, ...made } = advance(before, alert, event, present());
      if (!state) return;
      const isSame = state === before?.state;
      enter({
        ...newAlertEntry(alert, state),
        changeId: isSame ? before.changeId : made.change?.id,
        isSent: isSame && before.isSent,
      });
      await effects.settle(alert.name, made);
    },
    async remove(name) {
      const before = entries.get(name);
      if (!before) return;
      const { ended } = advance(before, before.alert, { is: 'deleted' }, present());
      entries.delete(name);
      list = undefined;
      return ended ? effects.settle(name, { ended }) : effects.forget(name);
    },
    take(live, event, moment, fields = []) {
      if (isSettled(live.state, event)) return;
      const entry = entries.get(live.alert.name);
      if (!entry || entry !== live) return;
      const { state, ...made } = advance(entry, entry.alert, event, moment, fields);
      if (state) entry.state = state;
      if (made.change) {
        entry.changeId = made.change.id;
        entry.isSent = false;
      }
      void effects.settle(entry.alert.name, made);
    },
    shown: (live) => shownAlert(live, entries.get(live.alert.name)?.isSent ?? false),
    close: effects.close,
  };
}
