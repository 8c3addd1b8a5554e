import type { Pattern } from '../../formats/pattern.js';
import type { GcCollection, OpenLog } from '../../interfaces/logs.js';
import type { GcEvent } from '../../model/containers.js';
import type { TimeSlice } from '../../runtime/event-loop.js';
import { linesBackwards, linesForwards } from './log-lines.js';
import type { ByteSpan } from './log-range.js';
import { matches } from './log-search.js';

/** The garbage collection log of one container. */
export interface GcSource {
  readonly container: string;
  readonly log: OpenLog;
  readonly span: ByteSpan;
}

interface GcSearch {
  readonly collectionOf: (line: string) => GcCollection | undefined;
  readonly pattern: Pattern | undefined;
  readonly descending: boolean;
  readonly slice: TimeSlice;
}

/** The collections of all sources in the order of time; of each source no more is held than a block. */
export async function* mergeCollections(
  sources: readonly GcSource[],
  search: GcSearch,
): AsyncGenerator<Required<GcEvent>> {
  const streams = sources.map((source) => collectionsOf(source, search));
  const isBefore = search.descending
    ? (a: GcEvent, b: GcEvent) => a.startTime > b.startTime
    : (a: GcEvent, b: GcEvent) => a.startTime < b.startTime;
  try {
    /** The next collection of each source that has one. */
    const heads = new Map<(typeof streams)[number], Required<GcEvent>>();
    const advance = async (stream: (typeof streams)[number]) => {
      const { done, value } = await stream.next();
      if (done) heads.delete(stream);
      else heads.set(stream, value);
    };
    // One after the other: they share the turn.
    for (const stream of streams) await advance(stream);
    for (;;) {
      const [first, ...others] = heads;
      if (!first) return;
      const [stream, event] = others.reduce(
        (best, other) => (isBefore(other[1], best[1]) ? other : best),
        first,
      );
      yield event;
      await advance(stream);
    }
  } finally {
    for (const stream of streams) await stream.return(undefined);
  }
}

async function* collectionsOf(
  { container, log, span }: GcSource,
  { collectionOf, pattern, descending, slice }: GcSearch,
): AsyncGenerator<Required<GcEvent>, undefined> {
  const blocks = (descending ? linesBackwards : linesForwards)(log, span, slice);
  // A log is in the order of time, but its stamps are cut to milliseconds: a start that is taken from the end of a pause
  // may seem to be a little before the one before it.
  const inOrder = descending ? Math.min : Math.max;
  let last: number | undefined;
  for await (const lines of blocks) {
    for (const { offset, text } of lines) {
      if (slice.isOver()) await slice.next();
      const collection = collectionOf(text);
      if (!collection) continue;
      const startTime = inOrder(collection.startTime, last ?? collection.startTime);
      last = startTime;
      if (await matches(text, pattern, slice))
        yield { ...collection, startTime, line: text, container, byteOffset: String(offset) };
    }
  }
}
