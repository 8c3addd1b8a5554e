import { Button, Notification } from '@mantine/core';
import { useRef, useState } from 'react';
import { LongText } from '../../forms/long-text.js';
import type { Marks } from '../../forms/long-text-view.js';
import { Empty } from '../../shell/empty.js';
import classes from './log.module.css';
import { Rail } from './rail.js';
import type { LogReader } from './reader.js';
import type { Hit } from './search.js';
import type { Lines } from './use-lines.js';
import type { Place } from './use-place.js';
import type { LogWindow } from './window.js';
import { words } from './words.js';

interface Props {
  readonly label: string;
  readonly window: LogWindow;
  readonly reader: LogReader;
  readonly place: Place;
  readonly lines: Lines;
  readonly marks: Marks;
  readonly hits: readonly Hit[];
  readonly isWrapping: boolean;
  readonly onWalk: (direction: 'up' | 'down') => void;
  readonly onAllLevels: () => void;
}

/** The lines, the rail beside them, and what has to be said over them. */
export function Viewer(props: Props) {
  const { label, window, reader, place, lines, marks, hits, isWrapping, onWalk } = props;
  const { isFollowing, length, unseen, isUnseenMore } = window;
  const fill = useFilling(reader, lines.shown.length < lines.held.length);
  return (
    <>
      <Rotated times={window.rotations} />
      <div
        className={classes['viewer']}
        role="group"
        aria-label={label}
        onKeyDown={({ key, ctrlKey, metaKey, altKey }) => {
          if (ctrlKey || metaKey || altKey || (key !== 'n' && key !== 'p')) return;
          onWalk(key === 'n' ? 'down' : 'up');
        }}
      >
        <LongText
          label={label}
          lines={lines.shown}
          marks={marks}
          isWrapping={isWrapping}
          isFollowing={isFollowing}
          target={place.target}
          onEdge={(direction) => void reader.more(direction)}
          onMove={place.moved}
          onRoom={fill}
          onMore={lines.showMore}
        />
        <Rail
          offset={isFollowing ? length : (place.top ?? length)}
          length={length}
          hits={hits}
          onGo={place.go}
        />
        {!isFollowing && (
          <Button className={classes['pill'] ?? ''} size="compact-sm" radius="xl" onClick={place.toEnd}>
            {words.newLines(unseen, isUnseenMore)}
          </Button>
        )}
        <Nothing {...props} />
      </div>
    </>
  );
}

function Nothing({ window, lines, onAllLevels }: Props) {
  if (lines.shown.length > 0) return null;
  const isFiltered = lines.held.length > 0;
  if (!isFiltered && window.length > 0) return null;
  return (
    <div className={classes['over']}>
      {isFiltered ? (
        <Empty
          title={words.allHidden}
          action={
            <Button variant="default" onClick={onAllLevels}>
              {words.showAllLevels}
            </Button>
          }
        >
          {words.allHiddenHint}
        </Empty>
      ) : (
        <Empty title={words.empty}>{words.emptyHint}</Empty>
      )}
    </div>
  );
}

/** Reads by itself that fill the screen; behind them a line may be that goes on for gigabytes. */
const mostFilling = 32;

/** Loads more where the lines do not fill the screen. With a filter they may never: then only who scrolls loads more. */
function useFilling(reader: LogReader, isFiltered: boolean): () => void {
  const reads = useRef(0);
  return () => {
    if (isFiltered || reads.current >= mostFilling) return;
    reads.current++;
    void reader.more(reader.window.get().isFollowing ? 'up' : 'down');
  };
}

/** Until somebody has read it. */
function Rotated({ times }: { readonly times: number }) {
  const [read, setRead] = useState(0);
  if (times <= read) return null;
  return (
    <Notification role="status" withBorder onClose={() => setRead(times)} mb="sm">
      {words.rotated}
    </Notification>
  );
}
