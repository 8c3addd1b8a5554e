import { parseExact } from '../../../format/exact-json.js';
import { isRecord } from '../../../forms/property-values.js';

/** One recorded tuple; `data` has its numbers as they came. */
export interface Tuple {
  readonly windowId: string;
  readonly portId: string;
  readonly data: unknown;
}

/** The tuples of one answer, one after another, and the number of the first; -1 when there is none. */
export function tuplesIn(text: string): { readonly offset: number; readonly tuples: readonly Tuple[] } {
  const batch = parseExact(text);
  if (!isRecord(batch)) return { offset: -1, tuples: [] };
  const windows = listOf(batch['tuples']).filter(isRecord);
  return {
    offset: Number(batch['startOffset'] ?? -1),
    tuples: windows.flatMap(({ windowId, tuples }) =>
      listOf(tuples)
        .filter(isRecord)
        .map(({ portId, data }) => ({ windowId: String(windowId), portId: String(portId), data })),
    ),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The newest tuples of a stream that never ends. */
export interface TupleBuffer {
  readonly tuples: readonly Tuple[];
  /** Older ones that had to leave. */
  readonly letGo: number;
  /** Recorded, and never told to this page. */
  readonly unseen: number;
  /** Tuples of the recording up to the newest one here; `undefined` before the first. */
  readonly count: number | undefined;
}

export const emptyBuffer: TupleBuffer = { tuples: [], letGo: 0, unseen: 0, count: undefined };

/** With what came since, each as the text of its message. */
export function added(before: TupleBuffer, texts: readonly string[], most: number): TupleBuffer {
  const tuples = [...before.tuples];
  let { unseen, count } = before;
  for (const text of texts) {
    const message = parseExact(text);
    if (!isRecord(message)) continue;
    const { windowId, portId, data, tupleCount } = message;
    const now = Number(tupleCount);
    if (count !== undefined) unseen += Math.max(0, now - count - 1);
    count = now;
    tuples.push({ windowId: String(windowId), portId: String(portId), data });
  }
  const over = Math.max(0, tuples.length - most);
  return { tuples: tuples.slice(over), letGo: before.letGo + over, unseen, count };
}

/** On one line, digit for digit. */
export function lineOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(lineOf).join(',')}]`;
  if (isRecord(value))
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}:${lineOf(inner)}`)
      .join(',')}}`;
  return typeof value === 'object' && value !== null ? String(value) : (JSON.stringify(value) ?? 'null');
}

/** A file with a tuple on each line. */
export const ndjson = (tuples: readonly Tuple[]): string =>
  tuples.map(({ windowId, portId, data }) => `${lineOf({ windowId, portId, data })}\n`).join('');
