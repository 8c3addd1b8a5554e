import type { Principal } from '../../http/principal.js';
import { mapLimited } from '../../runtime/map-limited.js';
import type { TopicPattern } from './conditions/condition.js';
import { isNamedBy, knownTopics, onlyName } from './topic-names.js';
import type { TopicReadings, TopicSource } from './topic-readings.js';

/** Which topics somebody's conditions read, and what is in them. */
export interface Snapshots {
  /**
   * Names for which the patterns stand now and that `user` may read, at most `limits.topics`. Rejects when that can't be
   * found out.
   */
  namesFor(user: Principal, patterns: readonly TopicPattern[]): Promise<SnapshotNames>;
  /** Of those that have said something; together at most `limits.characters`. */
  take(user: Principal, names: SnapshotNames): Snapshot;
}

export interface SnapshotNames {
  readonly names: readonly string[];
  /** How many more there would be without the limit. */
  readonly leftOut: number;
}

interface Snapshot {
  /** Name to JSON text. */
  readonly topics: ReadonlyMap<string, string>;
  /** How many more there would be without the limits. */
  readonly leftOut: number;
}

export interface SnapshotLimits {
  /** Topics of one owner. Default: 500. */
  readonly topics: number;
  /** Characters of JSON that one owner's conditions see. Default: 16 million. */
  readonly characters: number;
}

const asksAtOnce = 50;

export function createSnapshots(deps: {
  readonly source: Pick<TopicSource, 'mayRead'>;
  readonly readings: Pick<TopicReadings, 'of'>;
  /** Applications that have not ended and whose topics `user` may read: of others there may be any number. */
  readonly appIds: (user: Principal) => Promise<readonly string[]>;
  readonly limits: SnapshotLimits;
}): Snapshots {
  const { source, readings, limits } = deps;

  return {
    async namesFor(user, patterns) {
      const exact = patterns.flatMap((pattern) => onlyName(pattern) ?? []);
      const open = patterns.filter((pattern) => onlyName(pattern) === undefined);
      const known = open.length === 0 ? [] : knownTopics(await deps.appIds(user));
      const found = known.filter((name) => open.some((pattern) => isNamedBy(pattern, name)));
      const all = [...new Set([...exact, ...found])];
      const names = all.slice(0, limits.topics);
      const allowed = await mapLimited(names, asksAtOnce, (name) => source.mayRead(user, name));
      return { names: names.filter((_, index) => allowed[index]), leftOut: all.length - names.length };
    },
    take(user, { names, leftOut }) {
      const topics = new Map<string, string>();
      let left = limits.characters;
      let tooLong = 0;
      for (const name of names) {
        const text = readings.of(name, user);
        if (text === undefined) continue;
        if (text.length > left) {
          tooLong++;
          continue;
        }
        left -= text.length;
        topics.set(name, text);
      }
      return { topics, leftOut: leftOut + tooLong };
    },
  };
}
