import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { percent } from '../../../format/number.js';
import { type AnswerOf, read } from '../../../gateway/queries.js';
import { LoadedUnlessRefused } from '../../../shell/loaded-unless-refused.js';
import { State } from '../../../shell/state.js';
import type { StateKind } from '../../../shell/states.js';
import { Ago } from '../../../shell/time.js';
import classes from './back-pressure.module.css';
import { type ShareKind, sharesOf } from './shares.js';
import { words } from './words.js';

type Answer = AnswerOf<'getBackPressure'>;
type Measured = Answer['operators'][number];

interface Props {
  readonly appid: string;
  readonly name: string;
}

/** Milliseconds: clusters measure each few seconds. */
const pause = 3000;
/** Rows that are drawn at first. */
const step = 100;

/** How much of its time each partition is held up, busy and idle: asked for as long as it is on the screen. */
export function BackPressure({ appid, name }: Props) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const query = useQuery({
    ...read('getBackPressure', { params: { appid, opName: name } }),
    enabled: inViewport,
    // No topic tells of it. What is refused may go later.
    refetchInterval: ({ state }) => (state.status === 'error' ? 5 * pause : pause),
  });
  return (
    <div ref={ref}>
      <LoadedUnlessRefused query={query} what={words.backPressure}>
        {(answer) => <Shown appid={appid} name={name} answer={answer} />}
      </LoadedUnlessRefused>
    </div>
  );
}

function Shown({
  appid,
  name,
  answer: { level, observedAt, operators },
}: Props & { readonly answer: Answer }) {
  const [most, setMost] = useState(step);
  if (operators.length === 0)
    return (
      <Text size="sm" className="soft">
        {words.noPartitions}
      </Text>
    );
  return (
    <Stack gap="xs">
      <Group gap="lg">
        <Text size="sm" component="div">
          {words.highest}: <Level level={level} />
        </Text>
        <Text size="sm" className="soft">
          {words.measured} <Ago at={observedAt} />
        </Text>
        <Legend />
      </Group>
      <Table.ScrollContainer minWidth={430} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label={words.backPressure} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.columns.partition}</Table.Th>
              <Table.Th>{words.columns.level}</Table.Th>
              <Table.Th w="40%">{words.columns.shares}</Table.Th>
              {Object.values(words.shares).map((title) => (
                <Table.Th key={title} ta="end">
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {operators.slice(0, most).map((one) => (
              <Line key={one.operatorId} appid={appid} name={name} measured={one} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {operators.length > most && (
        <Group>
          <Button variant="default" onClick={() => setMost(most + step)}>
            {words.showMore(Math.min(step, operators.length - most))}
          </Button>
        </Group>
      )}
      <Text size="xs" className="soft">
        {words.explained}
      </Text>
    </Stack>
  );
}

function Line({ appid, name, measured }: Props & { readonly measured: Measured }) {
  const { operatorId, level, busyPercentage, backPressuredPercentage, idlePercentage } = measured;
  return (
    <Table.Tr>
      <Table.Td>
        <Link to="/apps/$id/operators/$name/partitions/$opId" params={{ id: appid, name, opId: operatorId }}>
          <bdi>{operatorId}</bdi>
        </Link>
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Level level={level} />
      </Table.Td>
      <Table.Td>
        <div className={classes['bar']} aria-hidden>
          {sharesOf(measured).map(({ kind, width }) => (
            <span key={kind} className={classes['share']} data-kind={kind} style={{ width: `${width}%` }} />
          ))}
        </div>
      </Table.Td>
      {[busyPercentage, backPressuredPercentage, idlePercentage].map((value, place) => (
        <Table.Td key={Object.keys(words.shares)[place]} className="figure">
          {percent(value === undefined ? undefined : value / 100)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

const kinds: Readonly<Record<string, StateKind>> = { OK: 'running', LOW: 'warning', HIGH: 'failed' };

const Level = ({ level }: { readonly level: Answer['level'] }) => (
  <State state={level ?? words.unknownLevel} kind={kinds[level ?? ''] ?? 'unknown'} />
);

const shareKinds: readonly ShareKind[] = ['busy', 'held', 'idle'];

const Legend = () => (
  <Group gap="md" aria-hidden fz="sm" className="soft">
    {shareKinds.map((kind) => (
      <Group key={kind} gap="xs">
        <span className={classes['key']} data-kind={kind} />
        {words.shares[kind]}
      </Group>
    ))}
  </Group>
);
