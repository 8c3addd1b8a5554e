import { closeSync, openSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { InputOperator, Operator } from '../../packages/operators/index.js';

// What `flink/Pipelines.java` has, for the embedded engine.

const SourceProperties = z.object({
  kind: z.enum(['numbers', 'texts', 'keys']),
  bytes: z.number().default(0),
  keys: z.number().default(1),
  perSecond: z.number().default(0),
  from: z.number().default(0),
});

/** Numbers, texts or keys; as fast as it goes, or as many as are due since a moment. */
export class PeerSource extends InputOperator<typeof SourceProperties> {
  static override readonly className: string = 'peer.Source';
  static override readonly properties = SourceProperties;
  static override readonly outputs = { out: {} };
  #next = 0;
  #text = '';
  override setup(): void {
    this.#text = 'x'.repeat(this.properties.bytes);
  }
  emitTuples(atMost: number): number {
    const { kind, keys, bytes, perSecond, from } = this.properties;
    const due = perSecond > 0 ? Math.floor(((Date.now() - from) * perSecond) / 1000) - this.#next : atMost;
    const limit = Math.min(atMost, Math.max(0, due));
    if (kind === 'numbers') for (let i = 0; i < limit; i++) this.emit('out', this.#next++);
    // A string of its own for each tuple, as a real source makes.
    else if (kind === 'texts')
      for (let i = 0; i < limit; i++) this.emit('out', `${this.#next++}${this.#text}`.slice(0, bytes));
    else for (let i = 0; i < limit; i++) this.emit('out', `key-${this.#next++ % keys}`);
    return limit;
  }
  override checkpoint(): unknown {
    return this.#next;
  }
  override restore(state: unknown): void {
    this.#next = Number(state);
  }
}

export class PeerDouble extends Operator {
  static override readonly className: string = 'peer.Double';
  static override readonly properties = z.object({});
  static override readonly inputs = { in: {} };
  static override readonly outputs = { out: {} };
  override process(_port: string, tuple: unknown): void {
    this.emit('out', Number(tuple) * 2);
  }
}

const CountProperties = z.object({
  progress: z.string(),
  /** Records between two looks at the clock, a power of two. */
  every: z.number(),
});

/** Counts, and tells how far it has come. */
export class PeerCount extends Operator<typeof CountProperties> {
  static override readonly className: string = 'peer.Count';
  static override readonly properties = CountProperties;
  static override readonly inputs = { in: {} };
  #file = -1;
  #mask = 0;
  #noted = 0;
  protected count = 0;
  override setup(): void {
    this.#file = openSync(this.properties.progress, 'a');
    this.#mask = this.properties.every - 1;
  }
  override process(_port: string, _tuple: unknown): void {
    if ((++this.count & this.#mask) === 0) this.#note();
  }
  #note(): void {
    const now = Date.now();
    if (now - this.#noted < 20) return;
    this.#noted = now;
    writeSync(this.#file, `${now} ${this.count}\n`);
  }
  override checkpoint(): unknown {
    return this.count;
  }
  override restore(state: unknown): void {
    this.count = Number(state);
  }
  override teardown(): void {
    closeSync(this.#file);
  }
}

const Kept = z.object({ count: z.number(), ofKey: z.map(z.string(), z.number()) });

/** Counts each key. */
export class PeerKeyedCount extends PeerCount {
  static override readonly className: string = 'peer.KeyedCount';
  #ofKey = new Map<string, number>();
  override process(port: string, tuple: unknown): void {
    const key = String(tuple);
    this.#ofKey.set(key, (this.#ofKey.get(key) ?? 0) + 1);
    super.process(port, tuple);
  }
  override checkpoint(): unknown {
    return { count: this.count, ofKey: this.#ofKey };
  }
  override restore(state: unknown): void {
    const { count, ofKey } = Kept.parse(state);
    this.count = count;
    this.#ofKey = ofKey;
  }
}
