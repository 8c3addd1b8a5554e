import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { randomId } from '@mantine/hooks';
import { useFeed } from './feed.js';
import { type Kind, kinds, type Widget } from './layout.js';
import { fieldNames, isNumeric, type Source } from './protocol.js';
import { words } from './words.js';

interface Props {
  readonly sources: readonly Source[];
  readonly add: (widget: Widget) => void;
  readonly close: () => void;
}

const kindOf = (text: string): Kind => kinds.find((kind) => kind === text) ?? 'table';

/** What is to be shown, and how. The fields are those that the source tells. */
export function AddWidget({ sources, add, close }: Props) {
  const form = useForm({
    initialValues: { source: sources[0]?.name ?? '', kind: 'table', label: '', value: '' },
    validate: { value: (value, { kind }) => (kind !== 'table' && value === '' ? words.required : null) },
  });
  const { source: sourceName, kind } = form.values;
  const { fields, rows = [] } = useFeed(sources.find(({ name }) => name === sourceName));
  const names = fieldNames(fields, rows);
  const numeric = names.filter((name) => rows.some((row) => isNumeric(row[name])) || isNumber(fields, name));
  const submit = form.onSubmit(({ label, value, ...chosen }) =>
    add({
      id: randomId('w'),
      source: chosen.source,
      kind: kindOf(chosen.kind),
      ...(chosen.kind === 'table' || label === '' ? {} : { label }),
      ...(chosen.kind === 'table' || value === '' ? {} : { value }),
      width: chosen.kind === 'value' ? 1 : 2,
      height: chosen.kind === 'value' ? 1 : 2,
    }),
  );
  return (
    <Modal opened onClose={close} title={words.add}>
      <form onSubmit={submit}>
        <Stack>
          <Select
            label={words.source}
            data={sources.map(({ name }) => name)}
            allowDeselect={false}
            {...form.getInputProps('source')}
            data-autofocus
          />
          <Select
            label={words.kind}
            data={kinds.map((value) => ({ value, label: words.kindNames[value] }))}
            allowDeselect={false}
            {...form.getInputProps('kind')}
          />
          {kind !== 'table' && (
            <>
              {names.length === 0 && (
                <Text size="sm" className="soft">
                  {words.fieldsUnknown}
                </Text>
              )}
              <Select
                label={words.value}
                data={kind === 'value' ? [...names] : numeric}
                {...form.getInputProps('value')}
              />
              <Select label={words.label} data={[...names]} clearable {...form.getInputProps('label')} />
            </>
          )}
          <Group justify="flex-end">
            <Button type="submit">{words.add}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const numbers = ['integer', 'long', 'float', 'double', 'short', 'byte'];

const isNumber = (
  fields: readonly { readonly name: string; readonly type: string }[] | undefined,
  name: string,
) => numbers.includes(fields?.find((field) => field.name === name)?.type ?? '');
