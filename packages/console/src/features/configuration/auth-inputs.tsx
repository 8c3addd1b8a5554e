import { Fieldset, PasswordInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { type AuthField, type AuthType, type AuthValues, fieldsOf, type Section } from './auth-fields.js';
import { words } from './words.js';

const sections: readonly Section[] = ['server', 'ticket', 'system', 'users', 'groups'];

/** The settings of one mechanism, by what they are about. */
export function AuthInputs({
  type,
  values,
  onChange,
}: {
  readonly type: AuthType;
  readonly values: AuthValues;
  readonly onChange: (values: AuthValues) => void;
}) {
  const fields = fieldsOf(type);
  return sections
    .map((section) => ({ section, ofSection: fields.filter((field) => field.section === section) }))
    .filter(({ ofSection }) => ofSection.length > 0)
    .map(({ section, ofSection }) => (
      <Fieldset key={section} legend={words.sections[section]}>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {ofSection.map((field) => (
            <Input
              key={field.key}
              field={field}
              value={values[field.key]}
              onChange={(value) => onChange({ ...values, [field.key]: value })}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
    ));
}

function Input({
  field: { label, kind, hint, isNeeded },
  value,
  onChange,
}: {
  readonly field: AuthField;
  readonly value: string | boolean | undefined;
  readonly onChange: (value: string | boolean) => void;
}) {
  if (kind === 'flag')
    return (
      <Switch
        label={label}
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    );
  const shared = {
    label,
    ...(hint === undefined ? {} : { description: hint }),
    value: typeof value === 'string' ? value : '',
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value),
    autoComplete: 'off',
  };
  return kind === 'secret' ? (
    <PasswordInput {...shared} placeholder={words.secretKept} autoComplete="new-password" />
  ) : (
    <TextInput {...shared} withAsterisk={isNeeded === true} />
  );
}
