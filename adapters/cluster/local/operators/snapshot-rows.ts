import { z } from 'zod';
import type { Fields } from './record.js';

const Kept = z.object({ row: z.record(z.string(), z.unknown()), length: z.number() });
type Kept = z.output<typeof Kept>;
export const SnapshotRowsState = z.object({
  rows: z.array(z.tuple([z.string(), Kept])),
  isThere: z.boolean(),
});

export interface SnapshotLimits {
  /**
   * `tuple`: the rows of a tuple replace all earlier ones; `window`: those of a window do; `key`: each row replaces
   * the one of the same key.
   */
  readonly collect: 'tuple' | 'window' | 'key';
  readonly maxRows: number;
  /** Of all rows together, characters of JSON text. */
  readonly maxLength: number;
}

/** The newest rows, as of the last end of a window. */
export class SnapshotRows {
  readonly #limits: SnapshotLimits;
  #rows = new Map<string, Kept>();
  /** What the open window makes of them; `key` changes the rows themselves. */
  #next: Map<string, Kept> | undefined;
  #length = 0;
  /** Whether anything came yet. */
  isThere = false;

  constructor(limits: SnapshotLimits) {
    this.#limits = limits;
  }

  /** A tuple came; its rows follow. */
  startTuple(): void {
    const { collect } = this.#limits;
    if (collect === 'tuple' || !this.#next) {
      this.#next = collect === 'key' ? this.#rows : new Map();
      if (collect !== 'key') this.#length = 0;
    }
  }

  /** How many rows had no place: this one, or with `key` those that were not renewed for longest. */
  add(key: string, row: Fields, length: number): number {
    const { collect, maxRows, maxLength } = this.#limits;
    const rows = this.#next ?? this.#rows;
    if (length > maxLength) return 1;
    const isFull = () => rows.size >= maxRows || this.#length + length > maxLength;
    let without = 0;
    if (collect === 'key') {
      this.#remove(rows, key);
      for (const oldest of rows.keys()) {
        if (!isFull()) break;
        this.#remove(rows, oldest);
        without += 1;
      }
    } else if (isFull()) return 1;
    rows.set(collect === 'key' ? key : String(rows.size), { row, length });
    this.#length += length;
    return without;
  }

  endWindow(): void {
    if (!this.#next) return;
    this.#rows = this.#next;
    this.#next = undefined;
    this.isThere = true;
  }

  /** As of the last end of a window. */
  get rows(): Fields[] {
    return [...this.#rows.values()].map(({ row }) => row);
  }

  /** Of all rows together, characters of JSON text. */
  get length(): number {
    return this.#length;
  }

  get state(): z.output<typeof SnapshotRowsState> {
    return { rows: [...this.#rows], isThere: this.isThere };
  }

  set state({ rows, isThere }: z.output<typeof SnapshotRowsState>) {
    const { collect, maxRows } = this.#limits;
    const kept = collect === 'key' ? rows.slice(-maxRows) : rows.slice(0, maxRows);
    this.#rows = new Map(kept);
    this.#next = undefined;
    this.#length = kept.reduce((sum, [, { length }]) => sum + length, 0);
    this.isThere = isThere;
  }

  #remove(rows: Map<string, Kept>, key: string): void {
    this.#length -= rows.get(key)?.length ?? 0;
    rows.delete(key);
  }
}
