/**
 * Where a background reader leaves what `emitTuples` takes. Both a number of items and a weight (bytes) are bounded;
 * a writer that awaits `room()` before each read goes over by one read at most.
 */
export class BoundedBuffer<T> {
  readonly #maxItems: number;
  readonly #maxWeight: number;
  #items: T[] = [];
  #weights: number[] = [];
  #head = 0;
  #weight = 0;
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(limits: { readonly items: number; readonly weight: number }) {
    this.#maxItems = limits.items;
    this.#maxWeight = limits.weight;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  get weight(): number {
    return this.#weight;
  }

  get full(): boolean {
    return this.size >= this.#maxItems || this.#weight >= this.#maxWeight;
  }

  push(item: T, weight: number): void {
    this.#items.push(item);
    this.#weights.push(weight);
    this.#weight += weight;
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#weight -= this.#weights[this.#head] ?? 0;
    this.#head += 1;
    if (this.#head === this.#items.length || this.#head >= 4_096) this.#compact();
    if (this.#waiting.length > 0 && !this.full) this.#wake();
    return item;
  }

  /** Resolves when there is room, or when the buffer was closed. */
  async room(): Promise<void> {
    while (this.full && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** Drops what is left and lets the writer go. */
  close(): void {
    this.#closed = true;
    this.#items = [];
    this.#weights = [];
    this.#head = 0;
    this.#weight = 0;
    this.#wake();
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#weights = this.#weights.slice(this.#head);
    this.#head = 0;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
