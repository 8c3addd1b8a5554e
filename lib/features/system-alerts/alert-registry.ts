import { createHash } from 'node:crypto';
import { readAddresses } from '../../formats/mail-addresses.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { FieldRead } from '../../model/alerts.js';
import type { AlertMails } from '../mail/service.js';
import { type AlertEvent, type AlertState, isSettled, type Moment, nextState } from './alert-state.js';
import { type AlertHistory, createAlertHistory, type EndedActivation, type HistoryEntry } from './history.js';
import type { Alert } from './schema.js';
import type { AlertStatusStore, KeptChange, KeptStatus } from './status-store.js';
import type { StoredAlert } from './stored.js';

/** An alert and what became of it since the start. A saved one is a new object. */
export interface LiveAlert {
  readonly alert: StoredAlert;
  readonly state: AlertState;
  /** What is wrong with its condition. */
  problem: string | undefined;
  /** Evaluations in a row that had to be stopped. */
  stops: number;
  /** Number of the round in which it was skipped first, since it was evaluated last. */
  waitsSince: number | undefined;
}

/** All alerts with their states; each step has its effects here: history, and telling the recipients. */
export interface AlertRegistry {
  readonly history: Pick<AlertHistory, 'list'>;
  get(name: string): LiveAlert | undefined;
  /** The same array as before while none is saved or deleted. */
  all(): readonly LiveAlert[];
  /** Kept by an earlier start. Status and history begin anew, without a word, unless they are remembered. */
  restore(alerts: readonly StoredAlert[]): Promise<void>;
  save(alert: StoredAlert): void;
  /** Resolves when its end is kept, where that lasts. */
  remove(name: string): Promise<void>;
  /** What came of an evaluation, unless the alert was saved or deleted since it began. */
  take(live: LiveAlert, event: AlertEvent, moment: Moment, fields?: readonly FieldRead[]): void;
  shown(live: LiveAlert): Alert;
  /** Waits for what is being told and written. */
  close(): Promise<void>;
}

interface Entry extends LiveAlert {
  state: AlertState;
  /** Of the last change that the recipients are told of. */
  changeId: string | undefined;
  isSent: boolean;
  /** Changes that are being told. */
  readonly untold: KeptChange[];
}

interface Effects {
  readonly change?: KeptChange | undefined;
  readonly ended?: EndedActivation | undefined;
}

