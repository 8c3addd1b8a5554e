import { Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { percent } from '../../../format/number.js';
import { unless } from '../../../gateway/capabilities.js';
import { type AnswerOf, read } from '../../../gateway/queries.js';
import { Do } from '../../../shell/do.js';
import { Empty } from '../../../shell/empty.js';
import { LoadedUnlessRefused } from '../../../shell/loaded-unless-refused.js';
import { Ago } from '../../../shell/time.js';
import { type FlameSearch, flameTypes } from '../search.js';
import { FlamePicture } from './flame-picture.js';
import { type FramePath, finder, foundIn } from './frames.js';
import { Hottest } from './hottest.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
  readonly name: string;
  readonly partitions: readonly string[];
  readonly type: NonNullable<FlameSearch['flame']>;
  /** Absent: of all partitions. */
  readonly of: string | undefined;
  readonly find: string;
  readonly show: (search: FlameSearch) => void;
}

export default function FlameView({ appid, name, partitions, type, of, find, show }: Props) {
  const query = useQuery({
    ...read('getFlameGraph', {
      params: { appid, opName: name },
      query: { type, ...(of === undefined ? {} : { operatorId: of }) },
    }),
    // It stands still while somebody looks at it.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const shown: FlameSearch = {
    flame: type,
    ...(of === undefined ? {} : { of }),
    ...(find === '' ? {} : { find }),
  };
  return (
    <Stack gap="sm">
      <Group gap="sm" align="end">
        <SegmentedControl
          aria-label={words.type}
          data={flameTypes.map((value) => ({ value, label: words.types[value] }))}
          value={type}
          onChange={(value) => show({ ...shown, flame: flameTypes.find((one) => one === value) ?? 'FULL' })}
        />
        <Select
          aria-label={words.of}
          data={[{ value: '', label: words.ofAll }, ...partitions]}
          value={of ?? ''}
          allowDeselect={false}
          searchable={partitions.length > 10}
          limit={100}
          onChange={(value) => {
            const { of: _, ...others } = shown;
            show(value ? { ...others, of: value } : others);
          }}
          w={160}
        />
        <TextInput
          aria-label={words.find}
          placeholder={words.find}
          value={find}
          onChange={({ currentTarget: { value } }) => {
            const { find: _, ...others } = shown;
            show(value === '' ? others : { ...others, find: value });
          }}
          w={220}
        />
        <Do may={{ ok: true }} onClick={() => query.refetch()} loading={query.isFetching && !query.isPending}>
          {words.again}
        </Do>
      </Group>
      {query.isPending && (
        <Text size="sm" role="status">
          {words.wait}
        </Text>
      )}
      <LoadedUnlessRefused query={query} what={words.flameGraph} lines={6}>
        {(graph) =>
          graph.root.samples === 0 ? (
            <Empty title={words.noSamples}>{words.noSamplesHint}</Empty>
          ) : (
            <Graph graph={graph} find={find} />
          )
        }
      </LoadedUnlessRefused>
    </Stack>
  );
}

function Graph({ graph, find }: { readonly graph: AnswerOf<'getFlameGraph'>; readonly find: string }) {
  const { root, sampledAt, framesLeftOut } = graph;
  const [path, setPath] = useState<FramePath>([]);
  const place = useRef<HTMLDivElement>(null);
  const reset = () => {
    setPath([]);
    // The button is none any more; who works by keyboard goes on at the whole.
    place.current?.querySelector<HTMLElement>('[role=treeitem]')?.focus();
  };
  const isFound = finder(find);
  const found = foundIn(root, isFound);
  return (
    <Stack gap="sm" ref={place}>
      <Group gap="lg">
        <Text size="sm" className="soft">
          {words.sampled} <Ago at={sampledAt} />
        </Text>
        <Do may={unless(path.length === 0, words.resetReason)} onClick={reset} size="compact-sm">
          {words.reset}
        </Do>
        <Text size="sm" role="status">
          {find.trim() !== '' && words.found(found.frames, percent(found.samples / root.samples))}
        </Text>
      </Group>
      <FlamePicture
        root={root}
        path={path}
        onPath={setPath}
        isFound={isFound}
        isSearching={find.trim() !== ''}
      />
      {framesLeftOut > 0 && (
        <Text size="sm" className="soft">
          {words.leftOut(framesLeftOut)}
        </Text>
      )}
      <Hottest root={root} />
    </Stack>
  );
}
