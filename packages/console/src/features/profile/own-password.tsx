import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { client } from '../../gateway/client.js';
import { type AnswerOf, changed } from '../../gateway/queries.js';
import { Failure } from '../../shell/failure.js';
import { said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { useWork } from '../../shell/use-work.js';
import { words } from './words.js';

const empty = { oldPassword: '', newPassword: '', repeat: '' };

/** Only of accounts that the gateway itself keeps. */
export function OwnPassword({ profile }: { readonly profile: AnswerOf<'getProfile'> }) {
  const form = useForm({
    initialValues: empty,
    validate: { repeat: (value, { newPassword }) => (value === newPassword ? null : words.differ) },
  });
  const { isWorking, error, run } = useWork();
  const submit = form.onSubmit(({ oldPassword, newPassword }) =>
    run(async () => {
      await client.changeUser({
        params: { user: profile.userName },
        body: { oldPassword, newPassword },
      });
      form.reset();
      said(words.changed);
      await changed('listOwnSessions');
    }),
  );
  if (profile.authScheme !== 'password')
    return (
      <Panel title={words.password}>
        <Text size="sm">{words.elsewhere}</Text>
      </Panel>
    );
  return (
    <Panel title={words.password}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <PasswordInput
            label={words.oldPassword}
            autoComplete="current-password"
            required
            {...form.getInputProps('oldPassword')}
          />
          <PasswordInput
            label={words.newPassword}
            autoComplete="new-password"
            required
            {...form.getInputProps('newPassword')}
          />
          <PasswordInput
            label={words.repeat}
            autoComplete="new-password"
            required
            {...form.getInputProps('repeat')}
          />
          {error && <Failure error={error} />}
          <Group>
            <Button type="submit" loading={isWorking}>
              {words.change}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
