import { MultiSelect, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import { words } from './words.js';

export function NewUser({ close }: { readonly close: () => void }) {
  const { data } = useQuery(read('listRoles', {}));
  const form = useForm({ initialValues: { userName: '', password: '', roles: [] as string[] } });
  const { userName, password, roles } = form.values;
  const act = async () => {
    await client.createUser({
      params: { user: userName },
      body: { roles, ...(password === '' ? {} : { password }) },
    });
    said(words.created(userName));
    await changed('listUsers');
  };
  return (
    <FormDialog
      title={words.createUser}
      verb={words.create}
      isReady={userName !== ''}
      act={act}
      close={close}
    >
      <TextInput
        label={words.userName}
        description={words.userNameHint}
        required
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('userName')}
      />
      <PasswordInput label={words.password} autoComplete="new-password" {...form.getInputProps('password')} />
      <MultiSelect
        label={words.roles}
        data={(data?.roles ?? []).map(({ name }) => name)}
        searchable
        {...form.getInputProps('roles')}
      />
    </FormDialog>
  );
}
