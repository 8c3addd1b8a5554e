import { readFileSync } from 'node:fs';
import type { Test } from 'tap';

/** Operations of the specification's sections 4.1 to 4.3: those that manage a living application. */
const specified = readFileSync('test/spec/endpoints.tsv', 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .filter(([section = '']) => /^4\.[123] /.test(section))
  .map(([, method = '', path = '']) => `${method} ${short(path)}`);

/** As the specification abbreviates them. */
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
  /** Prints the table, and fails for each operation that no row drove. */
  report(): void;
}

export function specifiedRows(t: Test): Rows {
  const outcomes = new Map<string, 'passed' | 'FAILED'>();
  return {
    row(name, run) {
      if (!specified.includes(name)) throw new Error(`The specification has no ${name}`);
      return t.test(name, async (t) => {
        outcomes.set(name, 'FAILED');
        await run(t);
        if (t.passing()) outcomes.set(name, 'passed');
      });
    },
    report() {
      const lines = specified.map((name) => `${(outcomes.get(name) ?? 'not driven').padEnd(12)} ${name}`);
      const passed = [...outcomes.values()].filter((outcome) => outcome === 'passed').length;
      t.comment(`${passed} of ${specified.length} operations on the real engine\n${lines.join('\n')}`);
      t.strictSame(
        specified.filter((name) => !outcomes.has(name)),
        [],
        'every operation was driven',
      );
    },
  };
}
