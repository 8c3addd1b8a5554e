interface Touch {
  readonly key: string;
  readonly stamp: number;
}

/**
 * Keys by when they were last touched. Finding the oldest takes constant time in the long run; a Map in that order
 * would walk over all that was deleted from its beginning, again and again.
 */
export class OldestFirst {
  readonly #last = new Map<string, Touch>();
  /** Every touch; those that are not their key's last no longer count. */
  #touches: Touch[] = [];
  #first = 0;

  get size(): number {
    return this.#last.size;
  }

  has(key: string): boolean {
    return this.#last.has(key);
  }

  /** Stamps never go down. */
  touch(key: string, stamp: number): void {
    if (this.#last.get(key)?.stamp === stamp) return;
    const touch = { key, stamp };
    this.#last.set(key, touch);
    this.#touches.push(touch);
    if (this.#touches.length > 2 * this.#last.size + 1_024) this.#compact();
  }

  delete(key: string): void {
    this.#last.delete(key);
  }

  oldest(): Touch | undefined {
    for (; this.#first < this.#touches.length; this.#first += 1) {
      const touch = this.#touches[this.#first];
      if (touch && this.#last.get(touch.key) === touch) return touch;
    }
    return undefined;
  }

  /** The oldest first. */
  get entries(): readonly (readonly [key: string, stamp: number])[] {
    this.#compact();
    return this.#touches.map(({ key, stamp }) => [key, stamp]);
  }

  #compact(): void {
    this.#touches = this.#touches.filter(
      (touch, index) => index >= this.#first && this.#last.get(touch.key) === touch,
    );
    this.#first = 0;
  }
}
