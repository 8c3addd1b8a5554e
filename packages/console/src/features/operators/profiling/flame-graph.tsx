import { Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { both, type May, useMay } from '../../../gateway/capabilities.js';
import { Do } from '../../../shell/do.js';
import { Placeholder } from '../../../shell/loaded.js';
import type { FlameSearch } from '../search.js';
import { Section } from '../section.js';
import { words } from './words.js';

/** What draws it comes when somebody wants to see it. */
const FlameView = lazy(() => import('./flame-view.js'));

interface Props {
  readonly appid: string;
  readonly name: string;
  /** Ids of the partitions that there are. */
  readonly partitions: readonly string[];
  /** Whether anything runs that could be looked at. */
  readonly runs: May;
}

/** Of an operator; whether it is open, and of what, stands in the address. */
export function FlameGraph({ appid, name, partitions, runs }: Props) {
  const { flame, of, find } = useSearch({ from: '/framed/apps/$id/operators/$name' });
  const navigate = useNavigate({ from: '/apps/$id/operators/$name' });
  const may = both(useMay()('getFlameGraph'), runs);
  const show = (search: FlameSearch) => void navigate({ search, replace: true, resetScroll: false });
  const isOpen = flame !== undefined && may.ok;
  return (
    <Section
      title={words.flameGraph}
      actions={
        isOpen ? (
          <Do may={may} onClick={() => show({})} size="compact-md">
            {words.close}
          </Do>
        ) : (
          <Do may={may} onClick={() => show({ flame: 'FULL' })} size="compact-md">
            {words.open}
          </Do>
        )
      }
    >
      {isOpen ? (
        <Suspense fallback={<Placeholder lines={6} />}>
          <FlameView
            appid={appid}
            name={name}
            partitions={partitions}
            type={flame}
            of={of}
            find={find ?? ''}
            show={show}
          />
        </Suspense>
      ) : (
        <Text size="sm" className="soft">
          {may.ok ? words.flameHint : may.reason}
        </Text>
      )}
    </Section>
  );
}
