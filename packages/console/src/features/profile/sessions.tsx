import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unknown } from '../../format/number.js';
import { client } from '../../gateway/client.js';
import { type AnswerOf, changed, read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { failed, said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { TableHead } from '../../shell/table-head.js';
import { Ago } from '../../shell/time.js';
import { words } from './words.js';

type Session = AnswerOf<'listOwnSessions'>['sessions'][number];

export function Sessions() {
  const query = useQuery({ ...read('listOwnSessions', {}), refetchInterval: 30_000 });
  return (
    <Panel title={words.sessions}>
      <Text size="sm" className="soft">
        {words.sessionsHint}
      </Text>
      <Loaded query={query} what={words.sessions}>
        {({ sessions }) => <SessionTable sessions={sessions} />}
      </Loaded>
    </Panel>
  );
}

function SessionTable({ sessions }: { readonly sessions: readonly Session[] }) {
  const { sessionColumns: columns } = words;
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table fz="sm" aria-label={words.sessions}>
        <TableHead
          columns={[columns.from, columns.program, columns.began, columns.used, { unseen: columns.actions }]}
        />
        <Table.Tbody>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function SessionRow({ session }: { readonly session: Session }) {
  const from = session.remoteAddress ?? unknown;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          {from}
          {session.isCurrent && (
            <Badge tt="none" fw={500} variant="outline" color="gray" c="var(--mantine-color-text)">
              {words.thisOne}
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td maw={360}>
        <Text size="sm" truncate title={session.userAgent}>
          <bdi>{session.userAgent ?? unknown}</bdi>
        </Text>
      </Table.Td>
      <Table.Td>
        <Ago at={session.createdAt} />
      </Table.Td>
      <Table.Td>
        <Ago at={session.lastUsedAt} />
      </Table.Td>
      <Table.Td ta="end">
        {!session.isCurrent && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={words.endOf(from)}
            onClick={() => void end(session)}
          >
            {words.end}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

async function end({ id }: Session): Promise<void> {
  try {
    await client.endSession({ params: { id } });
    said(words.ended);
  } catch (error) {
    failed(words.end, error);
  }
  await changed('listOwnSessions');
}
