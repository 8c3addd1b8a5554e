import { decisive, isSettled, type Moment } from './alert-state.js';
import type { Condition, ConditionResult, TopicPattern } from './conditions/condition.js';
import type { LiveAlert } from './live-alert.js';
import { byOwner } from './owners.js';
import type { StoredAlert } from './stored.js';

/** Alerts of one owner that are due. In most rounds nothing is new of most of them: those are not looked at. */
export interface AlertGroup {
  readonly owner: StoredAlert['owner'];
  readonly alerts: readonly LiveAlert[];
  /** Of all of them, each once. */
  readonly topics: readonly TopicPattern[];
  /** One for each alert; the same array as before while nothing else is asked. */
  conditionsAt(moment: Moment): readonly Condition[];
  /**
   * `results`: one for each alert. Takes those that are not the same object as in the round before, and those of alerts that
   * their result leaves under way.
   */
  take(
    results: readonly ConditionResult[],
    takeOne: (live: LiveAlert, result: ConditionResult) => void,
  ): void;
}

/** By owner. */
export const alertGroups = (due: readonly LiveAlert[]): readonly AlertGroup[] => byOwner(due).map(groupOf);

function groupOf({ owner, alerts }: ReturnType<typeof byOwner<LiveAlert>>[number]): AlertGroup {
  const topics = new Map(
    alerts.flatMap(({ alert }) => alert.topics).map((topic) => [JSON.stringify(topic), topic]),
  );
  let conditions: readonly Condition[] = [];
  let latest: readonly ConditionResult[] = [];
  /** By their place: those whose clock runs, and those that may be asked something else than before. */
  let moving: ReadonlyMap<number, LiveAlert> = new Map(alerts.entries());
  return {
    owner,
    alerts,
    topics: [...topics.values()],
    conditionsAt(moment) {
      const isSame = [...moving].every(
        ([index, live]) => fieldsWhen(live, moment) === conditions[index]?.fieldsWhen,
      );
      if (!isSame || conditions.length === 0) conditions = alerts.map((live) => conditionOf(live, moment));
      return conditions;
    },
    take(results, takeOne) {
      const movingNow = new Map<number, LiveAlert>();
      for (const [index, live] of alerts.entries()) {
        const result = results[index];
        if (!result || (result === latest[index] && !moving.has(index))) continue;
        const { state } = live;
        takeOne(live, result);
        if (state !== live.state || !isSettled(live.state, result)) movingNow.set(index, live);
      }
      // At the end: after an error all are looked at as if this round had not been.
      latest = results;
      moving = movingNow;
    },
  };
}

/** What an alert read is told with the change that it makes. */
const fieldsWhen = ({ alert, state }: LiveAlert, moment: Moment): boolean | undefined =>
  decisive(state, alert.timeThresholdMillis, moment);

function conditionOf(live: LiveAlert, moment: Moment): Condition {
  const when = fieldsWhen(live, moment);
  return { script: live.alert.condition, ...(when === undefined ? {} : { fieldsWhen: when }) };
}
