import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { holds, type Line, print, type Report } from './report.js';

// Every bench in turn, each a process of its own, and at the end all lines that have a goal, in one table. One that breaks
// or hangs is a missed line, and the others go on.
//   node build/bench/all.js [bench...]

/** Parts of others, and what needs a directory server or a library from elsewhere. */
const apart: ReadonlySet<string> = new Set([
  'all',
  'report',
  'engine-operators',
  'directory-logins',
  'directory-searches',
  'jars',
]);
/** Of each. */
const timeoutMillis = 15 * 60_000;
/** For a bench that is told to end, and what it has started. */
const graceMillis = 5000;

const named = process.argv.slice(2);
const found = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.js'))
  .map((file) => basename(file, '.js'))
  .filter((name) => !apart.has(name))
  .toSorted();
const unknown = named.filter((name) => !found.includes(name));
if (unknown.length > 0) throw new Error(`There is no bench ${unknown.join(', ')}, but ${found.join(', ')}`);

/** The lines with a goal that a bench reported, and one more where it did not come to its end. */
async function run(name: string): Promise<Line[]> {
  console.log(`\n=== ${name}`);
  const startedAt = performance.now();
  const child = fork(join(import.meta.dirname, `${name}.js`));
  const lines: Line[] = [];
  // Told by `report` alone.
  child.on('message', (report: Report) => {
    const goals = report.lines.filter(({ goal }) => goal !== undefined);
    // What is not a number would not arrive.
    lines.push(
      ...goals.map((line) => ({ ...line, what: `${name}: ${line.what}`, figure: line.figure ?? Number.NaN })),
    );
  });
  const timers = [
    setTimeout(() => child.kill(), timeoutMillis),
    setTimeout(() => child.kill('SIGKILL'), timeoutMillis + graceMillis),
  ];
  // Not `exit`: what it told last may come after that.
  const [code, signal] = await once(child, 'close');
  for (const timer of timers) clearTimeout(timer);
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  // A bench whose goals are missed ends with 1, too.
  const isWhole = lines.length > 0 && (code === 0 || (code === 1 && !lines.every(holds)));
  const broken = { what: `${name}: ended with ${signal ?? code}`, figure: Number.NaN, goal: { atMost: 0 } };
  return isWhole ? lines : [...lines, broken];
}

const all: Line[] = [];
for (const name of named.length > 0 ? named : found) all.push(...(await run(name)));
console.log('');
print('All goals', all);
const missed = all.filter((line) => !holds(line)).length;
console.log(`${missed} of ${all.length} goals missed`);
process.exitCode = missed === 0 ? 0 : 1;
