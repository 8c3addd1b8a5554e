import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { percent } from '../../format/number.js';
import { type AnswerOf, read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { Panel } from '../../shell/panel.js';
import { State } from '../../shell/state.js';
import { words } from './words.js';

type Queue = AnswerOf<'listQueues'>['queues'][number];

export function Queues() {
  const query = useQuery({ ...read('listQueues', {}), refetchInterval: 10_000 });
  return (
    <Panel title={words.queues}>
      <Loaded query={query} what={words.queues}>
        {({ queues }) =>
          queues.length === 0 ? (
            <Text size="sm" className="soft">
              {words.noQueues}
            </Text>
          ) : (
            <Stack gap="md">
              {queues.map((queue) => (
                <QueueBar key={queue.name} queue={queue} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** How much of what a queue is promised is in use; what it may borrow beyond is the rest of the bar. */
function QueueBar({ queue }: { readonly queue: Queue }) {
  const { name, state, capacity, currentCapacity, maxCapacity } = queue;
  const within = Math.min(currentCapacity, capacity);
  const beyond = Math.max(0, Math.min(currentCapacity, maxCapacity) - capacity);
  const sentence = words.used(
    percent(currentCapacity / 100),
    percent(capacity / 100),
    percent(maxCapacity / 100),
  );
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Text size="sm" fw={600} component="span">
            <Name>{name}</Name>
          </Text>
          <Text size="sm" component="span">
            <State state={state} />
          </Text>
        </Group>
        <Text size="sm" className="figure">
          {sentence}
        </Text>
      </Group>
      <Progress.Root size="lg" role="img" aria-label={`${name}: ${sentence}`}>
        <Progress.Section value={within} color="accent" withAria={false} />
        <Progress.Section value={beyond} color="orange" withAria={false} />
      </Progress.Root>
    </Stack>
  );
}
