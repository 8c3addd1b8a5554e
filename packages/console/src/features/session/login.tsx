import { Center, Paper, Stack, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { loadPreferences } from '../../gateway/preferences.js';
import { queryClient } from '../../gateway/queries.js';
import { session } from '../../gateway/session.js';
import { settings } from '../../gateway/settings.js';
import { LoginForm } from './login-form.js';
import { returnPath } from './return-to.js';
import { words } from './words.js';

export default function Login() {
  const { returnTo } = useSearch({ from: '/login' });
  const navigate = useNavigate();
  useEffect(() => {
    document.title = `${words.logIn} · ${settings.title}`;
  }, []);
  const loggedIn = async () => {
    queryClient.clear();
    session.set('open');
    await loadPreferences();
    await navigate({ href: returnPath(returnTo) });
  };
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w={360} maw="100%">
        <Stack>
          <Title order={1}>{settings.title}</Title>
          <LoginForm loggedIn={loggedIn} />
        </Stack>
      </Paper>
    </Center>
  );
}
