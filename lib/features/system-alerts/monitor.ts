import { asGatewayError } from '../../core/errors.js';
import type { Principal } from '../../core/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ConditionResult, ConditionRunner } from '../../interfaces/conditions.js';
import type { Logger } from '../../interfaces/logger.js';
import { type AlertGroup, alertGroups } from './alert-groups.js';
import type { Moment } from './alert-state.js';
import type { AlertBoard, LiveAlert } from './board.js';
import type { SnapshotNames, Snapshots } from './snapshots.js';
import type { TopicHistory } from './topic-history.js';
import { onlyName } from './topic-names.js';
import type { TopicReadings } from './topic-readings.js';

/** Evaluates all alerts that are enabled, again and again. */
export interface AlertMonitor {
  start(): void;
  /** Idempotent; waits for the round that is under way. */
  close(): Promise<void>;
}

export interface AlertRound {
  readonly durationMillis: number;
  readonly isOk: boolean;
}

/** A condition that had to be stopped so often in a row is left alone until it is saved again. */
const maxStops = 3;
/** Topics that were not read before have so long to say something (ms). */
const hearMillis = 2000;

interface Share {
  readonly group: AlertGroup;
  readonly user: Principal;
  readonly readable: SnapshotNames;
}

export function createAlertMonitor(deps: {
  readonly board: AlertBoard;
  readonly readings: TopicReadings;
  readonly snapshots: Snapshots;
  readonly history: TopicHistory;
  readonly runner: ConditionRunner;
  readonly principalOf: (identity: Identity) => Promise<Principal>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds from the beginning of one round to that of the next. */
  readonly everyMillis: number;
  readonly onRound: (round: AlertRound) => void;
}): AlertMonitor {
  const { board, readings, snapshots, history, runner, clock, logger, everyMillis } = deps;
  let all: readonly LiveAlert[] = [];
  /** Of those that are due; absent when it has to be found out anew which they are. */
  let groups: readonly AlertGroup[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isClosed = false;
  let isFailing = false;
  /** Owners whose conditions saw less than they name. */
  let cramped: ReadonlySet<string> = new Set();

  function failed(live: LiveAlert, message: string, moment: Moment): void {
    live.problem = message;
    board.take(live, { is: 'failed' }, moment);
  }

  /** Once, while it lasts. */
  function sayWhoIsCramped(taken: readonly { readonly owner: string; readonly leftOut: number }[]): void {
    const now = taken.filter(({ leftOut }) => leftOut > 0);
    for (const { owner, leftOut } of now) {
      if (cramped.has(owner)) continue;
      logger.warn({ owner, leftOut }, 'conditions of an owner see fewer topics than they name');
    }
    cramped = new Set(now.map(({ owner }) => owner));
  }

  const present = (): Moment => ({ now: clock.now(), monotonic: clock.monotonic() });

  /** What one owner's conditions read; `undefined` when he may nothing any more. */
  async function shareOf(group: AlertGroup): Promise<Share | undefined> {
    try {
      const user = await deps.principalOf(group.owner);
      return { group, user, readable: await snapshots.namesFor(user, group.topics) };
    } catch (error) {
      const { message } = asGatewayError(error);
      const moment = present();
      group.take(
        group.alerts.map(() => ({ is: 'failed', message })),
        (live) => failed(live, message, moment),
      );
      return undefined;
    }
  }

  /** The same as in the round before, while the same alerts are due. */
  function groupsNow(): readonly AlertGroup[] {
    if (groups && all === board.all()) return groups;
    all = board.all();
    groups = alertGroups(
      soundFirst(all.filter(({ state, stops }) => state.is !== 'disabled' && stops < maxStops)),
    );
    return groups;
  }

  async function evaluateAll(): Promise<void> {
    const shares = (await Promise.all(groupsNow().map(shareOf))).filter((share) => share !== undefined);
    if (isClosed) return;
    readings.want(new Set(shares.flatMap(({ readable }) => readable.names)));
    if (shares.length === 0) return;
    await readings.heard(hearMillis);
    const moment = present();
    const taken = shares.map(({ group, user, readable }) => ({
      group,
      owner: user.userName,
      ...snapshots.take(user, readable),
    }));
    sayWhoIsCramped(taken);
    for (const { owner, topics } of taken) history.record({ time: moment.now, owner, topics });
    const results = await runner.evaluate({
      snapshots: taken.map(({ group, topics }) => ({ topics, conditions: group.conditionsAt(moment) })),
    });
    if (isClosed) return;
    let at = 0;
    for (const { group, topics } of taken) {
      const end = at + group.alerts.length;
      group.take(results.slice(at, end), (live, result) => take(live, result, topics, moment));
      at = end;
    }
  }

  /** `moment`: of the snapshot, not of the answer. */
  function take(
    live: LiveAlert,
    result: ConditionResult,
    topics: ReadonlyMap<string, string>,
    moment: Moment,
  ): void {
    if (result.is === 'skipped') return;
    const stops = result.is === 'stopped' ? live.stops + 1 : 0;
    if (stops !== live.stops) groups = undefined;
    live.stops = stops;
    if (result.is === 'evaluated') {
      const { holds, note, fields = [] } = result;
      live.problem = note;
      const { timeThresholdMillis: thresholdMillis } = live.alert;
      board.take(live, { is: 'evaluated', holds, thresholdMillis }, moment, fields);
    } else if (live.stops < maxStops) {
      failed(live, result.message + withoutData(live, topics), moment);
    } else {
      logger.warn(
        { alert: live.alert.name },
        'the condition of an alert is suspended until it is saved again',
      );
      failed(live, `${result.message}, ${maxStops} times in a row: save it again to resume`, moment);
    }
  }

  function schedule(): void {
    if (isClosed) return;
    const wait = everyMillis - (clock.monotonic() % everyMillis);
    // A timer may come a little early.
    timer = setTimeout(beat, wait < everyMillis / 10 ? wait + everyMillis : wait).unref();
  }

  function beat(): void {
    const startedAt = clock.monotonic();
    const ended = (isOk: boolean) => deps.onRound({ isOk, durationMillis: clock.monotonic() - startedAt });
    round = evaluateAll()
      .then(
        () => {
          isFailing = false;
          ended(true);
        },
        (err: unknown) => {
          if (!isFailing && !isClosed) logger.error({ err }, 'alerts can not be evaluated');
          isFailing = true;
          ended(false);
        },
      )
      .finally(schedule);
  }

  return {
    start: schedule,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      readings.close();
      await round;
    },
  };
}

/** Those that had to be stopped come last: they take the time of nobody who kept to his. */
const soundFirst = (alerts: readonly LiveAlert[]): readonly LiveAlert[] =>
  alerts.some(({ stops }) => stops > 0) ? alerts.toSorted((a, b) => a.stops - b.stops) : alerts;

/** The reason for most errors. */
function withoutData({ alert }: LiveAlert, topics: ReadonlyMap<string, string>): string {
  const missing = alert.topics
    .flatMap((pattern) => onlyName(pattern) ?? [])
    .filter((name) => !topics.has(name));
  return missing.length === 0 ? '' : ` (there is no data of ${missing.join(', ')})`;
}
