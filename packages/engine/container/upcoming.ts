/** Values that each hold from a window on, until they are taken. Later ones are never meant for earlier windows. */
export class Upcoming<T> {
  readonly #waiting: { readonly window: number; readonly value: T }[] = [];

  add(window: number, value: T): void {
    // Nobody would ever see the earlier one.
    if (this.#waiting.at(-1)?.window === window) this.#waiting.pop();
    this.#waiting.push({ window, value });
  }

  /** What holds in this window, when that is new. */
  take(window: number): T | undefined {
    let found: T | undefined;
    for (let next = this.#waiting[0]; next && next.window <= window; next = this.#waiting[0]) {
      found = next.value;
      this.#waiting.shift();
    }
    return found;
  }

  /** What will hold last. */
  get newest(): T | undefined {
    return this.#waiting.at(-1)?.value;
  }
}
