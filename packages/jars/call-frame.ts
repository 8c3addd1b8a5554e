import type { Value } from './constructor-values.js';

/** The parameters of a descriptor: `I` or `J` and the like for each parameter, in their order. */
export const parametersOf = (descriptor: string): string[] =>
  [...descriptor.slice(1, descriptor.indexOf(')')).matchAll(/\[*(?:L[^;]+;|[A-Z])/g)].map(([type]) => type);

export const isWide = (descriptor: string): boolean => descriptor === 'J' || descriptor === 'D';

/** The code is not what a compiler makes of a constructor, or more than is followed. */
export class Misunderstood extends Error {}

const maxLocals = 255;

interface Slot {
  readonly value: Value;
  readonly wide: boolean;
}

/** The operands and locals of one call (JVM specification 2.6). Throws `Misunderstood` for what is not there. */
export class CallFrame {
  readonly #stack: Slot[] = [];
  readonly #locals: (Slot | undefined)[] = [{ value: { is: 'this' }, wide: false }];

  constructor(descriptor: string) {
    parametersOf(descriptor).forEach((type, index) => {
      this.#locals.push({ value: { is: 'parameter', index }, wide: isWide(type) });
      if (isWide(type)) this.#locals.push(undefined);
    });
  }

  push(value: Value, wide = false): void {
    this.#stack.push({ value, wide });
  }

  pop(): Value {
    return this.#popped().value;
  }

  dup(): void {
    const top = this.#stack.at(-1);
    // A pair of narrow ones is never meant: that is `dup2`.
    if (!top || top.wide) throw new Misunderstood();
    this.#stack.push(top);
  }

  load(index: number): void {
    const slot = this.#locals[index];
    if (!slot) throw new Misunderstood();
    this.#stack.push(slot);
  }

  store(index: number): void {
    const slot = this.#popped();
    if (index > maxLocals) throw new Misunderstood();
    this.#locals[index] = slot;
  }

  #popped(): Slot {
    const slot = this.#stack.pop();
    if (!slot) throw new Misunderstood();
    return slot;
  }
}
