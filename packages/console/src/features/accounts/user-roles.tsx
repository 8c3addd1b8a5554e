import { Alert, MultiSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import { lostByRoles } from './matrix.js';
import type { User } from './user.js';
import { words } from './words.js';

export function UserRoles({
  user,
  isOwn,
  close,
}: {
  readonly user: User;
  readonly isOwn: boolean;
  readonly close: () => void;
}) {
  const { userName } = user;
  const { data } = useQuery(read('listRoles', {}));
  const [roles, setRoles] = useState<string[]>([...user.roles]);
  const [typed, setTyped] = useState('');
  const lost = isOwn ? lostByRoles(data?.roles ?? [], user.roles, roles) : [];
  const act = async () => {
    await client.changeUser({ params: { user: userName }, body: { roles } });
    said(words.rolesSaved(userName));
    await changed('listUsers', 'getProfile', 'getCapabilities');
  };
  return (
    <FormDialog
      title={words.rolesOf(userName)}
      verb={words.save}
      isReady={lost.length === 0 || typed === userName}
      act={act}
      close={close}
    >
      <MultiSelect
        label={words.roles}
        data={(data?.roles ?? []).map(({ name }) => name)}
        value={roles}
        onChange={setRoles}
        searchable
        data-autofocus
      />
      {lost.length > 0 && (
        <>
          <Alert color="red" variant="outline">
            {words.adminLost(userName)}
          </Alert>
          <TextInput
            label={words.typeName(userName)}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            autoComplete="off"
          />
        </>
      )}
    </FormDialog>
  );
}
