import * as z from 'zod';
import { byKey } from './aggregate.js';
import { compileExpression, type Evaluate } from './expression.js';
import { textOf } from './expression-functions.js';
import { Operator, type Port, type Tuple } from './operator.js';
import { Expression } from './properties.js';
import { jsonText } from './record.js';
import { SeenKeys } from './seen-keys.js';

const DedupProperties = z.object({
  key: Expression.optional().describe(
    'Expression that gives the key of a tuple, such as orderId; without it the whole tuple is the key. Tuples without a key pass, and are counted as keyless',
  ),
  windows: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20)
    .describe('For how many streaming windows a key is remembered, that of its tuple included'),
  millis: z
    .int()
    .min(1)
    .max(7 * 86_400_000)
    .optional()
    .describe('The same as a time, rounded up to whole windows; takes the place of windows'),
  extend: z
    .boolean()
    .default(false)
    .describe(
      'Whether a repetition makes the time begin anew: true keeps a key away as long as it goes on, false lets it through once in each time',
    ),
  maxKeys: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100_000)
    .describe(
      'Most keys at a time. Beyond them the one seen longest ago is forgotten before its time, and counted: a late repetition may then pass, but no tuple is lost',
    ),
});

const State = z.object({
  window: z.number(),
  seen: z.array(z.tuple([z.string(), z.number()])),
  dropped: z.number(),
  forgotten: z.number(),
  keyless: z.number(),
});

export class Dedup extends Operator<typeof DedupProperties> {
  static override readonly className = 'headgate.transform.Dedup';
  static override readonly title = 'Deduplicate';
  static override readonly description =
    'Passes on the first tuple of each key and drops its repetitions in the windows after it; they go to the port duplicates.';
  static override readonly tags = ['transform', 'deduplicate', 'distinct', 'unique'];
  static override readonly properties = DedupProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'any', partitionKey: byKey },
  };
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'any', description: 'Tuples whose key was not seen lately' },
    duplicates: { type: 'any', description: 'All others', optional: true },
  };

  #key: Evaluate | undefined;
  #keyText = '';
  #seen = new SeenKeys();
  /** Number of the open window, counted by this operator. */
  #window = 0;
  #dropped = 0;
  #forgotten = 0;
  #keyless = 0;

  override setup(): void {
    const { key } = this.properties;
    this.#key = key === undefined ? undefined : compileExpression(key);
    this.#keyText = key ?? '';
  }

  override propertiesChanged(): void {
    const isSame = this.#keyText === (this.properties.key ?? '');
    this.setup();
    if (!isSame) this.#seen = new SeenKeys();
    this.#forgotten += this.#seen.keepAtMost(this.properties.maxKeys);
  }

  override beginWindow(): void {
    this.#window += 1;
    this.#seen.forgetBefore(this.#window - this.#span() + 1);
  }

  #span(): number {
    const { windows, millis } = this.properties;
    return millis === undefined ? windows : Math.ceil(millis / this.context.windowMillis);
  }

  override process(_port: string, tuple: Tuple): void {
    const value = this.#key ? this.#key(tuple) : jsonText(tuple);
    if (value === null || value === undefined) {
      this.#keyless += 1;
      this.emit('output', tuple);
      return;
    }
    const key = textOf(value);
    const isRepetition = this.#seen.has(key);
    if (!isRepetition || this.properties.extend) {
      this.#seen.add(key, this.#window);
      this.#forgotten += this.#seen.keepAtMost(this.properties.maxKeys);
    }
    if (isRepetition) {
      this.#dropped += 1;
      this.emit('duplicates', tuple);
    } else this.emit('output', tuple);
  }

  override checkpoint(): unknown {
    return {
      window: this.#window,
      seen: this.#seen.entries,
      dropped: this.#dropped,
      forgotten: this.#forgotten,
      keyless: this.#keyless,
    };
  }

  override restore(state: unknown): void {
    const { window, seen, dropped, forgotten, keyless } = State.parse(state);
    this.#window = window;
    this.#seen = new SeenKeys(seen);
    this.#dropped = dropped;
    this.#forgotten = forgotten;
    this.#keyless = keyless;
  }

  override counters(): Readonly<Record<string, number>> {
    return {
      dropped: this.#dropped,
      forgotten: this.#forgotten,
      keyless: this.#keyless,
      keys: this.#seen.size,
    };
  }
}
