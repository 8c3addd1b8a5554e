import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { client } from '../../gateway/client.js';
import { Failure } from '../../shell/failure.js';
import { words } from './words.js';

/** Name and password; directories take seconds to answer, so it shows work at once. */
export function LoginForm({
  userName = '',
  loggedIn,
}: {
  readonly userName?: string;
  readonly loggedIn: () => Promise<unknown> | unknown;
}) {
  const [isWorking, setWorking] = useState(false);
  const [error, setError] = useState<Error>();
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const body = { userName: String(typed.get('userName')), password: String(typed.get('password')) };
    setWorking(true);
    setError(undefined);
    try {
      await client.login({ body });
      await loggedIn();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setWorking(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.userName}
          autoComplete="username"
          required
          data-autofocus
          autoFocus={userName === ''}
          name="userName"
          defaultValue={userName}
        />
        <PasswordInput label={words.password} autoComplete="current-password" required name="password" />
        {error && <Failure error={error} />}
        <Button type="submit" loading={isWorking}>
          {words.logIn}
        </Button>
      </Stack>
    </form>
  );
}
