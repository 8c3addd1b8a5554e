import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import classes from './json-lines.module.css';
import { linesOf } from './lines.js';
import { words } from './words.js';

const lineHeight = 20;
/** Of a text in one line, which no screen shows whole. */
const mostCharacters = 2000;

/** A value as JSON, of which the lines on screen exist; changed leaves are marked by a sign as well as by a ground. */
export function JsonLines({ value, before }: { readonly value: unknown; readonly before: unknown }) {
  const lines = useMemo(() => linesOf(value, before), [value, before]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  return (
    <section ref={scroller} className={classes['scroller']} tabIndex={0} aria-label={words.value}>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const line = lines[index];
          return (
            line && (
              <div
                key={index}
                className={classes['line']}
                data-changed={line.isChanged || undefined}
                style={{ transform: `translateY(${start}px)`, paddingInlineStart: `${line.depth * 2 + 3}ch` }}
              >
                {line.text.length > mostCharacters ? `${line.text.slice(0, mostCharacters)}…` : line.text}
              </div>
            )
          );
        })}
      </div>
    </section>
  );
}
