import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchNames } from './names.js';
import { holds, type Line, print, type Report } from './report.js';
import { resultsToExtend, savedTable, withBench, writeResults } from './results.js';

// Every bench in turn, each a process of its own, and at the end all lines that have a goal, in one table. One that breaks
// or hangs is a missed line, and the others go on.
// With a file, what each measured is kept there as soon as it ends; benches that it does not name keep their results of
// before, so a run that was cut off goes on with the rest.
//   node build/bench/all.js [--save FILE] [bench...]

/** Of each. */
const timeoutMillis = 15 * 60_000;
/** For a bench that is told to end, and what it has started. */
const graceMillis = 5000;

const {
  positionals: named,
  values: { save },
} = parseArgs({ allowPositionals: true, options: { save: { type: 'string' } } });
let results = save === undefined ? undefined : resultsToExtend(save);
const unknown = named.filter((name) => !benchNames.includes(name));
if (unknown.length > 0)
  throw new Error(`There is no bench ${unknown.join(', ')}, but ${benchNames.join(', ')}`);

interface Run {
  readonly reports: readonly Report[];
  readonly seconds: number;
  /** The code or signal that it ended with, where it did not come to its end. */
  readonly broke?: string;
}

/** A bench in a process of its own. */
async function run(name: string): Promise<Run> {
  console.log(`\n=== ${name}`);
  const startedAt = performance.now();
  const child = fork(join(import.meta.dirname, `${name}.js`));
  const reports: Report[] = [];
  // Told by `report` alone. What is not a number would not arrive.
  child.on('message', ({ title, lines }: Report) => {
    reports.push({ title, lines: lines.map((line) => ({ ...line, figure: line.figure ?? Number.NaN })) });
  });
  const timers = [
    setTimeout(() => child.kill(), timeoutMillis),
    setTimeout(() => child.kill('SIGKILL'), timeoutMillis + graceMillis),
  ];
  // Not `exit`: what it told last may come after that.
  const [code, signal] = await once(child, 'close');
  for (const timer of timers) clearTimeout(timer);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${seconds} s`);
  // A bench whose goals are missed ends with 1, too.
  const areAllMet = reports.every(({ lines }) => lines.every(holds));
  const isWhole = reports.length > 0 && (code === 0 || (code === 1 && !areAllMet));
  return { reports, seconds, ...(isWhole ? {} : { broke: `${signal ?? code}` }) };
}

/** The lines with a goal, and one more where the bench broke. */
const goalsOf = (name: string, { reports, broke }: Run): Line[] => [
  ...reports
    .flatMap(({ lines }) => lines)
    .filter(({ goal }) => goal !== undefined)
    .map((line) => ({ ...line, what: `${name}: ${line.what}` })),
  ...(broke === undefined
    ? []
    : [{ what: `${name}: ended with ${broke}`, figure: Number.NaN, goal: { atMost: 0 } }]),
];

const all: Line[] = [];
for (const name of named.length > 0 ? named : benchNames) {
  const date = new Date().toISOString().slice(0, 10);
  const { reports, ...ended } = await run(name);
  all.push(...goalsOf(name, { reports, ...ended }));
  if (results === undefined || save === undefined) continue;
  results = withBench(results, name, { date, ...ended, tables: reports.map(savedTable) });
  writeResults(save, results);
}
console.log('');
print('All goals', all);
const missed = all.filter((line) => !holds(line)).length;
console.log(`${all.length - missed} of ${all.length} goals met, ${missed} missed`);
process.exitCode = missed === 0 ? 0 : 1;
