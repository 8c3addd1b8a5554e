import { Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { session } from '../../gateway/session.js';
import { settings } from '../../gateway/settings.js';
import { useStore } from '../../gateway/store.js';
import { words as shellWords } from '../../shell/words.js';
import { HostLogin } from './host-login.js';
import { LoginForm } from './login-form.js';

/** The session ended while somebody looked: the page stays as it is, with all that is typed, and goes on after the login. */
export function SessionEnded() {
  const state = useStore(session);
  const queries = useQueryClient();
  const loggedIn = async () => {
    session.set('open');
    await queries.invalidateQueries();
  };
  return (
    <Modal
      opened={state === 'ended'}
      onClose={() => {}}
      withCloseButton={false}
      title={shellWords.sessionEnded}
    >
      <Stack>
        <Text size="sm">{shellWords.sessionEndedHint}</Text>
        {settings.loginUrl ? <HostLogin loginUrl={settings.loginUrl} /> : <LoginForm loggedIn={loggedIn} />}
      </Stack>
    </Modal>
  );
}
