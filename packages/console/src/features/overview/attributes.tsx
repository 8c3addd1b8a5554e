import { Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { TableHead } from '../../shell/table-head.js';
import classes from './overview.module.css';
import { words } from './words.js';

/** What the engine was told, folded: there are many, and most of them are as they always are. */
export function Attributes({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  const [isOpen, setOpen] = useState(false);
  const [filter, setFilter] = useState('');
  const all = Object.entries(values);
  const wanted = filter.trim().toLowerCase();
  const shown = all
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const)
    .filter(([name, value]) => name.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted))
    .sort(([a], [b]) => a.localeCompare(b, 'en'));
  return (
    <details className="panel" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.attributes(all.length)}</summary>
      {isOpen && (
        <>
          <TextInput
            my="sm"
            maw={320}
            aria-label={words.filter}
            placeholder={words.filter}
            value={filter}
            onChange={({ currentTarget }) => setFilter(currentTarget.value)}
          />
          {shown.length === 0 ? (
            <Text size="sm" className="soft">
              {words.noAttribute}
            </Text>
          ) : (
            <Table fz="sm" layout="fixed">
              <TableHead columns={[words.attribute, words.value]} />
              <Table.Tbody>
                {shown.map(([name, value]) => (
                  <Table.Tr key={name}>
                    <Table.Td className={classes['value']}>{name}</Table.Td>
                    <Table.Td className={classes['value']} dir="auto">
                      {value}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </>
      )}
    </details>
  );
}
