import { Button, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type AuditSearch, results } from './audit-search.js';
import { words } from './words.js';

const { filters } = words;
type Change = { [Key in keyof AuditSearch]: AuditSearch[Key] | undefined };

/** Which records are shown. Texts count when they are complete: each search reads the log. */
export function Filters({
  search,
  show,
}: {
  readonly search: AuditSearch;
  readonly show: (change: Change) => void;
}) {
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Group align="flex-end" gap="sm">
      <Text label={filters.user} value={search.user} isFilter onDone={(user) => show({ user })} />
      <Text label={filters.operation} value={search.operation} onDone={(operation) => show({ operation })} />
      <Text
        label={filters.target}
        value={search.target}
        placeholder={filters.targetHint}
        onDone={(target) => show({ target })}
      />
      <Select
        label={filters.result}
        data={[...results]}
        value={search.result ?? null}
        placeholder={filters.any}
        clearable
        onChange={(result) => show({ result: results.find((one) => one === result) })}
        w={120}
      />
      <Moment label={filters.since} value={search.since} onDone={(since) => show({ since })} />
      <Moment label={filters.until} value={search.until} onDone={(until) => show({ until })} />
      {isFiltered && (
        <Button
          variant="default"
          onClick={() =>
            show({
              user: undefined,
              operation: undefined,
              target: undefined,
              result: undefined,
              since: undefined,
              until: undefined,
            })
          }
        >
          {filters.clear}
        </Button>
      )}
    </Group>
  );
}

function Text({
  label,
  value = '',
  placeholder,
  isFilter = false,
  onDone,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder?: string;
  readonly isFilter?: boolean;
  readonly onDone: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const done = () => {
    if (typed === undefined) return;
    setTyped(undefined);
    if (typed !== value) onDone(typed.trim() || undefined);
  };
  return (
    <TextInput
      label={label}
      {...(placeholder === undefined ? {} : { placeholder })}
      {...(isFilter ? { 'data-filter': true } : {})}
      value={typed ?? value}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={done}
      onKeyDown={({ key }) => {
        if (key === 'Enter') done();
      }}
      w={150}
    />
  );
}

/** The browser's own field for a moment; it reads in the browser's zone, as its text says. */
function Moment({
  label,
  value,
  onDone,
}: {
  readonly label: string;
  readonly value: number | undefined;
  readonly onDone: (value: number | undefined) => void;
}) {
  return (
    <TextInput
      label={label}
      type="datetime-local"
      step={1}
      value={value === undefined ? '' : localText(value)}
      onChange={({ currentTarget }) => {
        const at = new Date(currentTarget.value).getTime();
        onDone(Number.isNaN(at) ? undefined : at);
      }}
      w={190}
    />
  );
}

const localText = (at: number): string => {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};
