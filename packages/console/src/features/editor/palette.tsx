import { NavLink, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import classes from './editor.module.css';
import type { OperatorClass } from './use-classes.js';
import { words } from './words.js';

interface Props {
  readonly known: readonly OperatorClass[];
  readonly isReadOnly: boolean;
  readonly onAdd: (className: string) => void;
}

/** What an application can be made of: a click adds one, and one can be dragged to its place. */
export function Palette({ known, isReadOnly, onAdd }: Props) {
  const [q, setQ] = useState('');
  const groups = useMemo(() => grouped(known, q), [known, q]);
  return (
    <aside className={classes['palette']} aria-label={words.palette}>
      <TextInput
        data-filter
        aria-label={words.filterPalette}
        placeholder={words.filterPalette}
        value={q}
        onChange={({ currentTarget }) => setQ(currentTarget.value)}
        mb="xs"
      />
      <div className={classes['paletteList']} tabIndex={0} role="group" aria-label={words.palette}>
        {groups.length === 0 && <Text className="soft">{words.noClass}</Text>}
        {groups.map(([category, items]) => (
          <section key={category} aria-label={category}>
            <Text size="xs" fw={600} className="soft" mt="xs">
              {category}
            </Text>
            {items.map(({ name, title = name, shortDesc }) => (
              <NavLink
                key={name}
                component="button"
                label={title}
                title={shortDesc ? `${shortDesc} (${name})` : name}
                aria-label={words.add(title)}
                disabled={isReadOnly}
                draggable={!isReadOnly}
                onDragStart={(event) => event.dataTransfer.setData('text/x-operator-class', name)}
                onClick={() => onAdd(name)}
                py={4}
                px="xs"
              />
            ))}
          </section>
        ))}
      </div>
      <Text size="xs" className="soft" mt="xs">
        {words.paletteHint}
      </Text>
    </aside>
  );
}

function grouped(
  known: readonly OperatorClass[],
  q: string,
): readonly (readonly [string, OperatorClass[]])[] {
  const wanted = q.trim().toLowerCase();
  const groups = new Map<string, OperatorClass[]>();
  for (const one of known) {
    const { name, title = '', shortDesc = '', category = '', tags = [] } = one;
    if (![name, title, shortDesc, category, ...tags].some((text) => text.toLowerCase().includes(wanted)))
      continue;
    const group = groups.get(category);
    if (group) group.push(one);
    else groups.set(category, [one]);
  }
  return [...groups];
}