export function createAlertRegistry(deps: {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mails: AlertMails;
  /** Absent: a restart clears status and history. */
  readonly memory: AlertStatusStore | undefined;
  readonly historyPerOwner: number;
}): AlertRegistry {
  const { clock, logger, mails, memory } = deps;
  const entries = new Map<string, Entry>();
  let list: readonly Entry[] | undefined;
  const history = createAlertHistory(deps.historyPerOwner);
  const underWay = new Set<Promise<void>>();

  const stopHearing = mails.onSent((changeId) => {
    const added = history.sent(changeId);
    if (added.length > 0) void memory?.keep({ added });
    const entry = [...entries.values()].find((one) => one.changeId === changeId);
    if (!entry) return;
    entry.isSent = true;
    keepStatus(entry.alert.name);
  });

  function enter(entry: Entry): void {
    entries.set(entry.alert.name, entry);
    list = undefined;
  }

  const present = (): Moment => ({ now: clock.now(), monotonic: clock.monotonic() });

  function keepStatus(
    name: string,
    more: { added?: HistoryEntry[]; dropped?: HistoryEntry[] } = {},
  ): Promise<void> {
    const entry = entries.get(name);
    return memory?.keep({ name, status: entry && statusOf(entry), ...more }) ?? Promise.resolve();
  }

  /** After the entry is what it is now. Resolves when what lasts of that is kept; never rejects. */
  function settle(name: string, { change, ended }: Effects): Promise<void> {
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
    history,
    get: (name) => entries.get(name),
    all: () => (list ??= [...entries.values()]),
    async restore(alerts) {
      const kept = await memory?.load();
      const statuses = new Map(kept?.statuses.map((status) => [status.name, status]));
      history.restore(kept?.history ?? []);
      for (const alert of alerts) {
        const entry = restored(alert, statuses.get(alert.name));
        enter(entry);
        for (const change of entry.untold) follow(tell(alert.name, change));
      }
    },
    save(alert) {
      const before = entries.get(alert.name);
      const { state, ...effects } = advance(
        before,
        alert,
        { is: 'saved', disabled: alert.disabled },
        present(),
      );
      if (!state) return;
      const isSame = state === before?.state;
      enter({
        ...newEntry(alert, state),
        changeId: isSame ? before.changeId : effects.change?.id,
        isSent: isSame && before.isSent,
        untold: before?.untold ?? [],
      });
      settle(alert.name, effects);
    },
    async remove(name) {
      const before = entries.get(name);
      if (!before) return;
      const { ended } = advance(before, before.alert, { is: 'deleted' }, present());
      entries.delete(name);
      list = undefined;
      if (ended) return settle(name, { ended });
      const kept = keepStatus(name);
      follow(kept);
      return kept;
    },
    take(live, event, moment, fields = []) {
      if (isSettled(live.state, event)) return;
      const entry = entries.get(live.alert.name);
      if (!entry || entry !== live) return;
      const { state, ...effects } = advance(entry, entry.alert, event, moment, fields);
      if (state) entry.state = state;
      if (effects.change) {
        entry.changeId = effects.change.id;
        entry.isSent = false;
      }
      settle(entry.alert.name, effects);
    },
    shown(live) {
      const { alert, state, problem } = live;
      const { name, owner, condition, email, description, timeThresholdMillis, disabled } = alert;
      return {
        name,
        owner: owner.userName,
        condition,
        email,
        description,
        timeThresholdMillis,
        disabled,
        alertStatus: {
          isInAlert: state.is === 'active',
          ...(state.is === 'active' ? { inTime: state.inTime } : {}),
          message: problem ?? description,
          emailSent: entries.get(name)?.isSent ?? false,
        },
      };
    },
    async close() {
      stopHearing();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

const newEntry = (alert: StoredAlert, state: AlertState): Entry => ({
  alert,
  state,
  problem: undefined,
  stops: 0,
  waitsSince: undefined,
  changeId: undefined,
  isSent: false,
  untold: [],
});

function restored(alert: StoredAlert, kept: KeptStatus | undefined): Entry {
  const { inTime, changeId, isSent = false, untold = [], savedAt } = kept ?? {};
  const entry = { ...newEntry(alert, { is: alert.disabled ? 'disabled' : 'inactive' }), untold: [...untold] };
  if (savedAt !== alert.savedAt) return entry;
  const isActive = inTime !== undefined && !alert.disabled;
  return { ...entry, changeId, isSent, ...(isActive ? { state: { is: 'active', inTime } } : {}) };
}

const statusOf = ({ alert, state, changeId, isSent, untold }: Entry): KeptStatus => ({
  name: alert.name,
  savedAt: alert.savedAt,
  ...(state.is === 'active' ? { inTime: state.inTime } : {}),
  ...(changeId === undefined ? {} : { changeId }),
  isSent,
  untold: [...untold],
});

/** `alert` is the one that the recipients hear about; history tells of the one before it. */
function advance(
  before: Entry | undefined,
  alert: StoredAlert,
  event: AlertEvent,
  moment: Moment,
  fields: readonly FieldRead[] = [],
): Effects & { readonly state: AlertState | undefined } {
  const { state, change, ended } = nextState(before?.state, event, moment);
  const inTime = change === 'triggered' ? moment.now : ended;
  const made = change && {
    id: changeIdOf(alert, change, moment.now),
    kind: change,
    alert: changedAlert(alert),
    time: moment.now,
    ...(inTime === undefined ? {} : { inTime }),
    fields: fields.map(({ path, ...field }) => ({ ...field, path: [...path] })),
  };
  return {
    state,
    change: made,
    ended: before && ended !== undefined ? entryOf(before, ended, moment, made?.id) : undefined,
  };
}

function entryOf(
  { alert, ...before }: Entry,
  inTime: number,
  { now }: Moment,
  changeId = before.changeId,
): EndedActivation {
  const { name, owner, description: message } = alert;
  return {
    item: { name, owner: owner.userName, inTime, outTime: now, message, emailSent: before.isSent },
    ...(changeId === undefined ? {} : { changeId }),
  };
}

const changedAlert = ({ name, owner, condition, email, ...alert }: StoredAlert): KeptChange['alert'] => ({
  name,
  owner: owner.userName,
  condition,
  recipients: [...(readAddresses(email).addresses ?? [])],
  description: alert.description,
  timeThresholdMillis: alert.timeThresholdMillis,
});

const changeIdOf = ({ name }: StoredAlert, change: string, time: number): string =>
  `${createHash('sha256').update(name).digest('hex').slice(0, 16)}-${change}-${time}`;
