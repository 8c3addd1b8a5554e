import {
  Button,
  Group,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { type AnswerOf, changed } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { useDraft } from '../../shell/draft.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { useWork } from '../../shell/use-work.js';
import { isClientError } from '../../shell/words.js';
import { words } from './words.js';

type Smtp = AnswerOf<'getSmtpConfig'>;

/** Not there is an answer: none is set yet. */
const keptOrNone = ({ signal }: { readonly signal: AbortSignal }): Promise<Smtp | null> =>
  client.getSmtpConfig({ signal }).catch((error: unknown) => {
    if (isClientError(error) && error.status === 404) return null;
    throw error;
  });

export default function Mail() {
  const query = useQuery({ queryKey: ['getSmtpConfig', {}, 'or none'], queryFn: keptOrNone });
  return (
    <Panel title={words.mail}>
      <Text size="sm" className="soft">
        {words.mailHint}
      </Text>
      <Loaded query={query} what={words.mail}>
        {(kept) => (
          <>
            {kept === null && <Text size="sm">{words.mailNone}</Text>}
            <Settings key={JSON.stringify(kept)} kept={kept ?? unset} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const unset: Smtp = {
  host: '',
  port: '',
  fromAddr: '',
  fromName: '',
  encryptionType: 'tls',
  authType: 'none',
  username: '',
  testAddr: '',
};

function Settings({ kept }: { readonly kept: Smtp }) {
  const may = useMay();
  // Never with the password.
  const { draft, setDraft, discard } = useDraft<Smtp>('mail');
  const form = useForm({
    initialValues: { ...kept, ...draft, password: '' },
    onValuesChange: ({ password: _, ...rest }) => setDraft(rest),
  });
  const { isWorking, error, run } = useWork();
  const { authType, encryptionType } = form.values;
  const save = () =>
    run(async () => {
      const { port, password, ...rest } = form.getValues();
      await client.putSmtpConfig({
        body: { ...rest, ...(port === '' ? {} : { port }), ...(password === '' ? {} : { password }) },
      });
      discard();
      said(words.mailSaved(rest.testAddr));
      await changed('getSmtpConfig', 'listConfigIssues');
    });
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <TextInput label={words.host} withAsterisk {...form.getInputProps('host')} />
        <TextInput label={words.port} placeholder={words.portHint} {...form.getInputProps('port')} />
        <Select
          label={words.encryption}
          allowDeselect={false}
          data={(['tls', 'ssl', 'none'] as const).map((value) => ({
            value,
            label: words.encryptions[value],
          }))}
          {...form.getInputProps('encryptionType')}
          value={encryptionType}
        />
        <TextInput label={words.fromAddr} withAsterisk {...form.getInputProps('fromAddr')} />
        <TextInput label={words.fromName} {...form.getInputProps('fromName')} />
        <TextInput label={words.testAddr} withAsterisk {...form.getInputProps('testAddr')} />
      </SimpleGrid>
      <Switch
        label={words.login}
        checked={authType === 'password'}
        onChange={({ currentTarget }) =>
          form.setFieldValue('authType', currentTarget.checked ? 'password' : 'none')
        }
      />
      {authType === 'password' && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          <TextInput label={words.userName} autoComplete="off" {...form.getInputProps('username')} />
          <PasswordInput
            label={words.password}
            placeholder={words.secretKept}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
        </SimpleGrid>
      )}
      {error && <Failure error={error} />}
      <Group>
        {isWorking ? (
          <Button loading>{words.mailSave}</Button>
        ) : (
          <Do may={may('putSmtpConfig')} variant="filled" onClick={save}>
            {words.mailSave}
          </Do>
        )}
        {draft !== undefined && (
          <Do
            may={{ ok: true }}
            onClick={() => {
              form.setValues({ ...kept, password: '' });
              discard();
            }}
          >
            {words.discard}
          </Do>
        )}
      </Group>
    </Stack>
  );
}
