import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { flinkFacets } from '../../../scripts/flink-table.js';
import { flinkVersions } from './artifacts.js';
import type { Driven } from './driven.js';

// How many of the API's operations that ask a cluster the tests of this stage drove on each version, by facet: the table of
// docs/flink.md, measured. After a run of all files each that the table says yes to must have been answered, and none refused with 501.

const folder = process.env['HEADGATE_STAGE_NOTES'];
if (folder === undefined) throw new Error('It runs after the stage: npm run test:flink');
const isWhole = process.argv.length === 2;
const driven = readdirSync(folder).map(
  (name): Driven => JSON.parse(readFileSync(join(folder, name), 'utf8')),
);

const facets = flinkFacets().filter(({ isOffered, operations }) => isOffered && operations.length > 0);
for (const version of flinkVersions) {
  const of = (which: 'answered' | 'refused') =>
    new Set(driven.filter((one) => one.version === version).flatMap((one) => one[which]));
  report(`Flink ${version}`, of('answered'), of('refused'));
}

function report(flink: string, answered: ReadonlySet<string>, refused: ReadonlySet<string>): void {
  const say = (what: string) => console.log(`# ${flink}: ${what}`);
  const counted = facets.map((facet) => ({
    name: facet.capability ?? 'what every cluster has',
    all: facet.operations.length,
    left: facet.operations.filter((id) => !answered.has(id)),
  }));
  for (const { name, all, left } of counted)
    say(`${name}: ${all - left.length} of ${all}${left.length > 0 ? `, not ${left.join(', ')}` : ''}`);
  const left = counted.flatMap((one) => one.left);
  const all = counted.reduce((sum, one) => sum + one.all, 0);
  say(`${all - left.length} of ${all} operations of the API on a cluster were driven`);
  const wrong = facets.flatMap(({ operations }) => operations.filter((id) => refused.has(id)));
  if (wrong.length > 0) say(`docs/flink.md says yes to what was refused: ${wrong.join(', ')}`);
  if (isWhole && (left.length > 0 || wrong.length > 0)) process.exitCode = 1;
}
