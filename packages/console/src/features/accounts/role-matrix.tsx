import { ActionIcon, Checkbox, Stack, Table, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { useDraft } from '../../shell/draft.js';
import { Name } from '../../shell/name.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { type Draft, isGiven, type Role, toggled } from './matrix.js';
import { MatrixChanges } from './matrix-changes.js';
import classes from './role-matrix.module.css';
import { words } from './words.js';

const none: Draft = {};
/** It is fixed: the gateway refuses to change it. */
const fixedRole = 'admin';

/** Roles beside each other, permissions below each other. What is set here waits until all of it is saved. */
export function RoleMatrix({ roles }: { readonly roles: readonly Role[] }) {
  const { data } = useQuery(read('listPermissions', {}));
  const may = useMay();
  const { draft = none, setDraft, discard } = useDraft<Draft>('roles');
  const change = may('putRole');
  return (
    <Stack gap="sm">
      <MatrixChanges roles={roles} draft={draft} discard={discard} />
      {!change.ok && (
        <Text size="sm" className="soft">
          {change.reason}
        </Text>
      )}
      <div className={classes['scroller']} tabIndex={0} role="region" aria-label={words.cells}>
        <Table fz="sm" className={classes['matrix'] ?? ''} aria-label={words.matrix}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{words.permission}</Table.Th>
              {roles.map(({ name }) => (
                <RoleHead key={name} name={name} mayDelete={may('deleteRole').ok && name !== fixedRole} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data?.permissions.map(({ name: permission, adminOnly }) => (
              <Table.Tr key={permission}>
                <Table.Th scope="row">
                  {permission}
                  {adminOnly && (
                    <Text size="xs" className="soft" component="span" display="block">
                      {words.adminOnly}
                    </Text>
                  )}
                </Table.Th>
                {roles.map((role) => (
                  <Table.Td
                    key={role.name}
                    data-changed={draft[role.name]?.[permission] === undefined ? undefined : true}
                  >
                    <Checkbox
                      aria-label={words.cell(role.name, permission)}
                      checked={isGiven(roles, draft, role.name, permission)}
                      disabled={!change.ok || role.name === fixedRole}
                      onChange={() => setDraft(toggled(roles, draft, role.name, permission))}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Stack>
  );
}

function RoleHead({ name, mayDelete }: { readonly name: string; readonly mayDelete: boolean }) {
  const { data } = useQuery({ ...read('listUsers', {}), enabled: mayDelete });
  const users = data?.users.filter(({ roles }) => roles.includes(name)).length ?? 0;
  const remove = () =>
    confirm({
      title: words.deleteRoleTitle(name),
      text: words.deleteRoleText(users),
      verb: words.deleteUser,
      isDangerous: true,
      typed: name,
      async act() {
        await client.deleteRole({ params: { role: name } });
        said(words.roleDeleted(name));
        await changed('listRoles', 'listUsers', 'getProfile', 'getCapabilities');
      },
    });
  return (
    <Table.Th scope="col">
      <span className={classes['head']}>
        {name === fixedRole ? (
          <Tooltip label={words.fixed}>
            <span tabIndex={0}>{name}</span>
          </Tooltip>
        ) : (
          <Name>{name}</Name>
        )}
        {mayDelete && (
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            c="var(--mantine-color-text)"
            aria-label={words.deleteRole(name)}
            onClick={remove}
          >
            ✕
          </ActionIcon>
        )}
      </span>
    </Table.Th>
  );
}
