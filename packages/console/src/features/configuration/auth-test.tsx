import { Alert, Button, Fieldset, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import type { AnswerOf } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Failure } from '../../shell/failure.js';
import { useWork } from '../../shell/use-work.js';
import { words } from './words.js';

interface Verdict {
  /** What was tried, as text: a change afterwards makes it say nothing. */
  readonly of: string;
  readonly answer: AnswerOf<'testAuthConfig'>;
}

/** Tries settings with somebody real before they are saved. */
export function AuthTest({ config }: { readonly config: AnswerOf<'getAuthConfig'> }) {
  const may = useMay();
  const [userName, setUserName] = useState('');
  const [password, setPassword] = useState('');
  const [verdict, setVerdict] = useState<Verdict>();
  const { isWorking, error, run } = useWork();
  const tried = JSON.stringify([config, userName]);
  const test = () =>
    run(async () => {
      setVerdict(undefined);
      const answer = await client.testAuthConfig({ body: { ...config, userName, password } });
      setVerdict({ of: tried, answer });
    });
  return (
    <Fieldset legend={words.test}>
      <Stack gap="sm">
        <Text size="sm" className="soft">
          {words.testHint}
        </Text>
        <Group align="flex-end">
          <TextInput
            label={words.testUser}
            value={userName}
            onChange={({ currentTarget }) => setUserName(currentTarget.value)}
            autoComplete="off"
          />
          <PasswordInput
            label={words.testPassword}
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            autoComplete="new-password"
            w={220}
          />
          {isWorking ? (
            <Button variant="default" loading>
              {words.testDo}
            </Button>
          ) : (
            <Do may={may('testAuthConfig')} onClick={test}>
              {words.testDo}
            </Do>
          )}
        </Group>
        {error && <Failure error={error} />}
        {verdict &&
          (verdict.of === tried ? (
            <Answer answer={verdict.answer} />
          ) : (
            <Text size="sm">{words.notTested}</Text>
          ))}
      </Stack>
    </Fieldset>
  );
}

function Answer({ answer }: { readonly answer: Verdict['answer'] }) {
  const { succeeds, message, groups, roles } = answer;
  return (
    <Alert
      variant="outline"
      color={succeeds ? 'teal' : 'red'}
      title={succeeds ? words.wouldSucceed : words.wouldFail}
      role="status"
    >
      <Text size="sm">{message}</Text>
      {groups && <Text size="sm">{words.testGroups(groups)}</Text>}
      {roles && <Text size="sm">{words.testRoles(roles)}</Text>}
    </Alert>
  );
}
