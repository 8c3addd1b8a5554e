import { Accordion, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Failure } from '../../shell/failure.js';
import { Ago } from '../../shell/time.js';
import type { Row } from './rows.js';
import { type Stack as FoldedStack, folded } from './stacks.js';
import classes from './threads.module.css';
import { words } from './words.js';

/** Where the threads stand, looked at when somebody asks: it stops each of them for a moment. */
export function Threads({ appid, row }: { readonly appid: string; readonly row: Row }) {
  const may = useMay();
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery({
    ...read('getStackTrace', { params: { appid, containerId: row.id } }),
    enabled: false,
  });
  const mayLook = both(may('getStackTrace'), unless(row.state !== 'ACTIVE', words.notActive));
  const stacks = folded(data?.threads ?? []);
  return (
    <Stack gap="sm" component="section">
      <Group gap="md">
        <Title order={3} fz="md">
          {words.threads}
        </Title>
        <Do may={mayLook} onClick={() => refetch()} size="compact-md" loading={isFetching}>
          {data ? words.lookAgain : words.look}
        </Do>
        {data && (
          <Text size="sm" className="soft">
            {words.threadCount(data.threads.length)} · {words.lookedAt} <Ago at={dataUpdatedAt} />
          </Text>
        )}
      </Group>
      {error && <Failure error={error} what={words.threads} retry={refetch} />}
      {data && (
        <Accordion multiple chevronPosition="left" variant="contained" order={4}>
          {stacks.map((stack) => (
            <StackItem key={[stack.state, ...stack.frames].join('\n')} stack={stack} />
          ))}
        </Accordion>
      )}
    </Stack>
  );
}

function StackItem({ stack: { state, names, frames } }: { readonly stack: FoldedStack }) {
  const isBlocked = state === 'BLOCKED';
  return (
    <Accordion.Item value={[state, ...frames].join('\n')}>
      <Accordion.Control>
        <Group gap="sm" wrap="nowrap">
          <Badge
            radius="sm"
            variant="outline"
            color={isBlocked ? 'red' : 'gray'}
            c="var(--mantine-color-text)"
          >
            ×{names.length}
          </Badge>
          <span data-state={isBlocked ? 'failed' : undefined} className={classes['state']}>
            {isBlocked && '▲ '}
            {state.toLowerCase().replaceAll('_', ' ')}
          </span>
          <span className={classes['frame']} dir="ltr">
            {frames[0] ?? words.noFrames}
          </span>
          <bdi className={classes['names']}>{names.slice(0, 3).join(', ')}</bdi>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Text size="sm" mb="xs" style={{ overflowWrap: 'anywhere' }}>
          {names.join(', ')}
        </Text>
        <pre className={classes['stack']} tabIndex={0}>
          {frames.join('\n') || words.noFrames}
        </pre>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
