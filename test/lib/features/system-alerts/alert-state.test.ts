import t from 'tap';
import {
  type AlertEvent,
  type AlertState,
  type AlertStep,
  decisive,
  isSettled,
  nextState,
} from '../../../../lib/features/system-alerts/alert-state.js';

// `docs/decisions.md`, States of an alert, as a table. The wall clock says 1000, the other one 50.

const moment = { now: 1000, monotonic: 50 };
const inactive: AlertState = { is: 'inactive' };
const since = (trueSince: number): AlertState => ({ is: 'inactive', trueSince });
const active: AlertState = { is: 'active', inTime: 700 };
const disabled: AlertState = { is: 'disabled' };
const evaluated = (holds: boolean, thresholdMillis = 0): AlertEvent => ({
  is: 'evaluated',
  holds,
  thresholdMillis,
});
const failed: AlertEvent = { is: 'failed' };
const saved: AlertEvent = { is: 'saved', disabled: false };
const savedDisabled: AlertEvent = { is: 'saved', disabled: true };
const deleted: AlertEvent = { is: 'deleted' };

const table: readonly [string, AlertState | undefined, AlertEvent, AlertStep][] = [
  ['the clock starts at the first true', inactive, evaluated(true, 10), { state: since(50) }],
  ['it runs while it stays true', since(45), evaluated(true, 10), { state: since(45) }],
  [
    'the threshold is met to the millisecond',
    since(40),
    evaluated(true, 10),
    { state: { is: 'active', inTime: 1000 }, change: 'triggered' },
  ],
  [
    'without a threshold the first true is enough',
    inactive,
    evaluated(true),
    { state: { is: 'active', inTime: 1000 }, change: 'triggered' },
  ],
  ['one false puts the clock back', since(41), evaluated(false, 10), { state: inactive }],
  ['false while inactive is nothing', inactive, evaluated(false), { state: inactive }],
  ['an active one stays active', active, evaluated(true), { state: active }],
  [
    'the way out has no threshold',
    active,
    evaluated(false, 10),
    { state: inactive, change: 'cleared', ended: 700 },
  ],
  ['an error puts the clock back', since(0), failed, { state: inactive }],
  ['an error clears nothing', active, failed, { state: active }],
  ['an error of one that is disabled', disabled, failed, { state: disabled }],
  ['a result that comes when it is disabled', disabled, evaluated(true), { state: disabled }],
  ['a result that comes when it is deleted', undefined, evaluated(true), { state: undefined }],
  ['a new one', undefined, saved, { state: inactive }],
  ['a new one that is disabled', undefined, savedDisabled, { state: disabled, change: 'disabled' }],
  ['disabled while inactive', since(0), savedDisabled, { state: disabled, change: 'disabled' }],
  ['disabled while active', active, savedDisabled, { state: disabled, change: 'disabled', ended: 700 }],
  ['disabled again', disabled, savedDisabled, { state: disabled }],
  ['enabled again', disabled, saved, { state: inactive }],
  ['replaced while its clock runs', since(0), saved, { state: inactive }],
  ['replaced while active', active, saved, { state: inactive, ended: 700 }],
  ['deleted while active', active, deleted, { state: undefined, ended: 700 }],
  ['deleted', inactive, deleted, { state: undefined }],
];

for (const [name, state, event, expected] of table) {
  t.test(name, async (t) => {
    t.strictSame(nextState(state, event, moment), expected);
  });
}

t.test('what changes nothing is known before', async (t) => {
  const settled = table.filter(([, state, event]) => state && isSettled(state, event));
  t.strictSame(
    settled.map(([name]) => name),
    ['false while inactive is nothing', 'an active one stays active'],
  );
  for (const [name, state, , expected] of settled) t.strictSame(expected, { state }, name);
});

t.test('which result would change something is known before', async (t) => {
  t.equal(decisive(active, 10, moment), false);
  t.equal(decisive(disabled, 0, moment), undefined);
  t.equal(decisive(inactive, 0, moment), true);
  t.equal(decisive(inactive, 10, moment), undefined);
  t.equal(decisive(since(40), 10, moment), true);
  t.equal(decisive(since(41), 10, moment), undefined);
});
