import { Button, Collapse, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { PropertyFields, type PropertyFieldsProps } from '../../forms/property-fields.js';
import { words } from './words.js';

/** What has a value already: folded, since most launches need none of it. */
export function Others(props: PropertyFieldsProps) {
  const [isOpen, { toggle }] = useDisclosure();
  const [filter, setFilter] = useState('');
  const { length } = props.properties;
  if (length === 0) return null;
  return (
    <section aria-label={words.others(length)}>
      <Button
        variant="subtle"
        size="compact-md"
        onClick={toggle}
        aria-expanded={isOpen}
        leftSection={<span aria-hidden>{isOpen ? '▾' : '▸'}</span>}
      >
        {words.others(length)}
      </Button>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <>
            <TextInput
              my="sm"
              data-filter
              aria-label={words.filter}
              placeholder={words.filter}
              value={filter}
              onChange={({ currentTarget }) => setFilter(currentTarget.value)}
            />
            <PropertyFields {...props} filter={filter} />
          </>
        )}
      </Collapse>
    </section>
  );
}
