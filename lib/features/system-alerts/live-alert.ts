import { createHash } from 'node:crypto';
import { readAddresses } from '../../formats/mail-addresses.js';
import type { FieldRead } from '../../model/alerts.js';
import { type AlertEvent, type AlertState, type Moment, nextState } from './alert-state.js';
import type { EndedActivation } from './history.js';
import type { Alert } from './schema.js';
import type { KeptChange, KeptStatus } from './status-store.js';
import type { StoredAlert } from './stored.js';

/** An alert and what became of it since the start. A saved one is a new object. */
export interface LiveAlert {
  readonly alert: StoredAlert;
  readonly state: AlertState;
  /** This is wrong with its condition. */
  problem: string | undefined;
  /** So many evaluations in a row had to be stopped. */
  stops: number;
  /** The number of the round in which it was skipped first, since it was evaluated last. */
  waitsSince: number | undefined;
}

/** An alert as the registry holds it, with what its recipients are told. */
export interface AlertEntry extends LiveAlert {
  state: AlertState;
  /** It is the id of the last change that the recipients are told of. */
  changeId: string | undefined;
  isSent: boolean;
}

/** What has to be done after a step of an alert. */
export interface StepEffects {
  readonly change?: KeptChange | undefined;
  readonly ended?: EndedActivation | undefined;
}

export const newAlertEntry = (alert: StoredAlert, state: AlertState): AlertEntry => ({
  alert,
  state,
  problem: undefined,
  stops: 0,
  waitsSince: undefined,
  changeId: undefined,
  isSent: false,
});

/** The status that was kept is taken up if it belongs to the alert as it is saved now. */
export function restoredEntry(alert: StoredAlert, kept: KeptStatus | undefined): AlertEntry {
  const { inTime, changeId, isSent = false, savedAt } = kept ?? {};
  const entry = newAlertEntry(alert, { is: alert.disabled ? 'disabled' : 'inactive' });
  if (savedAt !== alert.savedAt) return entry;
  const isActive = inTime !== undefined && !alert.disabled;
  return { ...entry, changeId, isSent, ...(isActive ? { state: { is: 'active', inTime } } : {}) };
}

export const keptStatusOf = ({ alert, state, changeId, isSent }: AlertEntry): KeptStatus => ({
  name: alert.name,
  savedAt: alert.savedAt,
  ...(state.is === 'active' ? { inTime: state.inTime } : {}),
  ...(changeId === undefined ? {} : { changeId }),
  isSent,
});

/** The alert as users see it. */
export function shownAlert({ alert, state, problem }: LiveAlert, emailSent: boolean): Alert {
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
      emailSent,
    },
  };
}

/** `alert` is the one that the recipients hear about; history tells of the one before it. */
export function advance(
  before: AlertEntry | undefined,
  alert: StoredAlert,
  event: AlertEvent,
  moment: Moment,
  fields: readonly FieldRead[] = [],
): StepEffects & { readonly state: AlertState | undefined } {
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
    ended: before && ended !== undefined ? endedActivation(before, ended, moment, made?.id) : undefined,
  };
}

function endedActivation(
  { alert, ...before }: AlertEntry,
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
