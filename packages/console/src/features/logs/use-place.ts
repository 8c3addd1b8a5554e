import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LogReader } from './reader.js';
import { offsetOf, placeOf, type ViewSearch } from './view-search.js';
import { endOf, isAtEnd, startOf } from './window.js';

export interface Place {
  /** Where the upper edge is, in bytes; `undefined` as long as nobody has moved. */
  readonly top: number | undefined;
  readonly target: { readonly offset: number } | undefined;
  go(offset: number): void;
  toEnd(): void;
  /** Somebody has moved by himself. */
  moved(top: number, isAtBottom: boolean): void;
}

type Change = { [Key in keyof ViewSearch]: ViewSearch[Key] | undefined };

/** What the address says besides the place, and how it is changed: not a page of its own in the history. */
export function useViewSearch(): readonly [ViewSearch, (change: Change) => void] {
  const search = useSearch({ from: '/framed/apps/$id/containers/$cid/logs/$log' });
  const navigate = useNavigate({ from: '/apps/$id/containers/$cid/logs/$log' });
  const change = useCallback(
    (to: Change) =>
      void navigate({
        search: (before) => defined({ ...before, ...to }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return [search, change];
}

const defined = (search: Change): ViewSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

/** An address that is written with every step of a wheel makes some browsers refuse. */
const settleMillis = 400;

/** Where somebody is in a log: by scrolling, by going somewhere, by a link. */
export function usePlace(reader: LogReader, at: string | undefined, change: (to: Change) => void): Place {
  const linked = offsetOf(at);
  const [top, setTop] = useState(linked);
  const [target, setTarget] = useState(linked === undefined ? undefined : { offset: linked });
  const written = useRef(at);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const write = useCallback(
    (next: string | undefined, delay: number) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        written.current = next;
        change({ at: next });
      }, delay);
    },
    [change],
  );

  const go = useCallback(
    (offset: number) => {
      const window = reader.window.get();
      setTop(offset);
      setTarget({ offset });
      if (offset > startOf(window) && offset < endOf(window)) reader.lookBack();
      else void reader.show(offset);
      write(placeOf(offset), 0);
    },
    [reader, write],
  );

  const toEnd = useCallback(() => {
    setTop(undefined);
    setTarget(undefined);
    void reader.show('end');
    write(undefined, 0);
  }, [reader, write]);

  const moved = useCallback(
    (offset: number, isAtBottom: boolean) => {
      setTop(offset);
      setTarget(undefined);
      if (isAtBottom && isAtEnd(reader.window.get())) {
        reader.follow();
        write(undefined, settleMillis);
      } else {
        reader.lookBack();
        write(placeOf(offset), settleMillis);
      }
    },
    [reader, write],
  );

  // A link to another place of the same log, or back to where one was.
  useEffect(() => {
    if (at === written.current) return;
    written.current = at;
    const offset = offsetOf(at);
    if (offset === undefined) toEnd();
    else go(offset);
  }, [at, go, toEnd]);
  useEffect(() => () => clearTimeout(timer.current), []);

  return { top, target, go, toEnd, moved };
}
