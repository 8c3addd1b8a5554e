import {
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  Modal,
  MultiSelect,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { words } from './words.js';

const daySeconds = 24 * 60 * 60;
const lifetimes = [1, 7, 30, 90, 365];

/** Makes a token, then shows it: its secret is nowhere else, and not in this page once it is closed. */
export function NewToken({
  permissions,
  close,
}: {
  readonly permissions: readonly string[];
  readonly close: () => void;
}) {
  const [token, setToken] = useState<string>();
  const form = useForm({ initialValues: { name: '', days: '90', limit: [] as string[] } });
  const { name, days, limit } = form.values;
  const act = async () => {
    const created = await client.createToken({
      body: {
        name,
        validSeconds: Number(days) * daySeconds,
        ...(limit.length === 0 ? {} : { permissions: limit }),
      },
    });
    setToken(created.token);
    await changed('listOwnTokens', 'listTokens');
  };
  if (token !== undefined) return <ShownOnce token={token} close={close} />;
  return (
    <FormDialog
      title={words.createToken}
      verb={words.create}
      isReady={name.trim() !== ''}
      act={act}
      close={close}
      done={() => {}}
    >
      <TextInput label={words.tokenName} required data-autofocus {...form.getInputProps('name')} />
      <Select
        label={words.valid}
        allowDeselect={false}
        data={lifetimes.map((count) => ({ value: String(count), label: words.days(count) }))}
        {...form.getInputProps('days')}
      />
      <MultiSelect
        label={words.limit}
        description={words.limitHint}
        data={[...permissions]}
        searchable
        {...form.getInputProps('limit')}
      />
    </FormDialog>
  );
}

function ShownOnce({ token, close }: { readonly token: string; readonly close: () => void }) {
  return (
    <Modal opened onClose={() => {}} withCloseButton={false} title={words.tokenShown}>
      <Stack>
        <Alert variant="outline" color="orange">
          {words.tokenOnce}
        </Alert>
        <Code block data-testid="token" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {token}
        </Code>
        <Text size="sm" className="soft">
          {words.sendAs} <code>Authorization: Bearer …</code>
        </Text>
        <Group justify="flex-end">
          <CopyButton value={token}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy} data-autofocus>
                {copied ? words.copied : words.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={close}>{words.close}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
