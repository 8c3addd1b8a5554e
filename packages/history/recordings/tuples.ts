import { DamagedDocument, type TupleBatch, type TupleQuery } from 'headgate/driver-kit';
import type { PartReader } from '../part-files/reader.js';
import { type PartTotals, parseLine, parseTotals } from './format.js';

/** One answer; a batch that would be longer ends early, and the next goes on where it ended. Characters of JSON. */
const maxBatchLength = 2 * 1024 * 1024;
/** Windows in one answer, empty ones included. */
const maxBatchWindows = 10_000;

type Window = TupleBatch['tuples'][number];

/**
 * Tuples of a recording. A batch holds whole entries of windows, of which the first and the last may go on in the
 * neighbouring batches; a window without tuples belongs to the batch of the tuple that comes after it, or to the one
 * that reaches the end.
 */
export async function readTuples(
  reader: PartReader,
  query: TupleQuery,
  options: { readonly name: string; readonly signal?: AbortSignal | undefined },
): Promise<TupleBatch> {
  const isSelected = selection(query);
  const start = await whereToBegin(reader, query, isSelected, options.signal);
  if (!start) return { startOffset: '-1', tuples: [] };
  const batch = new Batch(query, options.name, start.offset);
  const lines = reader.lines({ part: ({ number }) => number >= start.part, signal: options.signal });
  for await (const { line } of lines) {
    const found = parseLine(line);
    if (!found) continue;
    if (found.kind === 'begin') batch.begin(found.windowId);
    else if (found.kind === 'end') batch.end();
    else if (!isSelected(found.portId)) continue;
    else if (found.kind === 'skipped') batch.skipped(found.tuples);
    else batch.tuple(found.portId, found.json);
    if (batch.isOver) break;
  }
  return batch.result();
}

const selection = ({ ports }: TupleQuery): ((portId: string) => boolean) => {
  const wanted = ports && new Set(ports);
  return (portId) => !wanted || wanted.has(portId);
};

/** The first part that has something to tell, and the number of selected tuples before it; `undefined`: none has. */
async function whereToBegin(
  reader: PartReader,
  query: TupleQuery,
  isSelected: (portId: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<{ readonly part: number; readonly offset: number } | undefined> {
  let offset = 0;
  const { parts } = await reader.index(signal);
  for (const { number, extra } of parts) {
    const totals = parseTotals(extra);
    const end = offset + selectedTuples(totals, isSelected);
    if (isWanted(query, totals, end)) return { part: number, offset };
    offset = end;
  }
  return undefined;
}

function isWanted({ from, emptyWindows }: TupleQuery, { windows }: PartTotals, end: number): boolean {
  // Windows without tuples may lie between the end of one part and the tuple asked for.
  if ('offset' in from) return emptyWindows ? end >= from.offset : end > from.offset;
  const first = BigInt(from.startWindow);
  return windows.some(({ high }) => high >= first);
}

function selectedTuples({ tuples }: PartTotals, isSelected: (portId: string) => boolean): number {
  let sum = 0;
  for (const [portId, count] of tuples) if (isSelected(portId)) sum += count;
  return sum;
}

/** Takes the lines in order, and keeps what belongs to the answer. */
class Batch {
  isOver = false;
  readonly #query: TupleQuery;
  readonly #name: string;
  readonly #windows: Window[] = [];
  /** Selected tuples that passed. */
  #seen: number;
  #taken = 0;
  #length = 0;
  #startOffset = -1;
  #isFull = false;
  #windowId = '';
  /** The open window in the answer. */
  #entry: Window | undefined;
  #windowHasTuples = false;
  #windowSkipped = 0;

  constructor(query: TupleQuery, name: string, offset: number) {
    this.#query = query;
    this.#name = name;
    this.#seen = offset;
  }

  begin(windowId: string): void {
    if (this.#isFull) this.isOver = true;
    this.#windowId = windowId;
    this.#entry = undefined;
    this.#windowHasTuples = false;
    this.#windowSkipped = 0;
  }

  tuple(portId: string, json: string): void {
    this.#windowHasTuples = true;
    if (!this.#hasBegun()) {
      this.#seen++;
      return;
    }
    this.#length += json.length;
    if (this.#isFull || (this.#taken > 0 && this.#length > maxBatchLength)) {
      this.isOver = true;
      return;
    }
    if (this.#taken === 0) this.#startOffset = this.#seen;
    this.#entry ??= this.#open();
    this.#entry.tuples.push({ portId, data: this.#parse(json) });
    this.#seen++;
    this.#taken++;
    if (this.#taken >= this.#query.limit) this.#isFull = true;
  }

  skipped(tuples: number): void {
    this.#windowSkipped += tuples;
    if (this.#entry) this.#entry.skippedTuples = this.#windowSkipped;
  }

  end(): void {
    const { emptyWindows } = this.#query;
    if (emptyWindows && !this.#windowHasTuples && !this.#isFull && this.#hasBegun()) {
      const entry = this.#open();
      if (this.#windowSkipped > 0) entry.skippedTuples = this.#windowSkipped;
    }
    if (this.#isFull || this.#windows.length >= maxBatchWindows) this.isOver = true;
  }

  result(): TupleBatch {
    return { startOffset: String(this.#startOffset), tuples: this.#windows };
  }

  #hasBegun(): boolean {
    const { from } = this.#query;
    return 'offset' in from
      ? this.#seen >= from.offset
      : BigInt(this.#windowId || 0) >= BigInt(from.startWindow);
  }

  #open(): Window {
    const entry: Window = { windowId: this.#windowId, tuples: [] };
    this.#windows.push(entry);
    return entry;
  }

  #parse(json: string): unknown {
    try {
      return JSON.parse(json);
    } catch (cause) {
      throw new DamagedDocument(this.#name, cause);
    }
  }
}
