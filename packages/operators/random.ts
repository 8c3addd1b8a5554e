import { createHash } from 'node:crypto';
import * as z from 'zod';

/** Four 32-bit numbers: the whole state of the generator, small enough for every checkpoint. */
export const RandomState = z.tuple([z.number(), z.number(), z.number(), z.number()]);
export type RandomState = z.output<typeof RandomState>;

/** The same seed gives the same numbers on every machine. */
export function seedState(seed: string): RandomState {
  const digest = createHash('sha256').update(seed).digest();
  return [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), 1];
}

/** sfc32: fast, and good enough for data that looks random. Not for secrets. */
export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 0;

  constructor(state: RandomState) {
    this.state = state;
  }

  get state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#counter];
  }

  set state([a, b, c, counter]: RandomState) {
    this.#a = a | 0;
    this.#b = b | 0;
    this.#c = c | 0;
    this.#counter = counter | 0;
  }

  /** A whole number from 0 up to 2^32 - 1. */
  uint32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  /** From 0 up to, but not, 1. */
  fraction(): number {
    return this.uint32() / 2 ** 32;
  }

  /** A whole number from 0 up to, but not, `limit`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }
}
