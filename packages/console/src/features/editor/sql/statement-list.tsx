import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { unless } from '../../../gateway/capabilities.js';
import { Do } from '../../../shell/do.js';
import { Empty } from '../../../shell/empty.js';
import type { Definition } from '../definition.js';
import type { Problem } from '../problems.js';
import { words } from '../words.js';
import { Statement, type StatementButton } from './statement.js';
import { addStatement, moveStatement, removeStatement, setStatement, statementsIn } from './statements.js';
import { useKeys } from './use-keys.js';

interface Props {
  readonly definition: Definition;
  readonly problems: readonly Problem[];
  /** Place of the one that the address names. */
  readonly selected: number | undefined;
  /** Another number when somebody has asked for the selected one again. */
  readonly asked: number;
  /** Absent: it can be read only. */
  readonly change: ((change: (definition: Definition) => Definition) => void) | undefined;
  readonly onSelect: (place: number | undefined) => void;
}

/** What the keyboard goes to when the list has changed. */
interface Focus {
  readonly place: number;
  readonly on: StatementButton | 'text' | 'add';
}

export function StatementList({ definition, problems, selected, asked, change, onSelect }: Props) {
  const statements = statementsIn(definition);
  const keys = useKeys(statements.length);
  const [told, setTold] = useState('');
  const { ref, setFocus } = useFocus();
  const last = statements.length - 1;
  const leave = () => {
    if (selected !== undefined) onSelect(undefined);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that it is asked for.
  useEffect(() => {
    if (selected !== undefined) setFocus({ place: selected, on: 'text' });
  }, [selected, asked, setFocus]);
  const add = (place: number) => {
    keys.insert(place);
    change?.((now) => addStatement(now, place));
    setFocus({ place, on: 'text' });
  };
  const remove = (place: number) => {
    keys.remove(place);
    change?.((now) => removeStatement(now, place));
    setTold(words.statementRemoved(place + 1));
    setFocus(last === 0 ? { place: 0, on: 'add' } : { place: Math.min(place, last - 1), on: 'remove' });
    leave();
  };
  const move = (from: number, to: number) => {
    keys.move(from, to);
    change?.((now) => moveStatement(now, from, to));
    setTold(words.statementMoved(from + 1, to + 1));
    setFocus({ place: to, on: to < from ? 'up' : 'down' });
    leave();
  };
  return (
    <Stack gap="sm" component="section" aria-label={words.statements} ref={ref}>
      <Group justify="space-between" gap="sm">
        <Title order={2}>{words.statements}</Title>
        <Text size="sm" className="soft">
          {words.statementsHint}
        </Text>
      </Group>
      {statements.length === 0 && <Empty title={words.noStatement}>{words.noStatementHint}</Empty>}
      <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {statements.map((sql, place) => (
          <Statement
            key={keys.all[place]}
            sql={sql}
            place={place}
            isLast={place === last}
            problems={problems.filter(({ path }) => path === `statements.${place}`)}
            {...(change
              ? { onChange: (next: string) => change((now) => setStatement(now, place, next)) }
              : {})}
            onInsert={() => add(place)}
            onRemove={() => remove(place)}
            onMove={(by) => move(place, place + by)}
          />
        ))}
      </Stack>
      <Group data-add>
        <Do may={unless(change === undefined, words.readOnly)} onClick={() => add(statements.length)}>
          {words.addStatement}
        </Do>
      </Group>
      <Text className="visually-hidden" role="status">
        {told}
      </Text>
    </Stack>
  );
}

/** Moves the keyboard once what it is to go to is drawn: the order of the elements changes under it. */
function useFocus() {
  const ref = useRef<HTMLDivElement>(null);
  const [focus, setFocus] = useState<Focus>();
  useEffect(() => {
    if (!focus) return;
    const item = `ol > li:nth-child(${focus.place + 1})`;
    const wanted = ref.current?.querySelector<HTMLElement>(
      focus.on === 'add'
        ? '[data-add] button'
        : focus.on === 'text'
          ? `${item} .cm-content`
          : `${item} [data-on="${focus.on}"]`,
    );
    wanted?.focus();
    wanted?.scrollIntoView({ block: 'nearest' });
  }, [focus]);
  return { ref, setFocus };
}
