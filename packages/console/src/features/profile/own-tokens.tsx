import { Button, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { type AnswerOf, changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { confirm } from '../../shell/question.js';
import { TableHead } from '../../shell/table-head.js';
import { Ago, Moment } from '../../shell/time.js';
import { NewToken } from './new-token.js';
import { words } from './words.js';

type Token = AnswerOf<'listOwnTokens'>['tokens'][number];

export function OwnTokens({ profile }: { readonly profile: AnswerOf<'getProfile'> }) {
  const may = useMay();
  const query = useQuery(read('listOwnTokens', {}));
  const [isCreating, setCreating] = useState(false);
  return (
    <Panel
      title={words.tokens}
      actions={
        <Do may={may('createToken')} onClick={() => setCreating(true)}>
          {words.createToken}
        </Do>
      }
    >
      <Text size="sm" className="soft">
        {words.tokensHint}
      </Text>
      <Loaded query={query} what={words.tokens}>
        {({ tokens }) =>
          tokens.length === 0 ? <Text size="sm">{words.noTokens}</Text> : <TokenTable tokens={tokens} />
        }
      </Loaded>
      {isCreating && <NewToken permissions={profile.permissions} close={() => setCreating(false)} />}
    </Panel>
  );
}

function TokenTable({ tokens }: { readonly tokens: readonly Token[] }) {
  const { tokenColumns: columns } = words;
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table fz="sm" aria-label={words.tokens}>
        <TableHead
          columns={[
            columns.name,
            columns.limit,
            columns.made,
            columns.ends,
            columns.used,
            { unseen: columns.actions },
          ]}
        />
        <Table.Tbody>
          {tokens.map((token) => (
            <Table.Tr key={token.id}>
              <Table.Td>
                <bdi>{token.name}</bdi>
              </Table.Td>
              <Table.Td title={token.permissions?.join(', ')}>
                {token.permissions ? words.some(token.permissions.length) : words.all}
              </Table.Td>
              <Table.Td>
                <Ago at={token.createdAt} />
              </Table.Td>
              <Table.Td>
                <Moment at={token.expiresAt} />
              </Table.Td>
              <Table.Td>{token.lastUsedAt ? <Ago at={token.lastUsedAt} /> : words.never}</Table.Td>
              <Table.Td ta="end">
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={words.deleteTokenOf(token.name)}
                  onClick={() => askToDelete(token)}
                >
                  {words.deleteToken}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function askToDelete({ id, name }: Token): void {
  confirm({
    title: words.deleteTokenTitle(name),
    text: words.deleteTokenText,
    verb: words.deleteToken,
    isDangerous: true,
    async act() {
      await client.deleteToken({ params: { id } });
      said(words.tokenDeleted(name));
      await changed('listOwnTokens', 'listTokens');
    },
  });
}
