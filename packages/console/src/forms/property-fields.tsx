import { Fieldset, Stack, Text } from '@mantine/core';
import { PropertyField } from './property-field.js';
import {
  isRecord,
  kindOf,
  matching,
  type Property,
  type Values,
  withUndescribed,
} from './property-values.js';
import { words } from './words.js';

export interface PropertyFieldsProps {
  readonly properties: readonly Property[];
  /** As they are. Text, numbers and what else JSON has. */
  readonly values: Values;
  /** What has been edited, by name; shown in place of `values`. `undefined`: it is taken away. Default: nothing. */
  readonly edits?: Values;
  /** The new value of one property, whole also where something inside of it was changed; `undefined` takes it away. */
  readonly onEdit?: (name: string, value: unknown) => void;
  /** What holds where nothing is set. */
  readonly defaults?: Values;
  /** What is wrong, by path: `limit`, `connection.host`. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Part of a name or of a description. */
  readonly filter?: string;
  /** Of what contains these; for `errors`. */
  readonly path?: string;
}

/** Properties by their descriptions: a field each, made for its type. Without `onEdit` they can be read only. */
export function PropertyFields(props: PropertyFieldsProps) {
  const { properties, values, filter = '' } = props;
  const all = withUndescribed(properties, values);
  const shown = matching(all, filter);
  if (shown.length === 0)
    return (
      <Text size="sm" className="soft">
        {all.length === 0 ? words.none : words.noMatch}
      </Text>
    );
  return (
    <Stack gap="sm">
      {shown.map((property) => (
        <One key={property.name} {...props} property={property} />
      ))}
    </Stack>
  );
}

function One({
  property,
  values,
  edits = {},
  onEdit,
  defaults = {},
  errors = {},
  path = '',
}: PropertyFieldsProps & { readonly property: Property }) {
  const { name } = property;
  const before = values[name];
  const value = Object.hasOwn(edits, name) ? edits[name] : before;
  const place = path + name;
  const edit = property.canSet === false ? undefined : onEdit;
  const fallback = defaults[name];
  if (kindOf(property, value) !== 'group')
    return (
      <PropertyField
        property={property}
        value={value}
        before={before}
        fallback={fallback}
        error={errors[place]}
        onEdit={edit && ((next) => edit(name, next))}
      />
    );
  const inner = isRecord(value) ? value : {};
  return (
    <Fieldset legend={name}>
      {property.description && (
        <Text size="sm" className="soft" mb="sm">
          {property.description}
        </Text>
      )}
      <PropertyFields
        properties={property.properties ?? []}
        values={inner}
        {...(edit ? { onEdit: (key: string, next: unknown) => edit(name, withKey(inner, key, next)) } : {})}
        defaults={isRecord(fallback) ? fallback : {}}
        errors={errors}
        path={`${place}.`}
      />
    </Fieldset>
  );
}

function withKey(values: Values, key: string, value: unknown): Values | undefined {
  const { [key]: _, ...others } = values;
  const next = value === undefined ? others : { ...values, [key]: value };
  return Object.keys(next).length === 0 ? undefined : next;
}
