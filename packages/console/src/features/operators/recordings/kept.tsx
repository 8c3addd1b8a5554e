import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { unless } from '../../../gateway/capabilities.js';
import { Do } from '../../../shell/do.js';
import { Empty } from '../../../shell/empty.js';
import { Failure } from '../../../shell/failure.js';
import classes from './recording.module.css';
import { save } from './save.js';
import type { Shown } from './shown.js';
import { TupleList } from './tuple-list.js';
import { ndjson } from './tuples.js';
import { offsetOf, type Source, useLoadedTuples, useTuples } from './use-tuples.js';
import { WindowList } from './window-list.js';
import { words } from './words.js';

interface Props extends Shown {
  readonly source: Source;
  readonly window: string | undefined;
  readonly onWindow: (window: string) => void;
}

/** What was recorded: windows on the left, tuples on the right, read as they are looked at. */
export function Kept({ recording, source, width, portName, window, onWindow }: Props) {
  const total =
    source.port === undefined
      ? recording.totalTuples
      : (recording.ports.find(({ id }) => id === source.port)?.tupleCount ?? 0);
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const look = useCallback((first: number, last: number) => setRange([first, last]), []);
  const tuples = useTuples(source, range[0], Math.min(range[1], Math.max(0, total - 1)), total);
  const loaded = useLoadedTuples(source);
  const place = useQuery({
    queryKey: ['getRecordedTuples', 'place', source, window],
    queryFn: async () => (window === undefined ? null : ((await offsetOf(source, window)) ?? -1)),
  });
  const offset = place.data ?? undefined;
  return (
    <>
      <Group justify="flex-end" mb="xs">
        <Do
          may={unless(total === 0, words.nothingLoaded)}
          onClick={() => save(`${source.rec}.ndjson`, ndjson(loaded()))}
        >
          {words.download}
        </Do>
      </Group>
      {tuples.error && <Failure error={tuples.error} what={words.tupleList} retry={tuples.retry} />}
      {place.error && <Failure error={place.error} what={words.windows} retry={place.refetch} />}
      <div className={classes['columns']}>
        <WindowList ranges={recording.windowIdRanges} width={width} chosen={window} onChoose={onWindow} />
        <div>
          {offset === -1 && <p role="status">{words.nothingAfter}</p>}
          {total === 0 ? (
            <Empty title={words.noTuple}>{words.noTupleHint}</Empty>
          ) : (
            <TupleList
              count={total}
              at={tuples.at}
              portName={portName}
              width={width}
              onRange={look}
              goTo={offset === -1 ? undefined : offset}
            />
          )}
        </div>
      </div>
    </>
  );
}
