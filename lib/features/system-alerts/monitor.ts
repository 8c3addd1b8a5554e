import { asGatewayError } from '../../core/errors.js';
import type { Principal } from '../../core/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Condition, ConditionResult, ConditionRunner } from '../../interfaces/conditions.js';
import type { Logger } from '../../interfaces/logger.js';
import { decisive, type Moment } from './alert-state.js';
import type { AlertBoard, LiveAlert } from './board.js';
import { byOwner } from './owners.js';
import type { Snapshots } from './snapshots.js';
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
  readonly user: Principal;
  readonly alerts: readonly LiveAlert[];
  readonly names: readonly string[];
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
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isClosed = false;
  let isFailing = false;

  function failed(live: LiveAlert, message: string, moment: Moment): void {
    live.problem = message;
    board.take(live, { is: 'failed' }, moment);
  }

  const present = (): Moment => ({ now: clock.now(), monotonic: clock.monotonic() });

  /** What one owner's conditions read; `undefined` when he may nothing any more. */
  async function shareOf({
    owner,
    alerts,
  }: ReturnType<typeof byOwner<LiveAlert>>[number]): Promise<Share | undefined> {
    try {
      const user = await deps.principalOf(owner);
      const names = await snapshots.namesFor(
        user,
        alerts.flatMap(({ alert }) => alert.topics),
      );
      return { user, alerts, names };
    } catch (error) {
      for (const live of alerts) failed(live, asGatewayError(error).message, present());
      return undefined;
    }
  }

  async function evaluateAll(): Promise<void> {
    const due = board.all().filter(({ state, stops }) => state.is !== 'disabled' && stops < maxStops);
    const shares = (await Promise.all(byOwner(due).map(shareOf))).filter((share) => share !== undefined);
    readings.want(new Set(shares.flatMap(({ names }) => names)));
    if (shares.length === 0) return;
    await readings.heard(hearMillis);
    const moment = present();
    const taken = shares.map(({ user, names, alerts }) => ({
      owner: user.userName,
      topics: snapshots.take(user, names),
      alerts,
    }));
    for (const { owner, topics } of taken) history.record({ time: moment.now, owner, topics });
    const results = await runner.evaluate({
      snapshots: taken.map(({ topics, alerts }) => ({
        topics,
        conditions: soundFirst(alerts).map(({ alert, state }): Condition => {
          const fieldsWhen = decisive(state, alert.timeThresholdMillis, moment);
          return {
            id: alert.name,
            script: alert.condition,
            ...(fieldsWhen === undefined ? {} : { fieldsWhen }),
          };
        }),
      })),
    });
    if (isClosed) return;
    for (const { topics, alerts } of taken) {
      for (const live of alerts) take(live, results.get(live.alert.name), topics, moment);
    }
  }

  /** `moment`: of the snapshot, not of the answer. */
  function take(
    live: LiveAlert,
    result: ConditionResult | undefined,
    topics: ReadonlyMap<string, string>,
    moment: Moment,
  ): void {
    if (!result || result.is === 'skipped') return;
    live.stops = result.is === 'stopped' ? live.stops + 1 : 0;
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
const soundFirst = (alerts: readonly LiveAlert[]): LiveAlert[] =>
  alerts.toSorted((a, b) => a.stops - b.stops);

/** The reason for most errors. */
function withoutData({ alert }: LiveAlert, topics: ReadonlyMap<string, string>): string {
  const missing = alert.topics
    .flatMap((pattern) => onlyName(pattern) ?? [])
    .filter((name) => !topics.has(name));
  return missing.length === 0 ? '' : ` (there is no data of ${missing.join(', ')})`;
}
