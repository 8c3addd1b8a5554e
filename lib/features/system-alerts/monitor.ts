import type { Principal } from '../../http/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import { asGatewayError } from '../../model/errors.js';
import type { AlertGroup } from './alert-groups.js';
import type { AlertRegistry, LiveAlert } from './alert-registry.js';
import type { Moment } from './alert-state.js';
import type { ConditionResult, ConditionRunner } from './conditions/condition.js';
import type { SnapshotNames, Snapshots } from './snapshots.js';
import type { TopicHistory } from './topic-history.js';
import { onlyName } from './topic-names.js';
import type { TopicReadings } from './topic-readings.js';
import { maxStops, turns } from './turns.js';

/** Evaluates all alerts that are enabled, again and again. */
interface AlertMonitor {
  start(): void;
  /** Idempotent; waits for the round that is under way. */
  close(): Promise<void>;
}

export interface AlertRound {
  readonly durationMillis: number;
  readonly isOk: boolean;
}

/** Topics that were not read before have so long to say something (ms). */
const hearMillis = 2000;

interface Share {
  readonly group: AlertGroup;
  readonly user: Principal;
  readonly readable: SnapshotNames;
}

export function createAlertMonitor(deps: {
  readonly board: AlertRegistry;
  readonly readings: TopicReadings;
  readonly snapshots: Snapshots;
  readonly history: TopicHistory;
  readonly runner: ConditionRunner;
  readonly principalOf: (identity: Identity) => Promise<Principal>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds from the beginning of one round to that of the next. */
  readonly everyMillis: number;
  /** Processor time that the conditions of one owner may take in a round. */
  readonly millisPerOwner: number;
  readonly onRound: (round: AlertRound) => void;
}): AlertMonitor {
  const { board, readings, snapshots, history, runner, clock, logger, everyMillis, millisPerOwner } = deps;
  let all: readonly LiveAlert[] = [];
  /** Of those that are due; absent when it has to be found out anew which they are. */
  let groups: readonly AlertGroup[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isClosed = false;
  let isFailing = false;
  /** Owners whose conditions saw less than they name. */
  let cramped: ReadonlySet<string> = new Set();
  /** Owners whose conditions took more time than they may, so that some wait for their turn. */
  let late: ReadonlySet<string> = new Set();
  let roundNumber = 0;

  function failed(live: LiveAlert, message: string, moment: Moment): void {
    live.problem = message;
    board.take(live, { is: 'failed' }, moment);
  }

  /** Once, while it lasts. */
  function sayWhoIsCramped(taken: readonly { readonly owner: string; readonly leftOut: number }[]): void {
    const now = taken.filter(({ leftOut }) => leftOut > 0);
    for (const { owner, leftOut } of now) {
      if (cramped.has(owner)) continue;
      logger.warn(
        { event: 'alerts.topics_limited', owner, leftOut },
        'conditions of an owner see fewer topics than they name',
      );
    }
    cramped = new Set(now.map(({ owner }) => owner));
  }

  /** Once, while it lasts. */
  function sayWhoIsLate(now: ReadonlySet<string>): void {
    for (const owner of now) {
      if (late.has(owner)) continue;
      logger.warn(
        { event: 'alerts.time_limited', owner, millisPerOwner },
        'conditions of an owner take more time than they may; they are evaluated in turn, over several rounds',
      );
    }
    if (now.size > 0 || late.size > 0) groups = undefined;
    late = now;
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
    groups = turns(all, (userName) => late.has(userName));
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
      // By name: who saves alerts with many tokens has no more time than others.
      snapshots: taken.map(({ group, topics, owner }) => ({
        topics,
        conditions: group.conditionsAt(moment),
        owner,
      })),
      ownerMillis: millisPerOwner,
    });
    if (isClosed) return;
    roundNumber++;
    const lateNow = new Set<string>();
    let at = 0;
    for (const { group, topics, owner } of taken) {
      const end = at + group.alerts.length;
      if (results.slice(at, end).some((result) => isOwnersFault(result))) lateNow.add(owner);
      group.take(results.slice(at, end), (live, result) => take(live, result, topics, moment));
      at = end;
    }
    sayWhoIsLate(lateNow);
  }

  /** `moment`: of the snapshot, not of the answer. */
  function take(
    live: LiveAlert,
    result: ConditionResult,
    topics: ReadonlyMap<string, string>,
    moment: Moment,
  ): void {
    if (result.is === 'skipped') {
      live.waitsSince ??= roundNumber;
      groups = undefined;
      // What is wrong with the condition itself is more to know.
      if (isOwnersFault(result)) live.problem ??= waitsFor(live, millisPerOwner);
      return;
    }
    live.waitsSince = undefined;
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
        { event: 'alerts.condition_suspended', alert: live.alert.name },
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
          if (!isFailing && !isClosed)
            logger.error({ event: 'alerts.evaluation_failed', err }, 'alerts can not be evaluated');
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

const isOwnersFault = (result: ConditionResult): boolean =>
  result.is === 'skipped' && result.because === 'owner';

const waitsFor = ({ alert }: LiveAlert, millis: number): string =>
  `It waits for its turn: all conditions of ${alert.owner.userName} together take more than ${millis} ms of processor time in a round`;

/** The reason for most errors. */
function withoutData({ alert }: LiveAlert, topics: ReadonlyMap<string, string>): string {
  const missing = alert.topics
    .flatMap((pattern) => onlyName(pattern) ?? [])
    .filter((name) => !topics.has(name));
  return missing.length === 0 ? '' : ` (there is no data of ${missing.join(', ')})`;
}
