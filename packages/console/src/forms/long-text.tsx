import { useEffect, useRef } from 'react';
import classes from './long-text.module.css';
import { createLongText, type LongTextLine, type Marks, type LongText as Shown } from './long-text-view.js';

interface Props {
  /** What it is, for those who do not see it. */
  readonly label: string;
  readonly lines: readonly LongTextLine[];
  readonly marks: Marks;
  readonly isWrapping: boolean;
  /** Whether its end is kept in view. */
  readonly isFollowing: boolean;
  /** Where to go, each object once, as soon as its line is there. */
  readonly target: { readonly offset: number } | undefined;
  /** Somebody nears the first line that is held, or the last. */
  readonly onEdge: (direction: 'up' | 'down') => void;
  /** Somebody has moved; `isAtEnd`: nothing is below what is held. */
  readonly onMove: (top: number, isAtEnd: boolean) => void;
  /** There is room for more lines than are held. */
  readonly onRoom: () => void;
  /** Of a line that is shown in part. */
  readonly onMore: (start: number) => void;
}

/** How near to an edge more is asked for, as a share of what is on screen. */
const nearness = 1;

export function LongText(props: Props) {
  const { label, lines, marks, isWrapping, isFollowing, target } = props;
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Shown>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const reached = useRef<Props['target']>(undefined);
  const moves = useRef<Moves>(undefined);

  useEffect(() => {
    if (!place.current) return;
    const made = createLongText(place.current, label);
    shown.current = made;
    const watched = watchMoves(made, () => latest.current);
    moves.current = watched;
    return () => {
      watched.stop();
      made.view.destroy();
      shown.current = undefined;
    };
  }, [label]);

  // Where it goes by itself from here on, nobody has moved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere else is what matters.
  useEffect(() => moves.current?.settle(), [isFollowing, target]);
  useEffect(() => shown.current?.wrap(isWrapping), [isWrapping]);
  useEffect(() => shown.current?.mark(marks), [marks]);
  useEffect(() => {
    const { current } = shown;
    if (!current) return;
    current.show(lines, isFollowing);
    current.whenMeasured(({ scrollHeight, clientHeight }) => {
      if (scrollHeight < clientHeight * (1 + nearness)) latest.current.onRoom();
    });
    const [first, last] = [lines[0], lines.at(-1)];
    if (!target || target === reached.current || !first || !last) return;
    if (target.offset < first.start || target.offset > last.end) return;
    reached.current = target;
    current.scrollTo(
      lines.findLastIndex(({ start }) => start <= target.offset),
      2,
    );
  }, [lines, isFollowing, target]);

  return <div ref={place} className={classes['text']} />;
}

interface Moves {
  stop(): void;
  /** What scrolls now is not what somebody did before. */
  settle(): void;
}

/** Tells of moves that somebody makes: by wheel, keys, touch or the bar. What the text does itself is none. */
function watchMoves({ view, topLine }: Shown, props: () => Props): Moves {
  const { scrollDOM } = view;
  const stopped = new AbortController();
  const listening = { signal: stopped.signal, passive: true } as const;
  let movedAt = Number.NEGATIVE_INFINITY;
  const edges = (direction?: 'up' | 'down') => {
    const { scrollTop, scrollHeight, clientHeight } = scrollDOM;
    const near = clientHeight * nearness;
    if (direction !== 'down' && scrollTop < near) props().onEdge('up');
    if (direction !== 'up' && scrollHeight - scrollTop - clientHeight < near) props().onEdge('down');
  };
  const moved = () => {
    movedAt = performance.now();
  };
  scrollDOM.addEventListener(
    'wheel',
    ({ deltaY }) => {
      moved();
      if (deltaY !== 0) edges(deltaY < 0 ? 'up' : 'down');
    },
    listening,
  );
  scrollDOM.addEventListener('touchmove', moved, listening);
  scrollDOM.addEventListener('pointerdown', moved, listening);
  scrollDOM.addEventListener('pointermove', ({ buttons }) => buttons > 0 && moved(), listening);
  scrollDOM.addEventListener(
    'keydown',
    ({ key }) => {
      if (!/^(Arrow(Up|Down)|Page(Up|Down)|Home|End| )$/.test(key)) return;
      moved();
      edges();
    },
    listening,
  );
  scrollDOM.addEventListener(
    'scroll',
    () => {
      if (performance.now() - movedAt > 1000) return;
      moved();
      const { scrollTop, scrollHeight, clientHeight } = scrollDOM;
      const top = topLine();
      if (top) props().onMove(top.start, scrollHeight - scrollTop - clientHeight < 4);
      edges();
    },
    listening,
  );
  scrollDOM.addEventListener(
    'click',
    ({ target }) => {
      if (target instanceof HTMLElement && target.dataset['start'] !== undefined)
        props().onMore(Number(target.dataset['start']));
    },
    listening,
  );
  return {
    stop: () => stopped.abort(),
    settle: () => {
      movedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
