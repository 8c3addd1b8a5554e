import * as z from 'zod';
import { OldestFirst } from './oldest-first.js';
import type { Fields } from './record.js';

const Kept = z.object({ row: z.record(z.string(), z.unknown()), length: z.number() });
type Kept = z.output<typeof Kept>;
export const SnapshotRowsState = z.object({
  rows: z.array(z.tuple([z.string(), Kept])),
  /** Keys, those that were not renewed for longest first. */
  ages: z.array(z.string()),
  isThere: z.boolean(),
});

interface SnapshotLimits {
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
  readonly #ages = new OldestFirst();
  #renewals = 0;
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
    if (length > maxLength) return 1;
    const rows = this.#next ?? this.#rows;
    if (collect === 'key') return this.#renew(rows, key, { row, length });
    if (rows.size >= maxRows || this.#length + length > maxLength) return 1;
    rows.set(String(rows.size), { row, length });
    this.#length += length;
    return 0;
  }

  #renew(rows: Map<string, Kept>, key: string, kept: Kept): number {
    this.#length += kept.length - (rows.get(key)?.length ?? 0);
    rows.set(key, kept);
    this.#ages.touch(key, this.#renewals++);
    return this.#makeRoom(rows);
  }

  #makeRoom(rows: Map<string, Kept>): number {
    const { maxRows, maxLength } = this.#limits;
    let without = 0;
    for (; rows.size > maxRows || this.#length > maxLength; without += 1) {
      const oldest = this.#ages.oldest()?.key ?? '';
      this.#length -= rows.get(oldest)?.length ?? 0;
      this.#ages.delete(oldest);
      rows.delete(oldest);
    }
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
    const rows = [...this.#rows];
    return { rows, ages: this.#ages.entries.map(([key]) => key), isThere: this.isThere };
  }

  set state({ rows, ages, isThere }: z.output<typeof SnapshotRowsState>) {
    const { collect, maxRows } = this.#limits;
    this.#rows = new Map(collect === 'key' ? rows : rows.slice(0, maxRows));
    this.#next = undefined;
    this.#length = 0;
    for (const { length } of this.#rows.values()) this.#length += length;
    for (const key of ages) this.#ages.touch(key, this.#renewals++);
    if (collect === 'key') this.#makeRoom(this.#rows);
    this.isThere = isThere;
  }
}
