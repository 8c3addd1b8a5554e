import { Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { TableHead } from '../../shell/table-head.js';
import { Ago, Moment } from '../../shell/time.js';
import type { User } from './user.js';
import { words } from './words.js';

/** What scripts of a user come in with. */
export function UserTokens({
  user: { userName },
  close,
}: {
  readonly user: User;
  readonly close: () => void;
}) {
  const may = useMay();
  const query = useQuery(read('listTokens', { query: { user: userName } }));
  const { tokenColumns: columns } = words;
  return (
    <Modal opened onClose={close} title={words.tokensOf(userName)} size="lg">
      <Loaded query={query} what={words.apiTokens}>
        {({ tokens }) => (
          <Stack>
            {tokens.length === 0 ? (
              <Text size="sm">{words.noTokens}</Text>
            ) : (
              <Table.ScrollContainer minWidth={420}>
                <Table fz="sm" aria-label={words.tokensOf(userName)}>
                  <TableHead columns={[columns.name, columns.made, columns.ends, columns.used]} />
                  <Table.Tbody>
                    {tokens.map((token) => (
                      <Table.Tr key={token.id}>
                        <Table.Td>
                          <bdi>{token.name}</bdi>
                        </Table.Td>
                        <Table.Td>
                          <Ago at={token.createdAt} />
                        </Table.Td>
                        <Table.Td>
                          <Moment at={token.expiresAt} />
                        </Table.Td>
                        <Table.Td>{token.lastUsedAt ? <Ago at={token.lastUsedAt} /> : words.never}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            )}
            <Group justify="flex-end">
              <Do
                may={both(may('deleteTokensOfUser'), unless(tokens.length === 0, words.noTokens))}
                onClick={() => {
                  close();
                  askToDeleteTokens(userName);
                }}
              >
                {words.deleteTokens}
              </Do>
            </Group>
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

function askToDeleteTokens(userName: string): void {
  confirm({
    title: words.deleteTokensTitle(userName),
    text: words.deleteTokensText,
    verb: words.deleteTokens,
    isDangerous: true,
    typed: userName,
    async act() {
      await client.deleteTokensOfUser({ params: { user: userName } });
      said(words.tokensDeleted(userName));
      await changed('listTokens', 'listOwnTokens');
    },
  });
}
