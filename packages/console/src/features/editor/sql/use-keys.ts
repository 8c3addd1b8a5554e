import { useRef } from 'react';
import { movedIn } from './statements.js';

interface Keys {
  readonly all: readonly number[];
  insert(place: number): void;
  remove(place: number): void;
  move(from: number, to: number): void;
}

/** Keys for a list of texts, which have none: each stays with its text while others come, go and move. */
export function useKeys(count: number): Keys {
  const kept = useRef<readonly number[]>([]);
  const next = useRef(0);
  const make = () => next.current++;
  // It was changed from elsewhere: what is too much goes, what is new gets its own.
  if (kept.current.length !== count)
    kept.current = Array.from({ length: count }, (_, place) => kept.current[place] ?? make());
  return {
    all: kept.current,
    insert: (place) => {
      kept.current = kept.current.toSpliced(place, 0, make());
    },
    remove: (place) => {
      kept.current = kept.current.toSpliced(place, 1);
    },
    move: (from, to) => {
      kept.current = movedIn(kept.current, from, to);
    },
  };
}
