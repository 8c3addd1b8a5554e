import { z } from 'zod';
import { InputOperator, Operator } from '../packages/operators/index.js';

// The smallest operators that do something: what is left is what the engine costs.

export class Source extends InputOperator {
  static override readonly className: string = 'bench.Source';
  static override readonly properties = z.object({
    bytes: z.number().default(0),
    /** 0: as fast as it goes. */
    perSecond: z.number().default(0),
  });
  static override readonly outputs = { out: {} };
  #next = 0;
  #perSecond = 0;
  #began = performance.now();
  #text = '';
  override setup(): void {
    const { bytes, perSecond } = Source.properties.parse(this.properties);
    this.#text = 'x'.repeat(bytes);
    this.#perSecond = perSecond;
  }
  emitTuples(atMost: number): number {
    const due = Math.floor(((performance.now() - this.#began) * this.#perSecond) / 1000) - this.#next;
    const limit = this.#perSecond > 0 ? Math.min(atMost, Math.max(0, due)) : atMost;
    for (let i = 0; i < limit; i++) {
      this.#next++;
      // A string of its own for each tuple, as a real source makes.
      this.emit('out', this.#text ? `${this.#next}${this.#text}`.slice(0, this.#text.length) : this.#next);
    }
    return limit;
  }
}

export class Double extends Operator {
  static override readonly className: string = 'bench.Double';
  static override readonly properties = z.object({});
  static override readonly inputs = { in: {} };
  static override readonly outputs = { out: {} };
  override process(_port: string, tuple: unknown): void {
    this.emit('out', Number(tuple) * 2);
  }
}

export class Count extends Operator {
  static override readonly className: string = 'bench.Count';
  static override readonly properties = z.object({});
  static override readonly inputs = { in: {} };
  count = 0;
  override process(): void {
    this.count++;
  }
  override checkpoint(): unknown {
    return this.count;
  }
  override restore(state: unknown): void {
    this.count = Number(state);
  }
}

const BusyProperties = z.object({
  /** Calls below the one that is busy. */
  depth: z.number().default(0),
  /** A new one makes `longestMillis` begin anew. */
  round: z.number().default(0),
});
/** Is busy for 20 ms with each tuple, and counts for how long it stood still meanwhile at the longest. */
export class Busy extends Operator<typeof BusyProperties> {
  static override readonly className: string = 'bench.Busy';
  static override readonly properties = BusyProperties;
  static override readonly inputs = { in: {} };
  #longest = 0;
  override propertiesChanged(): void {
    this.#longest = 0;
  }
  override process(): void {
    this.#descend(this.properties.depth);
  }
  override counters(): Record<string, number> {
    return { longestMillis: this.#longest, round: this.properties.round };
  }
  #descend(levels: number): number {
    return levels === 0 ? this.#work() : this.#descend(levels - 1) + 1;
  }
  #work(): number {
    const began = performance.now();
    for (let last = began; last - began < 20; ) {
      const now = performance.now();
      this.#longest = Math.max(this.#longest, now - last);
      last = now;
    }
    return 0;
  }
}
