import { Button, Checkbox, Fieldset, Group, Select, Stack, TextInput, Title } from '@mantine/core';
import type { Parameter } from './template-values.js';
import { words } from './words.js';

interface Props {
  readonly parameters: readonly Parameter[];
  readonly onChange: (parameters: readonly Parameter[]) => void;
}

const noParameter: Parameter = {
  variable: '',
  label: '',
  type: 'text',
  placeholder: '',
  tooltip: '',
  required: true,
};

/** What a template asks for. Tooltips and choices that are there stay as they are. */
export function TemplateParameters({ parameters, onChange }: Props) {
  return (
    <Stack gap="sm">
      <Title order={2}>{words.parameters}</Title>
      {parameters.map((parameter, place) => (
        <One
          // Its place: its name is being typed.
          key={`parameter ${place}`}
          parameter={parameter}
          onChange={(next) => onChange(parameters.with(place, next))}
          onRemove={() => onChange(parameters.toSpliced(place, 1))}
        />
      ))}
      <div>
        <Button variant="default" onClick={() => onChange([...parameters, noParameter])}>
          {words.addParameter}
        </Button>
      </div>
    </Stack>
  );
}

function One({
  parameter,
  onChange,
  onRemove,
}: {
  readonly parameter: Parameter;
  readonly onChange: (next: Parameter) => void;
  readonly onRemove: () => void;
}) {
  const { variable, label, type, required, default: first = '' } = parameter;
  const set = (part: Partial<Parameter>) => onChange({ ...parameter, ...part });
  return (
    <Fieldset legend={variable || words.variable}>
      <Group gap="sm" align="end">
        <TextInput
          label={words.variable}
          value={variable}
          onChange={({ currentTarget }) => set({ variable: currentTarget.value })}
        />
        <TextInput
          label={words.label}
          value={label}
          onChange={({ currentTarget }) => set({ label: currentTarget.value })}
        />
        <Select
          label={words.type}
          value={type}
          data={(['text', 'number'] as const).map((value) => ({ value, label: words.types[value] }))}
          allowDeselect={false}
          w={120}
          onChange={(chosen) => set({ type: chosen === 'number' ? 'number' : 'text' })}
        />
        <TextInput
          label={words.default}
          value={first}
          onChange={({ currentTarget: { value } }) => {
            const { default: _, ...rest } = parameter;
            onChange(value === '' ? rest : { ...rest, default: value });
          }}
        />
        <Checkbox
          label={words.required}
          checked={required}
          mb={8}
          onChange={({ currentTarget }) => set({ required: currentTarget.checked })}
        />
        <Button variant="subtle" color="red" aria-label={words.removeParameter(variable)} onClick={onRemove}>
          {words.remove}
        </Button>
      </Group>
    </Fieldset>
  );
}
