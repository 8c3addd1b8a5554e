import { Table } from '@mantine/core';
import { duration } from '../../format/duration.js';
import { exactCount, percent, rate, unknown } from '../../format/number.js';
import { Name } from '../../shell/name.js';
import { State } from '../../shell/state.js';
import { useFigures } from './live.js';
import { worstState } from './scale.js';
import { words } from './words.js';

/** All figures of some nodes as one, as they stand now. */
export function FigureList({
  ids,
  container,
}: {
  readonly ids: readonly string[];
  readonly container?: string;
}) {
  const figures = useFigures(ids);
  const state = figures && worstState(figures.states);
  const lines: readonly (readonly [string, string])[] = [
    [words.processed, rate(figures?.processed)],
    [words.emitted, rate(figures?.emitted)],
    [words.latency, duration(figures?.latency)],
    [words.lag, figures?.lag === undefined ? unknown : words.windows(figures.lag)],
    [words.cpu, figures ? percent(figures.cpu / 100) : unknown],
    [words.failures, exactCount(figures?.failures)],
    ...(figures?.blocked === undefined ? [] : [[words.blocked, percent(figures.blocked)] as const]),
    [words.partitionsColumn, exactCount(figures?.partitions)],
    [words.window, figures?.window ?? unknown],
  ];
  return (
    <Table verticalSpacing={4} horizontalSpacing={0}>
      <Table.Tbody>
        <Table.Tr>
          <Table.Th scope="row">{words.state}</Table.Th>
          <Table.Td className="figure">{state === undefined ? unknown : <State state={state} />}</Table.Td>
        </Table.Tr>
        {container !== undefined && (
          <Table.Tr>
            <Table.Th scope="row">{words.containerColumn}</Table.Th>
            <Table.Td className="figure" maw={220}>
              <Name tail={10}>{container}</Name>
            </Table.Td>
          </Table.Tr>
        )}
        {lines.map(([label, text]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row">{label}</Table.Th>
            <Table.Td className="figure">{text}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
