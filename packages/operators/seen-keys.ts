import { createHash } from 'node:crypto';
import { OldestFirst } from './oldest-first.js';

/** Longer keys are kept by their digest, so that a key's size is bounded too. */
const maxKeyLength = 100;

/** Keys with the window in which they were seen. */
export class SeenKeys {
  readonly #windows = new OldestFirst();

  constructor(entries: Iterable<readonly [key: string, window: number]> = []) {
    for (const [key, window] of entries) this.#windows.touch(key, window);
  }

  get size(): number {
    return this.#windows.size;
  }

  has(key: string): boolean {
    return this.#windows.has(short(key));
  }

  /** Windows never go back. */
  add(key: string, window: number): void {
    this.#windows.touch(short(key), window);
  }

  /** Forgets keys that were seen before this window. */
  forgetBefore(window: number): void {
    for (let next = this.#windows.oldest(); next && next.stamp < window; next = this.#windows.oldest())
      this.#windows.delete(next.key);
  }

  /** Forgets those seen longest ago until at most so many are left; how many they were. */
  keepAtMost(count: number): number {
    let forgotten = 0;
    for (; this.#windows.size > count; forgotten += 1)
      this.#windows.delete(this.#windows.oldest()?.key ?? '');
    return forgotten;
  }

  /** Those seen longest ago first. */
  get entries(): readonly (readonly [key: string, window: number])[] {
    return this.#windows.entries;
  }
}

/** A digest has 128 characters, so no short key can be taken for one. */
const short = (key: string): string =>
  key.length <= maxKeyLength ? key : createHash('sha512').update(key).digest('hex');
