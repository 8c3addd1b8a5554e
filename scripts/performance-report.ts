import { benchNames } from '../bench/names.js';
import { wanted } from '../bench/report.js';
import type { Results } from '../bench/results.js';
import { figureOf, goalRows, lineOf } from './performance-rows.js';
import { bounds, expectations, floors, type Telling } from './performance-words.js';

function bound(operations: string, option: string): string {
  const row = operations.split('\n').find((line) => line.startsWith(`| \`${option}\` |`));
  if (row === undefined) throw new Error(`docs/operations.md has no option ${option}`);
  return row;
}

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const told = (results: Results, tellings: readonly Telling[]): (readonly string[])[] =>
  tellings.flatMap(([bench, start, words]) => {
    const line = lineOf(results, bench, start);
    return line ? [[figureOf(line), words, `\`${bench}\``]] : [];
  });

function measuredOn({ machine, benches }: Results): string {
  const { processor, cores, memoryGB, node, system } = machine;
  const dates = Object.values(benches)
    .map(({ date }) => date)
    .toSorted();
  const [first, last] = [dates[0], dates.at(-1)];
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`;
  return `Measured ${when}: ${processor}, ${cores} cores, ${memoryGB} GB, ${system}, Node ${node.slice(1)}.`;
}

/** Which benches are missing from the run. */
function gaps({ benches }: Results): string {
  const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const absent = benchNames.filter((name) => benches[name] === undefined);
  const broken = Object.keys(benches).filter((name) => benches[name]?.broke !== undefined);
  return [
    absent.length > 0 ? ` Not run: ${named(absent)}.` : '',
    broken.length > 0 ? ` Did not come to their end: ${named(broken)}.` : '',
  ].join('');
}

/** The generated part of docs/performance.md. `operations` is the text of docs/operations.md, for its limits. */
export function performanceReport(results: Results, operations: string): string {
  const goals = goalRows(results);
  const met = goals.filter(({ line }) => line.isMet).length;
  const rows = goals.map(({ bench, what, line }) => [
    `\`${bench}\``,
    what,
    `${figureOf(line)}${line.isMet ? '' : ' (missed)'}`,
    wanted(line.goal),
    line.peer ?? '',
  ]);
  return [
    '## The run',
    `${measuredOn(results)} ${met} of ${goals.length} goals were reached.${gaps(results)}`,
    '![Bars: how many times as good as its peer or limit each line is, with its goal](performance.svg)',
    '## What to expect',
    'On a machine of that kind. A gateway is one process, nearly all of it on one core: what is told for a processor second is what that core does when it does nothing else.',
    table(['Figure', 'What', 'Bench'], told(results, expectations)),
    'Beyond these bounds nothing grows; those of every part are in [docs/operations.md](../docs/operations.md#limits):',
    table(['Option', 'Default', 'What'], []) +
      bounds.map((option) => `\n${bound(operations, option)}`).join(''),
    '## Floors',
    "What a program takes that does only that, in the same run. A goal below its floor can't be reached without giving up what makes the difference.",
    table(['Figure', 'What', 'Bench'], told(results, floors)),
    '## Every line',
    'A ratio is to the peer or limit beside it, which was measured in the same run.',
    table(['Bench', 'Line', 'Measured', 'Goal', 'Peer or limit'], rows),
  ].join('\n\n');
}
