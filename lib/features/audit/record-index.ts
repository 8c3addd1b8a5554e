import { bothSeries, type Series } from './segment.js';

/** Where a record is. */
export interface RecordPlace {
  /** Of the record: the number of its end, where it has one of its own. */
  readonly id: number;
  readonly segment: number;
  /** Where its beginning is, when `segment` has its end alone. */
  readonly begun?: { readonly segment: number; readonly id: string };
}

/** Which records are kept, the newest of each series, and which segments they need. */
interface RecordIndex {
  /** The segment holds so many records whose operations are under way. */
  beginsIn(segment: number, count: number): void;
  /** Later than all others of its series. */
  add(series: Series, place: RecordPlace): void;
  /** Lets go of what is too old; returns the segments that nobody needs any more. */
  trim(): readonly number[];
  /** Whether something of the segment is kept, or under way. */
  needs(segment: number): boolean;
  /** From the newest to the oldest, those before an id. */
  newestFirst(before?: number): readonly RecordPlace[];
}

export function createRecordIndex(limits: Readonly<Record<Series, number>>): RecordIndex {
  const kept: Readonly<Record<Series, RecordPlace[]>> = { changes: [], refusals: [] };
  /** How many records need something of a segment. */
  const uses = new Map<number, number>();
  const use = (segment: number, count: number) => uses.set(segment, (uses.get(segment) ?? 0) + count);

  return {
    beginsIn: use,
    add(series, place) {
      kept[series].push(place);
      // Of its beginning the segment is in use already.
      use(place.segment, 1);
    },
    trim() {
      const touched = new Set<number>();
      const letGo = (segment: number) => {
        use(segment, -1);
        touched.add(segment);
      };
      for (const series of bothSeries) {
        const tooMany = Math.max(0, kept[series].length - limits[series]);
        for (const { segment, begun } of kept[series].splice(0, tooMany)) {
          letGo(segment);
          if (begun) letGo(begun.segment);
        }
      }
      const unused = [...touched].filter((segment) => uses.get(segment) === 0);
      for (const segment of unused) uses.delete(segment);
      return unused;
    },
    needs: (segment) => uses.has(segment),
    newestFirst: (before = Number.POSITIVE_INFINITY) =>
      bothSeries
        .flatMap((series) => kept[series].filter(({ id }) => id < before))
        .sort((one, other) => other.id - one.id),
  };
}
