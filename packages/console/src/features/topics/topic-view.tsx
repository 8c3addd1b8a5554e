import { Button, CopyButton, Group, Stack, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { parseExact } from '../../format/exact-json.js';
import { compact } from '../../format/number.js';
import type { TopicValue } from '../../gateway/topic-store.js';
import { useTopicRefusal } from '../../gateway/use-topic.js';
import { Empty } from '../../shell/empty.js';
import { Name } from '../../shell/name.js';
import { Moment } from '../../shell/time.js';
import { JsonLines } from './json-lines.js';
import { useMessages, useSubscribers } from './use-messages.js';
import { words } from './words.js';

/** One topic, live: its last message as JSON, with what differs from the one before, or from where it was paused. */
export function TopicView({ topic }: { readonly topic: string }) {
  const { latest, before, perSecond } = useMessages(topic);
  const subscribers = useSubscribers(topic);
  const refusal = useTopicRefusal(topic);
  const [paused, setPaused] = useState<TopicValue>();
  if (refusal) return <Empty title={words.refused}>{refusal.message}</Empty>;
  if (!latest) return <Empty title={words.waiting}>{words.waitingHint}</Empty>;
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Title order={2} style={{ minWidth: 0 }}>
          <Name tail={24}>{topic}</Name>
        </Title>
        <Group gap="sm">
          <Text size="sm" className="soft">
            {words.perSecond(compact(perSecond))} · {words.subscribers(subscribers)} ·{' '}
            <Moment at={latest.receivedAt} short />
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => setPaused(paused ? undefined : latest)}>
            {paused ? words.resume : words.pause}
          </Button>
          <CopyButton value={latest.text}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="default" onClick={copy}>
                {copied ? words.copied : words.copy}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Group>
      {paused && <Text size="sm">{words.paused}</Text>}
      <Compared latest={latest} before={paused ?? before} />
    </Stack>
  );
}

function Compared({
  latest,
  before,
}: {
  readonly latest: TopicValue;
  readonly before: TopicValue | undefined;
}) {
  const value = useMemo(() => parseExact(latest.text), [latest]);
  const old = useMemo(() => (before === undefined ? undefined : parseExact(before.text)), [before]);
  return <JsonLines value={value} before={old} />;
}
