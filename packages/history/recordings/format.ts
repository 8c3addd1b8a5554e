import * as z from 'zod';
import type { PartFormat, PartSummary } from '../part-files/format.js';

// Lines of a part, as Apex writes them: `B:{ms}:{window id}` and `E:{ms}:{window id}` around
// `T:{ms}:{port id}:{bytes}:{json}` for each tuple. Ours: `S:{ms}:{port id}:{tuples}` for those of the window that passed
// and were not kept; readers leave out lines that they don't know.

type RecordedLine =
  | { readonly kind: 'begin'; readonly windowId: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'tuple'; readonly portId: string; readonly json: string }
  | { readonly kind: 'skipped'; readonly portId: string; readonly tuples: number };

const lineStart = /^[A-Z]:(-?\d{1,15}):/;

/** `undefined`: a line of another kind, or damaged. */
export function parseLine(line: string): RecordedLine | undefined {
  const time = lineStart.exec(line);
  if (!time) return undefined;
  const rest = line.slice(time[0].length);
  switch (line[0]) {
    case 'B':
      return /^\d{1,20}$/.test(rest) ? { kind: 'begin', windowId: rest } : undefined;
    case 'E':
      return { kind: 'end' };
    case 'T': {
      const port = rest.indexOf(':');
      const length = rest.indexOf(':', port + 1);
      if (port < 0 || length < 0) return undefined;
      return { kind: 'tuple', portId: rest.slice(0, port), json: rest.slice(length + 1) };
    }
    case 'S': {
      const [portId = '', tuples = ''] = rest.split(':');
      return /^\d{1,15}$/.test(tuples) ? { kind: 'skipped', portId, tuples: Number(tuples) } : undefined;
    }
    default:
      return undefined;
  }
}

export const boundaryLine = (kind: 'B' | 'E', millis: number, windowId: string): string =>
  `${kind}:${millis}:${windowId}\n`;

export const skippedLine = (millis: number, portId: string, tuples: number): string =>
  `S:${millis}:${portId}:${tuples}\n`;

interface WindowRange {
  readonly low: bigint;
  readonly high: bigint;
}

/** What the index tells of a part: its windows, tuples of each port, and tuples that were not kept. */
export interface PartTotals {
  readonly windows: readonly WindowRange[];
  /** By port id. */
  readonly tuples: ReadonlyMap<string, number>;
  readonly skipped: number;
}

/** Adjoining ranges become one. They come in the order of their windows. */
export function mergeRanges(ranges: Iterable<WindowRange>): WindowRange[] {
  const merged: WindowRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last && range.low <= last.high + 1n)
      merged[merged.length - 1] = { low: last.low, high: range.high > last.high ? range.high : last.high };
    else merged.push(range);
  }
  return merged;
}

/** `{low}-{high}[,...]:{length}:{json}`, the json from port id to tuples, as text; ours besides: `skipped`. */
function formatTotals({ windows, tuples, skipped }: PartTotals): string {
  const ranges = windows.map(({ low, high }) => `${low}-${high}`).join(',');
  const counts = Object.fromEntries([...tuples].map(([portId, count]) => [portId, String(count)]));
  const json = JSON.stringify(skipped > 0 ? { ...counts, skipped: String(skipped) } : counts);
  return `${ranges}:${json.length}:${json}`;
}

const Counts = z.record(
  z.string(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
);

export function parseTotals(text: string | undefined): PartTotals {
  const match = /^([\d,-]*):\d+:(.*)$/.exec(text ?? '');
  const counts = Counts.safeParse(jsonIn(match?.[2] ?? ''));
  const { skipped = 0, ...tuples } = counts.success ? counts.data : {};
  const windows = (match?.[1] ?? '').split(',').flatMap((range) => {
    const [, low, high] = /^(\d{1,20})-(\d{1,20})$/.exec(range) ?? [];
    return low === undefined || high === undefined ? [] : [{ low: BigInt(low), high: BigInt(high) }];
  });
  return { windows, tuples: new Map(Object.entries(tuples)), skipped };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Gathers the totals of a part, from lines that are read or from what the writer knows. */
export class PartCounter implements PartSummary {
  readonly tuples = new Map<string, number>();
  skipped = 0;
  #windows: WindowRange[] = [];

  add(line: string): void {
    const parsed = parseLine(line);
    if (parsed?.kind === 'begin') this.window(parsed.windowId);
    else if (parsed?.kind === 'tuple') this.kept(parsed.portId, 1);
    else if (parsed?.kind === 'skipped') this.skipped += parsed.tuples;
  }

  window(windowId: string): void {
    const id = BigInt(windowId);
    this.#windows = mergeRanges([...this.#windows, { low: id, high: id }]);
  }

  kept(portId: string, tuples: number): void {
    this.tuples.set(portId, (this.tuples.get(portId) ?? 0) + tuples);
  }

  get total(): number {
    return [...this.tuples.values()].reduce((sum, count) => sum + count, 0);
  }

  text(): string {
    return formatTotals({ windows: this.#windows, tuples: this.tuples, skipped: this.skipped });
  }
}

export const recordingFormat: PartFormat = {
  timeOf(line) {
    const time = lineStart.exec(line)?.[1];
    return time === undefined ? undefined : Number(time);
  },
  countOf: (line) => (line.startsWith('T') ? 1 : 0),
  summary: () => new PartCounter(),
};
