import * as z from 'zod';

const Held = z.object({
  key: z.string(),
  tuple: z.unknown(),
  window: z.number(),
  /** Whether it found a partner. */
  matched: z.boolean(),
});
export type Held = z.output<typeof Held>;
export const HeldTuples = z.array(Held);

const nothing: readonly Held[] = [];

/** The tuples of one input of a join that may still find partners, by key and in the order of their coming. */
export class JoinSide {
  #byKey = new Map<string, Held[]>();
  /** In the order of their coming; those before `#first` have left. */
  #inOrder: Held[] = [];
  #first = 0;

  constructor(held: readonly Held[] = []) {
    for (const one of held) this.add(one);
  }

  get size(): number {
    return this.#inOrder.length - this.#first;
  }

  /** Windows never go back. */
  add(held: Held): void {
    this.#inOrder.push(held);
    const same = this.#byKey.get(held.key);
    if (same) same.push(held);
    else this.#byKey.set(held.key, [held]);
  }

  at(key: string): readonly Held[] {
    return this.#byKey.get(key) ?? nothing;
  }

  /** Lets go of what came before this window, and tells what that was. */
  leaveBefore(window: number): readonly Held[] {
    const start = this.#first;
    let end = start;
    while (end < this.#inOrder.length && (this.#inOrder[end]?.window ?? 0) < window) end += 1;
    if (end === start) return nothing;
    const gone = this.#inOrder.slice(start, end);
    if (end === this.#inOrder.length) {
      this.#byKey.clear();
      this.#inOrder = [];
      this.#first = 0;
      return gone;
    }
    for (const key of new Set(gone.map(({ key }) => key))) {
      const left = this.at(key).filter((held) => held.window >= window);
      if (left.length > 0) this.#byKey.set(key, left);
      else this.#byKey.delete(key);
    }
    this.#first = end;
    if (end * 2 > this.#inOrder.length) {
      this.#inOrder = this.#inOrder.slice(end);
      this.#first = 0;
    }
    return gone;
  }

  get all(): readonly Held[] {
    return this.#inOrder.slice(this.#first);
  }
}
