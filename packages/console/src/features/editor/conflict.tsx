import { Button, Code, Group, Modal, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { textOf } from '../../forms/property-values.js';
import { TableHead } from '../../shell/table-head.js';
import { type Definition, readText, writeText } from './definition.js';
import classes from './editor.module.css';
import { type Difference, differences, merged } from './three-way.js';
import type { Conflict } from './use-editor.js';
import { words } from './words.js';

interface Props {
  readonly conflict: Conflict;
  readonly mine: Definition;
  readonly settle: (text: string) => void;
  readonly putOff: () => void;
}

type Side = 'mine' | 'theirs';

const definitionIn = (text: string): Definition => {
  const read = readText(text);
  return read.ok ? read.definition : {};
};

/** Mine, theirs and what both began with. Nothing is saved here: what is chosen becomes the text. */
export function ConflictDialog({ conflict, mine, settle, putOff }: Props) {
  const theirs = definitionIn(conflict.theirs.text);
  const found = differences(definitionIn(conflict.base), mine, theirs);
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const sideOf = (difference: Difference): Side =>
    chosen[keyOf(difference)] ?? (difference.by === 'theirs' ? 'theirs' : 'mine');
  const all = (side: Side) => setChosen(Object.fromEntries(found.map((one) => [keyOf(one), side])));
  return (
    <Modal opened onClose={putOff} title={words.conflictTitle} size="80rem">
      <Stack>
        <Text size="sm">{words.conflictText}</Text>
        {found.length === 0 ? (
          <Text size="sm">{words.noDifference}</Text>
        ) : (
          <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label={words.conflictTitle} layout="fixed">
              <TableHead columns={[words.place, words.base, words.mine, words.theirs]} />
              <Table.Tbody>
                {found.map((difference) => (
                  <Line
                    key={keyOf(difference)}
                    difference={difference}
                    side={sideOf(difference)}
                    onChoose={(side) => setChosen({ ...chosen, [keyOf(difference)]: side })}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        <Group justify="space-between">
          <Group gap="sm">
            <Button variant="default" onClick={() => all('mine')}>
              {words.allMine}
            </Button>
            <Button variant="default" onClick={() => all('theirs')}>
              {words.allTheirs}
            </Button>
          </Group>
          <Group gap="sm">
            <Button variant="default" onClick={putOff} data-autofocus>
              {words.later}
            </Button>
            <Button onClick={() => settle(writeText(merged(theirs, found, (one) => sideOf(one) === 'mine')))}>
              {words.takeOver}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
}

const keyOf = ({ path }: Difference): string => path.join(' › ');

function Line({
  difference,
  side,
  onChoose,
}: {
  readonly difference: Difference;
  readonly side: Side;
  readonly onChoose: (side: Side) => void;
}) {
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap="xs">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {keyOf(difference)}
          </Text>
          <SegmentedControl
            size="xs"
            aria-label={words.choice(keyOf(difference))}
            data={[
              { value: 'mine', label: words.mine },
              { value: 'theirs', label: words.theirs },
            ]}
            value={side}
            onChange={(value) => onChoose(value === 'mine' ? 'mine' : 'theirs')}
          />
        </Stack>
      </Table.Td>
      {(['base', 'mine', 'theirs'] as const).map((who) => (
        <Table.Td key={who}>
          <Code block className={classes['value'] ?? ''}>
            {difference[who] === undefined ? words.nothing : textOf(difference[who])}
          </Code>
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
