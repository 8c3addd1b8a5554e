import { PasswordInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type FieldKind, kindOf, type Property, parsed, textOf } from './property-values.js';
import { words } from './words.js';

interface Props {
  readonly property: Property;
  readonly value: unknown;
  /** Before it was edited. */
  readonly before: unknown;
  readonly fallback: unknown;
  readonly error: string | undefined;
  /** Absent: it can be read only. */
  readonly onEdit: ((value: unknown) => void) | undefined;
}

/** One property, in the input that fits its type. An empty field is no value: what is the default holds again. */
export function PropertyField({ property, value, before, fallback, error, onEdit }: Props) {
  const kind = kindOf(property, value);
  const isReadOnly = onEdit === undefined;
  const common = {
    label: property.name,
    description: property.description,
    placeholder: fallback === undefined ? words.unset : words.byDefault(textOf(fallback)),
    error,
    ...(isReadOnly ? { readOnly: true } : {}),
  };
  const choose = (text: string | null) =>
    onEdit?.(text === null ? undefined : kind === 'boolean' ? text === 'true' : text);
  if (kind === 'boolean' || kind === 'choice')
    return (
      <Select
        {...common}
        data={kind === 'boolean' ? [words.true, words.false] : choices(property, value)}
        value={value === undefined ? null : textOf(value)}
        onChange={choose}
        clearable={!isReadOnly}
        searchable={(property.values?.length ?? 0) > 10}
      />
    );
  if (kind === 'list')
    return (
      <TagsInput
        {...common}
        placeholder={Array.isArray(value) ? words.addItem : common.placeholder}
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={(items) => onEdit?.(items.length === 0 ? undefined : items)}
        splitChars={[]}
        clearable
      />
    );
  if (kind === 'secret') return <Secret {...common} value={value} before={before} onEdit={onEdit} />;
  return <Typed common={common} kind={kind} value={value} before={before} onEdit={onEdit} />;
}

/** A value that the description does not have is there nevertheless. */
function choices({ values = [] }: Property, value: unknown): string[] {
  const text = textOf(value);
  return text === '' || values.includes(text) ? [...values] : [...values, text];
}

/** What is there is never shown, not even as dots that tell its length. */
function Secret({
  value,
  before,
  onEdit,
  ...common
}: Pick<Props, 'value' | 'before' | 'onEdit'> & { readonly label: string; readonly placeholder: string }) {
  return (
    <PasswordInput
      {...common}
      placeholder={before === undefined ? words.noSecret : words.secret}
      value={value === before ? '' : textOf(value)}
      onChange={({ currentTarget }) => onEdit?.(currentTarget.value === '' ? before : currentTarget.value)}
      autoComplete="new-password"
    />
  );
}

const complaints: Partial<Record<FieldKind, string>> = {
  integer: words.notInteger,
  number: words.notNumber,
  json: words.notJson,
};

/** Text that has to say something: what it does not say yet stays in the field, and is not reported. */
function Typed({
  common,
  kind,
  value,
  before,
  onEdit,
}: Pick<Props, 'value' | 'before' | 'onEdit'> & {
  readonly common: { readonly label: string; readonly error: string | undefined };
  readonly kind: FieldKind;
}) {
  const [text, setText] = useState(() => textOf(value));
  // What was changed elsewhere, in the text beside it for instance; not what this field says already in other letters.
  const said = saidBy(kind, text, before);
  const shown = textOf(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a value from elsewhere replaces what is being typed.
  useEffect(() => {
    if (said !== shown) setText(shown);
  }, [shown]);
  const change = (next: string) => {
    setText(next);
    if (next === '') return onEdit?.(undefined);
    const found = parsed(kind, next, before);
    if (found.ok) onEdit?.(found.value);
  };
  const isWrong = text !== '' && !parsed(kind, text, before).ok;
  const props = {
    ...common,
    value: text,
    error: isWrong ? complaints[kind] : common.error,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
  };
  if (kind === 'integer' || kind === 'number')
    return <TextInput {...props} inputMode={kind === 'integer' ? 'numeric' : 'decimal'} />;
  return (
    <Textarea
      {...props}
      autosize
      minRows={1}
      maxRows={12}
      spellCheck={false}
      {...(kind === 'json' ? { classNames: { input: 'mono' } } : {})}
    />
  );
}

const saidBy = (kind: FieldKind, text: string, before: unknown): string | undefined => {
  if (text === '') return '';
  const found = parsed(kind, text, before);
  return found.ok ? textOf(found.value) : undefined;
};
