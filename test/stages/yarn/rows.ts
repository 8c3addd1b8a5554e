import { readFileSync } from 'node:fs';
import type { Test } from 'tap';

/** Operations of sections 4.1 to 4.3 of this table: those that manage a living application. */
const specified = readFileSync('test/spec/endpoints.tsv', 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .filter(([section = '']) => /^4\.[123] /.test(section))
  .map(([, method = '', path = '']) => `${method} ${short(path)}`);

/** What the gateway publishes by itself. */
const topics = ['applications', 'applications.{}', 'cluster.metrics'].concat(
  ['containers', 'physicalOperators', 'logicalOperators', 'events'].map((part) => `applications.{}.${part}`),
);

/** Short enough for one line of the report. */
function short(path: string): string {
  return path
    .replace('/ws/v2/applications/{appid}', 'A')
    .replace('A/physicalPlan', 'PP')
    .replace('A/logicalPlan', 'LP')
    .replaceAll(/\{\w+\}/g, '{}');
}

export interface Rows {
  /** A subtest that drives one operation: `GET PP/operators/{}`. */
  row(name: string, run: (t: Test) => Promise<void>): Promise<unknown>;
  /** A topic, `applications.{}.events`, told what the engine does. */
  heard(topic: string): void;
  /** Prints the table, and fails for each operation that no row drove. */
  report(): void;
}

export function specifiedRows(t: Test): Rows {
  const outcomes = new Map<string, 'passed' | 'FAILED'>();
  return {
    row(name, run) {
      if (!specified.includes(name)) throw new Error(`test/spec/endpoints.tsv has no ${name}`);
      return t.test(name, async (t) => {
        outcomes.set(name, 'FAILED');
        await run(t);
        if (t.passing()) outcomes.set(name, 'passed');
      });
    },
    heard(topic) {
      if (!topics.includes(topic)) throw new Error(`There is no topic ${topic}`);
      outcomes.set(topic, 'passed');
    },
    report() {
      const passed = (names: readonly string[]) =>
        `${names.filter((name) => outcomes.get(name) === 'passed').length} of ${names.length}`;
      const line = (name: string) => `${(outcomes.get(name) ?? 'not driven').padEnd(12)} ${name}`;
      t.comment(
        [
          `${passed(specified)} operations and ${passed(topics)} topics on the real engine`,
          ...[...specified, ...topics].map(line),
          'operations: 17 rows of section 4.1, 26 of 4.2 and 12 of 4.3, which are all that there are',
        ].join('\n'),
      );
      t.strictSame(
        [...specified, ...topics].filter((name) => !outcomes.has(name)),
        [],
        'every operation and every topic was driven',
      );
    },
  };
}
