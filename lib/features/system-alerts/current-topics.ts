import type { Principal } from '../../http/principal.js';
import type { Clock } from '../../interfaces/clock.js';
import type { TopicPattern } from './conditions/condition.js';
import { createSnapshots, type SnapshotLimits } from './snapshots.js';
import { createTopicReadings, type TopicSource } from './topic-readings.js';

/** What is in topics at this moment, of those of which it can be found out that `user` may read them: name to JSON text. */
export type CurrentTopics = (
  user: Principal,
  patterns: readonly TopicPattern[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, string>>;

/** Nobody may have listened before; a source has so long to answer (ms). */
const hearMillis = 2000;

export function createCurrentTopics(deps: {
  readonly source: TopicSource;
  readonly clock: Clock;
  readonly appIds: (user: Principal) => Promise<readonly string[]>;
  readonly limits: SnapshotLimits;
}): CurrentTopics {
  const source: Pick<TopicSource, 'mayRead'> = {
    mayRead: (user, topic) => deps.source.mayRead(user, topic).catch(() => false),
  };
  const appIds = (user: Principal) => deps.appIds(user).catch(() => []);
  return async (user, patterns, signal) => {
    const readings = createTopicReadings(deps.source, deps.clock);
    const snapshots = createSnapshots({ source, appIds, readings, limits: deps.limits });
    try {
      const readable = await snapshots.namesFor(user, patterns);
      signal.throwIfAborted();
      readings.want(new Set(readable.names));
      await readings.heard(hearMillis);
      return snapshots.take(user, readable).topics;
    } finally {
      readings.close();
    }
  };
}
