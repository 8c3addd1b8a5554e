import { PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../gateway/client.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import type { User } from './user.js';
import { words } from './words.js';

export function ResetPassword({
  user: { userName },
  close,
}: {
  readonly user: User;
  readonly close: () => void;
}) {
  const [newPassword, setNewPassword] = useState('');
  const act = async () => {
    await client.changeUser({ params: { user: userName }, body: { newPassword } });
    said(words.passwordSet(userName));
  };
  return (
    <FormDialog
      title={words.passwordOf(userName)}
      verb={words.save}
      isReady={newPassword !== ''}
      act={act}
      close={close}
    >
      <PasswordInput
        label={words.newPassword}
        autoComplete="new-password"
        value={newPassword}
        onChange={({ currentTarget }) => setNewPassword(currentTarget.value)}
        data-autofocus
      />
      <Text size="sm" className="soft">
        {words.passwordHint}
      </Text>
    </FormDialog>
  );
}
