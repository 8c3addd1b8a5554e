import type { Principal } from '../../http/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import { createAlertOutcomes } from './alert-outcomes.js';
import type { AlertRegistry } from './alert-registry.js';
import type { Moment } from './alert-state.js';
import type { ConditionRunner } from './conditions/condition.js';
import { createDueAlerts } from './due-alerts.js';
import { createLimitWarnings } from './limit-warnings.js';
import { sharesOf } from './owner-shares.js';
import { type AlertRound, createRoundTicker } from './round-ticker.js';
import type { Snapshots } from './snapshots.js';
import type { TopicHistory } from './topic-history.js';
import type { TopicReadings } from './topic-readings.js';

/** Evaluates all alerts that are enabled, again and again. */
interface AlertMonitor {
  start(): void;
  /** Idempotent; waits for the round that is under way. */
  close(): Promise<void>;
}

/** Topics that were not read before have so long to say something (ms). */
const hearMillis = 2000;

export function createAlertMonitor(deps: {
  readonly registry: AlertRegistry;
  readonly readings: TopicReadings;
  readonly snapshots: Snapshots;
  readonly history: TopicHistory;
  readonly runner: ConditionRunner;
  readonly principalOf: (identity: Identity) => Principal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds from the beginning of one round to that of the next. */
  readonly everyMillis: number;
  /** The conditions of one owner may take so much processor time in a round. */
  readonly millisPerOwner: number;
  readonly onRound: (round: AlertRound) => void;
}): AlertMonitor {
  const { registry, readings, snapshots, history, runner, clock, logger, millisPerOwner } = deps;
  const due = createDueAlerts(registry.all);
  const warnings = createLimitWarnings({ millisPerOwner, logger });
  const outcomes = createAlertOutcomes({ registry, due, warnings, millisPerOwner, logger });
  const ticker = createRoundTicker({
    evaluate: evaluateAll,
    onRound: deps.onRound,
    everyMillis: deps.everyMillis,
    clock,
    logger,
  });

  const present = (): Moment => ({ now: clock.now(), monotonic: clock.monotonic() });

  async function evaluateAll(closing: AbortSignal): Promise<void> {
    const shares = await sharesOf(due.groups(), {
      principalOf: deps.principalOf,
      snapshots,
      failed: (group, message) => outcomes.failed(group, message, present()),
    });
    if (closing.aborted) return;
    readings.want(new Set(shares.flatMap(({ readable }) => readable.names)));
    if (shares.length === 0) return;
    await readings.heard(hearMillis);
    const moment = present();
    const taken = shares.map(({ group, user, readable }) => ({
      group,
      owner: user.userName,
      ...snapshots.take(user, readable),
    }));
    warnings.truncated(taken);
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
    if (closing.aborted) return;
    outcomes.takeRound(taken, results, moment);
  }

  return {
    start: ticker.start,
    async close() {
      const closed = ticker.close();
      readings.close();
      await closed;
    },
  };
}
