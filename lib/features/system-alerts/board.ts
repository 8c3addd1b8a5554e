import { createHash } from 'node:crypto';
import { readAddresses } from '../../core/mail-addresses.js';
import type { AlertChange, AlertMails, FieldRead } from '../../interfaces/alerts.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import { type AlertEvent, type AlertState, type Moment, step } from './alert-state.js';
import { type AlertHistoryLog, createAlertHistory } from './history.js';
import type { Alert } from './schema.js';
import type { StoredAlert } from './stored.js';

/** An alert and what became of it since the start. A saved one is a new object. */
export interface LiveAlert {
  readonly alert: StoredAlert;
  readonly state: AlertState;
  /** What is wrong with its condition. */
  problem: string | undefined;
  /** Evaluations in a row that had to be stopped. */
  stops: number;
}

/** All alerts with their states; each step has its effects here: history, and telling the recipients. */
export interface AlertBoard {
  readonly history: AlertHistoryLog;
  get(name: string): LiveAlert | undefined;
  all(): readonly LiveAlert[];
  /** Kept by an earlier start: its status begins anew, without a word (spec 3). */
  restore(alert: StoredAlert): void;
  save(alert: StoredAlert): void;
  remove(name: string): void;
  /** What came of an evaluation, unless the alert was saved or deleted since it began. */
  take(live: LiveAlert, event: AlertEvent, moment: Moment, fields?: readonly FieldRead[]): void;
  shown(live: LiveAlert): Alert;
  close(): void;
}

interface Entry extends LiveAlert {
  state: AlertState;
  /** Of the last change that the recipients are told of. */
  changeId: string | undefined;
  isSent: boolean;
}

export function createAlertBoard(deps: {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: nobody is told. */
  readonly mails: AlertMails | undefined;
  readonly historyPerOwner: number;
}): AlertBoard {
  const { clock, logger, mails } = deps;
  const entries = new Map<string, Entry>();
  const history = createAlertHistory(deps.historyPerOwner);
  const stopHearing = mails?.onSent((changeId) => {
    for (const entry of entries.values()) if (entry.changeId === changeId) entry.isSent = true;
    history.sent(changeId);
  });

  const present = (): Moment => ({ now: clock.now(), monotonic: clock.monotonic() });

  const entryOf = (alert: StoredAlert, state: AlertState): Entry => ({
    alert,
    state,
    problem: undefined,
    stops: 0,
    changeId: undefined,
    isSent: false,
  });

  /** `alert` is the one that the recipients hear about; history tells of the one before it. */
  function advance(
    before: Entry | undefined,
    alert: StoredAlert,
    event: AlertEvent,
    moment: Moment,
    fields: readonly FieldRead[] = [],
  ): { readonly state: AlertState | undefined; readonly changeId: string | undefined } {
    const { state, change, ended } = step(before?.state, event, moment);
    const changeId = change && changeIdOf(alert, change, moment.now);
    if (before && ended !== undefined) {
      const { name, owner, description } = before.alert;
      history.add(
        {
          name,
          owner: owner.userName,
          inTime: ended,
          outTime: moment.now,
          message: description,
          emailSent: before.isSent,
        },
        changeId ?? before.changeId,
      );
    }
    if (change && changeId !== undefined) {
      const inTime = change === 'triggered' ? moment.now : ended;
      tell({
        id: changeId,
        kind: change,
        alert: changedAlert(alert),
        time: moment.now,
        ...(inTime === undefined ? {} : { inTime }),
        fields,
      });
    }
    return { state, changeId };
  }

  function tell(change: AlertChange): void {
    mails?.notify(change).catch((err: unknown) => {
      logger.warn(
        { alert: change.alert.name, change: change.kind, err },
        'a mail about an alert is not sent',
      );
    });
  }

  return {
    history,
    get: (name) => entries.get(name),
    all: () => [...entries.values()],
    restore(alert) {
      entries.set(alert.name, entryOf(alert, { is: alert.disabled ? 'disabled' : 'inactive' }));
    },
    save(alert) {
      const before = entries.get(alert.name);
      const { state, changeId } = advance(
        before,
        alert,
        { is: 'saved', disabled: alert.disabled },
        present(),
      );
      if (!state) return;
      const isSame = changeId === undefined && state === before?.state;
      entries.set(alert.name, {
        ...entryOf(alert, state),
        changeId: isSame ? before.changeId : changeId,
        isSent: isSame && before.isSent,
      });
    },
    remove(name) {
      const before = entries.get(name);
      if (!before) return;
      advance(before, before.alert, { is: 'deleted' }, present());
      entries.delete(name);
    },
    take(live, event, moment, fields) {
      const entry = entries.get(live.alert.name);
      if (!entry || entry !== live) return;
      const { state, changeId } = advance(entry, entry.alert, event, moment, fields);
      if (state) entry.state = state;
      if (changeId === undefined) return;
      entry.changeId = changeId;
      entry.isSent = false;
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
    close: () => stopHearing?.(),
  };
}

function changedAlert({ name, owner, condition, email, ...alert }: StoredAlert): AlertChange['alert'] {
  return {
    name,
    owner: owner.userName,
    condition,
    recipients: readAddresses(email).addresses ?? [],
    description: alert.description,
    timeThresholdMillis: alert.timeThresholdMillis,
  };
}

const changeIdOf = ({ name }: StoredAlert, change: string, time: number): string =>
  `${createHash('sha256').update(name).digest('hex').slice(0, 16)}-${change}-${time}`;
