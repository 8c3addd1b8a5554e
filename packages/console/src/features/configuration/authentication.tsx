import { Alert, Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { type AnswerOf, changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { useDraft } from '../../shell/draft.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { useWork } from '../../shell/use-work.js';
import {
  type AuthType,
  type AuthValues,
  authTypes,
  configurationOf,
  valuesOf,
  withoutSecrets,
} from './auth-fields.js';
import { AuthInputs } from './auth-inputs.js';
import { AuthTest } from './auth-test.js';
import { words } from './words.js';

type AuthConfig = AnswerOf<'getAuthConfig'>;

export default function Authentication() {
  const query = useQuery(read('getAuthConfig', {}));
  return (
    <Panel title={words.authentication}>
      <Text size="sm" className="soft">
        {words.authHint}
      </Text>
      <Loaded query={query} what={words.authentication}>
        {(config) => <Settings key={JSON.stringify(config)} kept={config} />}
      </Loaded>
    </Panel>
  );
}

const choices = authTypes.map((value) => ({ value, label: words.types[value] }));

function Settings({ kept }: { readonly kept: AuthConfig }) {
  const may = useMay();
  const { data: groups } = useQuery(read('getGroupMapping', {}));
  const { type, values, setValues, choose, discard, isTyped } = useAuthDraft(kept);
  const { isWorking, error, run } = useWork();
  const usesGroups = values['groupSupport'] === true;
  const mapping = kept.groupMapping ?? groups?.groupMapping;
  const body: AuthConfig = {
    type,
    configuration: configurationOf(type, values),
    ...(usesGroups && mapping ? { groupMapping: mapping } : {}),
  };
  const save = () =>
    run(async () => {
      await client.putAuthConfig({ body });
      discard();
      said(words.saved);
      await changed('getAuthConfig', 'getGroupMapping', 'listConfigIssues');
    });
  return (
    <Stack>
      <Select
        label={words.mechanism}
        data={choices}
        value={type}
        allowDeselect={false}
        onChange={(value) => choose(authTypes.find((one) => one === value) ?? 'password')}
        maw={360}
      />
      {type === 'none' && (
        <Alert color="red" variant="outline">
          {words.noneWarning}
        </Alert>
      )}
      <AuthInputs type={type} values={values} onChange={setValues} />
      {usesGroups && (
        <Text size="sm">
          {words.groupsFrom}{' '}
          <Anchor size="sm" component={Link} to="/admin/roles">
            {words.toGroups}
          </Anchor>
        </Text>
      )}
      {type !== 'none' && <AuthTest config={body} />}
      {error && <Failure error={error} />}
      <Group>
        {isWorking ? (
          <Button loading>{words.save}</Button>
        ) : (
          <Do may={may('putAuthConfig')} variant="filled" onClick={save}>
            {words.save}
          </Do>
        )}
        {isTyped && (
          <Do may={{ ok: true }} onClick={discard}>
            {words.discard}
          </Do>
        )}
      </Group>
    </Stack>
  );
}

interface AuthDraft {
  readonly type: AuthType;
  readonly values: AuthValues;
}

/** What is typed, over what is kept; secrets live as long as the form. */
function useAuthDraft(kept: AuthConfig) {
  const { draft, setDraft, discard } = useDraft<AuthDraft>('authentication');
  const [secrets, setSecrets] = useState<AuthValues>({});
  const type = draft?.type ?? kept.type;
  // What was kept belongs to its own mechanism.
  const keptOf = (one: AuthType) => valuesOf(one, one === kept.type ? kept.configuration : {});
  return {
    type,
    values: { ...keptOf(type), ...draft?.values, ...secrets },
    isTyped: draft !== undefined,
    setValues(values: AuthValues) {
      const parts = withoutSecrets(type, values);
      setDraft({ type, values: parts.plain });
      setSecrets(parts.secrets);
    },
    choose(next: AuthType) {
      setDraft({ type: next, values: {} });
      setSecrets({});
    },
    discard() {
      discard();
      setSecrets({});
    },
  };
}
