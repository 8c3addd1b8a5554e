import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { type Happened, heldAt } from '../../gateway/event-list.js';
import { EventLine } from './event-line.js';
import classes from './events.module.css';
import { words } from './words.js';

/** Pixels from the top that still are the top. */
const nearTop = 24;

/** The newest first; while somebody reads further down, new ones wait above instead of pushing away what is read. */
export function EventList({ events }: { readonly events: readonly Happened[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<string>();
  const { shown, waiting } = heldAt(events, held);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 34,
    getItemKey: (index) => shown[index]?.id ?? index,
    overscan: 6,
  });
  const scrolled = (top: number) =>
    setHeld((before) => (top <= nearTop ? undefined : (before ?? shown[0]?.id)));
  return (
    <div className={classes['place']}>
      {waiting > 0 && (
        <Button
          size="compact-sm"
          className={classes['waiting'] ?? ''}
          onClick={() => {
            setHeld(undefined);
            scroller.current?.scrollTo({ top: 0 });
          }}
        >
          {words.waiting(waiting)}
        </Button>
      )}
      <div
        role="list"
        aria-label={words.title}
        className={classes['list']}
        ref={scroller}
        tabIndex={0}
        onScroll={({ currentTarget }) => scrolled(currentTarget.scrollTop)}
      >
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const event = shown[index];
            return (
              event && (
                <div
                  key={key}
                  role="listitem"
                  aria-setsize={shown.length}
                  aria-posinset={index + 1}
                  data-index={index}
                  ref={virtual.measureElement}
                  style={{ position: 'absolute', insetInline: 0, transform: `translateY(${start}px)` }}
                >
                  <EventLine event={event} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}
