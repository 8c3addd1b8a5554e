import type { Logger } from '../../interfaces/logger.js';
import type { AlertRegistry } from './alert-registry.js';
import type { Moment } from './alert-state.js';
import type { ConditionResult } from './conditions/condition.js';
import type { DueAlerts } from './due-alerts.js';
import type { LiveAlert } from './live-alert.js';
import { onlyName } from './topic-names.js';
import { maxStops } from './turns.js';

/** What a condition was evaluated over. */
interface Evaluated {
  readonly topics: ReadonlyMap<string, string>;
  /** The moment of the snapshot, not of the answer. */
  readonly moment: Moment;
  readonly roundNumber: number;
}

/** Brings what came of conditions to their alerts: what is wrong, how often they were stopped, and their states. */
interface AlertOutcomes {
  take(live: LiveAlert, result: ConditionResult, over: Evaluated): void;
  failed(live: LiveAlert, message: string, moment: Moment): void;
}

export function createAlertOutcomes(deps: {
  readonly registry: Pick<AlertRegistry, 'take'>;
  readonly due: Pick<DueAlerts, 'changed'>;
  readonly millisPerOwner: number;
  readonly logger: Logger;
}): AlertOutcomes {
  const { registry, due, millisPerOwner, logger } = deps;

  function failed(live: LiveAlert, message: string, moment: Moment): void {
    live.problem = message;
    registry.take(live, { is: 'failed' }, moment);
  }

  return {
    failed,
    take(live, result, { topics, moment, roundNumber }) {
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
    },
  };
}

/** The other conditions of its owner took the time of the round. */
export const isOwnersFault = (result: ConditionResult): boolean =>
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
