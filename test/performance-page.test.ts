import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  parseResults,
  type Results,
  resultsToExtend,
  savedTable,
  thisMachine,
  withBench,
  writeResults,
} from '../bench/results.js';
import { generatedPart } from '../scripts/generated-part.js';
import { barsOf, performancePicture } from '../scripts/performance-picture.js';
import { performanceReport } from '../scripts/performance-report.js';
import { lineOf, rowsOf } from '../scripts/performance-rows.js';
import { testFolder } from './helpers/folder.js';
import { run } from './helpers/processes.js';
import { root } from './helpers/sources.js';

// docs/performance.md and its picture are what the kept results give; how results are kept and named.

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const results = parseResults(read('bench/results.json'));

t.test('docs/performance.md says what bench/results.json says', async (t) => {
  const generated = generatedPart('docs/performance.md');
  t.equal(generated, `${performanceReport(results, read('docs/operations.md'))}\n`, 'npm run docs');
  t.match(generated, '](performance.svg)');
});

t.test('docs/performance.svg is drawn from bench/results.json', async (t) => {
  t.equal(read('docs/performance.svg'), await performancePicture(results), 'npm run docs');
});

const table = savedTable({
  title: '7: Small answers',
  lines: [
    { what: '3: GET, ours / theirs', figure: 0.9, peer: 'theirs', goal: { atLeast: 1 } },
    { what: '  without the log', figure: 4, unit: 'ms' },
    { what: 'memory', figure: 0.5, peer: 'theirs', goal: { atMost: 1.1 } },
    { what: 'far ahead', figure: 100, peer: 'theirs', goal: { atLeast: 2 } },
    { what: 'lost', figure: 0, goal: { atMost: 0 } },
    { what: 'broken', figure: Number.NaN, peer: 'theirs', goal: { atLeast: 1 } },
  ],
});
const ofOne: Results = {
  machine: thisMachine(),
  benches: { small: { date: '2026-01-02', seconds: 3, tables: [table] } },
};

t.test('each line stands by itself', async (t) => {
  t.strictSame(
    rowsOf(ofOne).map(({ what }) => what),
    ['GET, ours / theirs', 'GET, ours / theirs: without the log', 'memory', 'far ahead', 'lost', 'broken'],
  );
  t.strictSame(
    table.lines.map(({ isMet }) => isMet),
    [false, undefined, true, true, true, false],
  );
  t.equal(table.lines.at(-1)?.figure, null);
});

t.test('a bar says how far ahead of the peer a line is, whichever way is better', async (t) => {
  t.strictSame(barsOf(ofOne), [
    { row: 'small: GET, ours', ahead: 0.9, goal: 1, isMet: false, figure: '0.900 of theirs (at least 1)' },
    { row: 'small: memory', ahead: 2, goal: 0.9091, isMet: true, figure: '0.500 of theirs (at most 1.1)' },
    { row: 'small: far ahead', ahead: 16, goal: 2, isMet: true, figure: '100.0 of theirs (at least 2)' },
  ]);
});

t.test('a line that got another name does not fall out of the page', async (t) => {
  t.equal(lineOf(ofOne, 'small', 'memory')?.figure, 0.5);
  t.throws(() => lineOf(ofOne, 'small', 'reminiscence'), /small has no line that begins with: reminiscence/);
  t.equal(lineOf(ofOne, 'large', 'memory'), undefined, 'that was not run');
  const broken = withBench(ofOne, 'small', { date: '2026-01-02', seconds: 3, broke: 'SIGKILL', tables: [] });
  t.equal(lineOf(broken, 'small', 'memory'), undefined);
  const page = performanceReport(broken, read('docs/operations.md'));
  t.match(page, 'Did not come to their end: `small`.');
  t.match(page, /Not run: .*`rest`/);
});

t.test('a run keeps what it measured beside what others did', async (t) => {
  const file = join(testFolder(t), 'results.json');
  writeResults(file, ofOne);
  await run(process.execPath, [join(root, 'build/bench/all.js'), '--save', file, 'client-size'], {
    cwd: root,
  });
  const kept = parseResults(readFileSync(file, 'utf8'));
  t.strictSame(Object.keys(kept.benches), ['client-size', 'small']);
  t.strictSame(kept.benches['small'], ofOne.benches['small']);
  t.equal(lineOf(kept, 'client-size', 'bundle, compressed')?.isMet, true);
});

t.test('results of two machines are not mixed', async (t) => {
  const file = join(testFolder(t), 'results.json');
  t.strictSame(resultsToExtend(file), { machine: thisMachine(), benches: {} });
  writeResults(file, { ...ofOne, machine: { ...thisMachine(), cores: 1000 } });
  t.throws(() => resultsToExtend(file), /has the results of another machine/);
});
