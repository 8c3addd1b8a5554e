import { Badge, Group, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { Panel } from '../../shell/panel.js';
import { TableHead } from '../../shell/table-head.js';
import { NewUser } from './new-user.js';
import type { User } from './user.js';
import { UserMenu } from './user-menu.js';
import { words } from './words.js';

export default function Users() {
  const { q = '' } = useSearch({ from: '/framed/admin/users' });
  const navigate = useNavigate({ from: '/admin/users' });
  const may = useMay();
  const query = useQuery(read('listUsers', {}));
  const [isCreating, setCreating] = useState(false);
  const fits = ({ userName, roles }: User) =>
    [userName, ...roles].some((text) => text.toLocaleLowerCase().includes(q.toLocaleLowerCase()));
  return (
    <Panel
      title={words.users}
      actions={
        <>
          <TextInput
            data-filter
            aria-label={words.filter}
            placeholder={words.filter}
            value={q}
            onChange={({ currentTarget: { value } }) =>
              void navigate({ search: value === '' ? {} : { q: value }, replace: true })
            }
            w={220}
          />
          <Do may={may('createUser')} variant="filled" onClick={() => setCreating(true)}>
            {words.createUser}
          </Do>
        </>
      }
    >
      <Loaded query={query} what={words.users} lines={5}>
        {({ users }) => <UserTable users={users.filter(fits)} />}
      </Loaded>
      {isCreating && <NewUser close={() => setCreating(false)} />}
    </Panel>
  );
}

function UserTable({ users }: { readonly users: readonly User[] }) {
  const { data: profile } = useQuery(read('getProfile', {}));
  const { data: catalogue } = useQuery(read('listPermissions', {}));
  const { columns } = words;
  if (users.length === 0)
    return (
      <Text size="sm" className="soft">
        {words.noMatch}
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table aria-label={words.users} verticalSpacing="xs" fz="sm">
        <TableHead
          columns={[
            columns.user,
            columns.roles,
            { figure: columns.permissions },
            { unseen: columns.actions },
          ]}
        />
        <Table.Tbody>
          {users.map((user) => (
            <Table.Tr key={user.userName}>
              <Table.Td>
                <Group gap="xs">
                  <Name>{user.userName}</Name>
                  {profile?.userName === user.userName && (
                    <Badge tt="none" fw={500} variant="outline" color="gray" c="var(--mantine-color-text)">
                      {words.you}
                    </Badge>
                  )}
                </Group>
              </Table.Td>
              <Table.Td>{user.roles.join(', ') || words.noRoles}</Table.Td>
              <Table.Td className="figure">
                {catalogue && words.permissions(user.permissions.length, catalogue.permissions.length)}
              </Table.Td>
              <Table.Td ta="end">
                <UserMenu user={user} isOwn={profile?.userName === user.userName} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
