import type { Logger } from '../../interfaces/logger.js';
import type { AlertGroup } from './alert-groups.js';
import type { AlertRegistry } from './alert-registry.js';
import type { Moment } from './alert-state.js';
import type { ConditionResult } from './conditions/condition.js';
import type { DueAlerts } from './due-alerts.js';
import { maxStops } from './evaluation-order.js';
import type { LimitWarnings } from './limit-warnings.js';
import type { LiveAlert } from './live-alert.js';
import { onlyName } from './topic-names.js';

/** What the conditions of one owner were evaluated over. */
interface EvaluatedGroup {
  readonly group: AlertGroup;
  readonly owner: string;
  readonly topics: ReadonlyMap<string, string>;
}

/** Brings what came of conditions to their alerts: what is wrong, how often they were stopped, and their states. */
interface AlertOutcomes {
  /**
   * What came of a round. `results`: those of all conditions, in the order of the groups. `moment`: of the snapshot, not of
   * the answer.
   */
  takeRound(groups: readonly EvaluatedGroup[], results: readonly ConditionResult[], moment: Moment): void;
  /** None of these conditions could be evaluated. */
  failed(group: AlertGroup, message: string, moment: Moment): void;
}

export function createAlertOutcomes(deps: {
  readonly registry: Pick<AlertRegistry, 'take'>;
  readonly due: Pick<DueAlerts, 'changed' | 'late'>;
  readonly warnings: Pick<LimitWarnings, 'late'>;
  readonly millisPerOwner: number;
  readonly logger: Logger;
}): AlertOutcomes {
  const { registry, due, warnings, millisPerOwner, logger } = deps;
  let roundNumber = 0;

  function failed(live: LiveAlert, message: string, moment: Moment): void {
    live.problem = message;
    registry.take(live, { is: 'failed' }, moment);
  }

  function take(
    live: LiveAlert,
    result: ConditionResult,
    topics: EvaluatedGroup['topics'],
    moment: Moment,
  ): void {
    if (result.is === 'skipped') {
      live.waitsSince ??= roundNumber;
      due.changed();
      // What is wrong with the condition itself is more to know.
      if (isOwnersFault(result)) live.problem ??= waitsFor(live, millisPerOwner);
      return;
    }
    live.waitsSince = undefined;
    const stops = result.is === 'stopped' ? live.stops + 1 : 0;
    if (stops !== live.stops) due.changed();
    live.stops = stops;
    if (result.is === 'evaluated') {
      const { holds, note, fields = [] } = result;
      live.problem = note;
      const { timeThresholdMillis: thresholdMillis } = live.alert;
      registry.take(live, { is: 'evaluated', holds, thresholdMillis }, moment, fields);
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

  return {
    takeRound(groups, results, moment) {
      roundNumber++;
      const late = new Set<string>();
      let at = 0;
      for (const { group, topics, owner } of groups) {
        const end = at + group.alerts.length;
        const own = results.slice(at, end);
        if (own.some(isOwnersFault)) late.add(owner);
        group.take(own, (live, result) => take(live, result, topics, moment));
        at = end;
      }
      warnings.late(late);
      due.late(late);
    },
    failed(group, message, moment) {
      group.take(
        group.alerts.map(() => ({ is: 'failed', message })),
        (live) => failed(live, message, moment),
      );
    },
  };
}

/** The other conditions of its owner took the time of the round. */
const isOwnersFault = (result: ConditionResult): boolean =>
  result.is === 'skipped' && result.because === 'owner';

const waitsFor = ({ alert }: LiveAlert, millis: number): string =>
  `It waits for its turn: all conditions of ${alert.owner.userName} together take more than ${millis} ms of processor time in a round`;

/** Names the topics without data: they are the reason for most errors. */
function withoutData({ alert }: LiveAlert, topics: ReadonlyMap<string, string>): string {
  const missing = alert.topics
    .flatMap((pattern) => onlyName(pattern) ?? [])
    .filter((name) => !topics.has(name));
  return missing.length === 0 ? '' : ` (there is no data of ${missing.join(', ')})`;
}
