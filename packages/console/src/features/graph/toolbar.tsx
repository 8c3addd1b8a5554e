import { Group, SegmentedControl, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { type GraphSearch, type Scale, scales } from './graph-search.js';
import { words } from './words.js';

interface Props {
  readonly search: GraphSearch;
  readonly names: readonly string[];
  /** Whether the cluster tells how long operators wait for those behind them. */
  readonly isBlockedKnown: boolean;
  readonly isModeFixed: boolean;
  readonly onMode: (mode: 'logical' | 'physical') => void;
  readonly onView: (view: 'graph' | 'table') => void;
  readonly onScale: (scale: Scale) => void;
  readonly onFind: (name: string) => void;
  readonly children: ReactNode;
}

export function Toolbar(props: Props) {
  const { search, names, isBlockedKnown, isModeFixed, onMode, onView, onScale, onFind, children } = props;
  return (
    <Group gap="sm" align="end">
      <SegmentedControl
        aria-label={words.mode}
        size="xs"
        value={search.mode ?? 'logical'}
        onChange={(mode) => onMode(mode === 'physical' ? 'physical' : 'logical')}
        disabled={isModeFixed}
        data={[
          { value: 'logical', label: words.modes.logical },
          { value: 'physical', label: words.modes.physical },
        ]}
      />
      <SegmentedControl
        aria-label={words.view}
        size="xs"
        value={search.view ?? 'graph'}
        onChange={(view) => onView(view === 'table' ? 'table' : 'graph')}
        data={[
          { value: 'graph', label: words.views.graph },
          { value: 'table', label: words.views.table },
        ]}
      />
      <Select
        aria-label={words.colorBy}
        size="xs"
        w={150}
        allowDeselect={false}
        value={search.color ?? 'state'}
        onChange={(_, option) => option && onScale(option.value)}
        data={scales.map((value) => {
          const isOff = value === 'backpressure' && !isBlockedKnown;
          return { value, label: words.scales[value], disabled: isOff };
        })}
        renderOption={({ option }) => (
          <span>
            {option.label}
            {option.disabled && (
              <>
                <br />
                <small>{words.notReported}</small>
              </>
            )}
          </span>
        )}
      />
      <Select
        aria-label={words.find}
        data-filter
        placeholder={words.find}
        size="xs"
        w={220}
        searchable
        clearable
        limit={50}
        value={null}
        nothingFoundMessage={words.nothingFound}
        onChange={(name) => name !== null && onFind(name)}
        data={names}
      />
      {children}
    </Group>
  );
}
