import { Checkbox, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { Panel } from '../../shell/panel.js';
import { PropertyForm } from './property-form.js';
import { type PropertyRow, type PropertySearch, propertyRows, shownProperties } from './property-rows.js';
import { PropertyTable } from './property-table.js';
import { words } from './words.js';

export default function Properties() {
  const search = useSearch({ from: '/framed/admin/properties' });
  const navigate = useNavigate({ from: '/admin/properties' });
  const may = useMay();
  const set = useQuery(read('listProperties', {}));
  const known = useQuery(read('listKnownProperties', {}));
  const rows = useMemo(
    () => propertyRows(set.data ?? {}, known.data?.properties ?? []),
    [set.data, known.data],
  );
  const [edited, setEdited] = useState<PropertyRow | 'new'>();
  const show = (next: PropertySearch) =>
    void navigate({
      search: { ...(next.q ? { q: next.q } : {}), ...(next.unset ? { unset: true } : {}) },
      replace: true,
    });
  const shown = shownProperties(rows, search);
  return (
    <Panel
      title={words.properties}
      actions={
        <Do may={may('putProperty')} variant="filled" onClick={() => setEdited('new')}>
          {words.addProperty}
        </Do>
      }
    >
      <Group gap="md">
        <TextInput
          data-filter
          aria-label={words.filter}
          placeholder={words.filter}
          value={search.q ?? ''}
          onChange={({ currentTarget }) => show({ ...search, q: currentTarget.value })}
          w={280}
        />
        <Checkbox
          label={words.unset}
          checked={search.unset ?? false}
          onChange={({ currentTarget }) => show({ ...search, unset: currentTarget.checked })}
        />
      </Group>
      <Loaded query={set} what={words.properties} lines={6}>
        {() =>
          shown.length === 0 ? (
            <Text size="sm">{words.noProperties}</Text>
          ) : (
            <PropertyTable rows={shown} edit={setEdited} />
          )
        }
      </Loaded>
      {edited !== undefined && (
        <PropertyForm
          {...(edited === 'new' ? {} : { row: edited })}
          rows={rows}
          close={() => setEdited(undefined)}
        />
      )}
    </Panel>
  );
}
