import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import { words } from './words.js';

export function NewRole({ close }: { readonly close: () => void }) {
  const { data } = useQuery(read('listRoles', {}));
  const [name, setName] = useState('');
  // A PUT would take all its permissions from a role that is there.
  const isThere = data?.roles.some((role) => role.name === name) ?? false;
  const act = async () => {
    await client.putRole({ params: { role: name }, body: { permissions: [] } });
    said(words.roleCreated(name));
    await changed('listRoles');
  };
  return (
    <FormDialog
      title={words.newRole}
      verb={words.create}
      isReady={name !== '' && data !== undefined && !isThere}
      act={act}
      close={close}
    >
      <TextInput
        label={words.roleName}
        description={words.userNameHint}
        required
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={isThere && words.roleIsThere}
        data-autofocus
      />
      <Text size="sm" className="soft">
        {words.roleHint}
      </Text>
    </FormDialog>
  );
}
