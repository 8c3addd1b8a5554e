import { Autocomplete, Checkbox, PasswordInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import type { PropertyRow } from './property-rows.js';
import { words } from './words.js';

/** Sets one property; without `row` one that is named here. */
export function PropertyForm({
  row,
  rows,
  close,
}: {
  readonly row?: PropertyRow;
  readonly rows: readonly PropertyRow[];
  readonly close: () => void;
}) {
  const form = useForm({
    initialValues: {
      name: row?.name ?? '',
      // A secret is never told: what stands for it would be sent back as it.
      value: row?.isSecret ? '' : (row?.value ?? ''),
      description: '',
      local: row?.scope === 'LOCAL',
    },
  });
  const { name, value, description, local } = form.values;
  const about = rows.find((one) => one.name === name);
  const act = async () => {
    await client.putProperty({
      params: { PROPERTY_NAME: name },
      body: { value, local, ...(description === '' ? {} : { description }) },
    });
    said(words.propertySaved(name));
    await changed('listProperties', 'listKnownProperties', 'listConfigIssues', 'getUsageSwitch');
  };
  const Input = about?.isSecret ? PasswordInput : TextInput;
  return (
    <FormDialog
      title={row ? words.changeTitle(row.name) : words.setTitle}
      verb={words.save}
      isReady={name !== '' && value !== ''}
      act={act}
      close={close}
    >
      {!row && (
        <Autocomplete
          label={words.name}
          data={rows.map((one) => one.name)}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
      )}
      {about && (
        <Text size="sm" className="soft">
          {about.description}
          {about.defaultValue !== undefined && ` ${words.isDefault(about.defaultValue)}.`}
        </Text>
      )}
      <Input label={words.value} required autoComplete="off" {...form.getInputProps('value')} />
      <TextInput label={words.description} {...form.getInputProps('description')} />
      <Checkbox label={words.local} {...form.getInputProps('local', { type: 'checkbox' })} />
    </FormDialog>
  );
}
