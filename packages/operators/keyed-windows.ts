/** What is kept per key and window, and how two windows' worth of it become one. */
export interface Accumulator<A> {
  create(): A;
  merge(into: A, from: A): void;
}

/** One streaming window's worth. Survives the structured clone. */
interface Pane<A> {
  readonly entries: Map<string, A>;
  /** Tuples that came when there was no room for their key. */
  overflow: number;
  /** Tuples without a usable value. */
  skipped: number;
}

export interface Combined<A> {
  readonly entries: ReadonlyMap<string, A>;
  readonly overflow: number;
  readonly skipped: number;
  /** How many windows it covers: fewer than asked for in the beginning. */
  readonly windows: number;
}

interface KeyedWindowLimits {
  /** How many streaming windows a result covers. */
  readonly windows: number;
  /** Most keys at a time in all of them together. */
  readonly maxKeys: number;
}

const emptyPane = <A>(): Pane<A> => ({ entries: new Map(), overflow: 0, skipped: 0 });

/**
 * Keyed state over the last N streaming windows. Each window has a pane of its own and a result merges the panes, so
 * that sums don't drift and a minimum leaves when its window does.
 */
export class KeyedWindows<A> {
  readonly #accumulator: Accumulator<A>;
  #limits: KeyedWindowLimits;
  /** Finished windows, the oldest first. */
  #panes: Pane<A>[] = [];
  #current: Pane<A> = emptyPane();
  /** Key to the number of panes that have it. */
  #live = new Map<string, number>();

  constructor(accumulator: Accumulator<A>, limits: KeyedWindowLimits) {
    this.#accumulator = accumulator;
    this.#limits = limits;
  }

  set limits(limits: KeyedWindowLimits) {
    this.#limits = limits;
    this.#evict(limits.windows);
  }

  /** The key's accumulator of the current window; `undefined`, and counted, when there is no room for another key. */
  at(key: string): A | undefined {
    const found = this.#current.entries.get(key);
    if (found !== undefined) return found;
    const panes = this.#live.get(key);
    if (panes === undefined && this.#live.size >= this.#limits.maxKeys) {
      this.#current.overflow += 1;
      return undefined;
    }
    this.#live.set(key, (panes ?? 0) + 1);
    const created = this.#accumulator.create();
    this.#current.entries.set(key, created);
    return created;
  }

  skip(): void {
    this.#current.skipped += 1;
  }

  /** Ends the current window: the result of the last N windows, this one included. */
  close(): Combined<A> {
    this.#panes.push(this.#current);
    this.#current = emptyPane();
    this.#evict(this.#limits.windows);
    const result = this.#combine();
    this.#evict(this.#limits.windows - 1);
    return result;
  }

  /** Finished windows that later results need. Between windows only. */
  get panes(): readonly Pane<A>[] {
    return this.#panes;
  }

  set panes(panes: readonly Pane<A>[]) {
    this.#panes = [...panes];
    this.#current = emptyPane();
    this.#live = new Map();
    for (const { entries } of panes) {
      for (const key of entries.keys()) this.#live.set(key, (this.#live.get(key) ?? 0) + 1);
    }
    this.#evict(this.#limits.windows);
  }

  #combine(): Combined<A> {
    const totals = {
      overflow: this.#panes.reduce((sum, pane) => sum + pane.overflow, 0),
      skipped: this.#panes.reduce((sum, pane) => sum + pane.skipped, 0),
      windows: this.#panes.length,
    };
    const [only] = this.#panes;
    if (only && this.#panes.length === 1) return { entries: only.entries, ...totals };
    const entries = new Map<string, A>();
    for (const pane of this.#panes) {
      for (const [key, from] of pane.entries) {
        let into = entries.get(key);
        if (into === undefined) {
          into = this.#accumulator.create();
          entries.set(key, into);
        }
        this.#accumulator.merge(into, from);
      }
    }
    return { entries, ...totals };
  }

  #evict(keep: number): void {
    while (this.#panes.length > Math.max(0, keep)) {
      for (const key of this.#panes.shift()?.entries.keys() ?? []) {
        const panes = (this.#live.get(key) ?? 1) - 1;
        if (panes === 0) this.#live.delete(key);
        else this.#live.set(key, panes);
      }
    }
  }
}
