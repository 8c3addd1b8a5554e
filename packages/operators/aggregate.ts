import * as z from 'zod';
import { compileExpression, type Evaluate } from './expression.js';
import { textOf } from './expression-functions.js';
import { type Accumulator, type Combined, KeyedWindows } from './keyed-windows.js';
import { Operator, type Port, type Tuple } from './operator.js';
import { Expression } from './properties.js';
import { fieldOf, jsonText } from './record.js';
import { windowTime } from './window-time.js';

const KeyedProperties = z.object({
  key: Expression.optional().describe(
    'Expression that gives the key of a tuple, such as path; without it all tuples count as one',
  ),
  windows: z
    .int()
    .min(1)
    .max(3_600)
    .default(1)
    .describe('How many streaming windows a result covers: the last N, sliding by one'),
  emit: z
    .enum(['key', 'window'])
    .default('key')
    .describe('One tuple per key at the end of a window, or one tuple with all keys in it'),
  maxKeys: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Most keys at a time; tuples of further keys are counted as overflow'),
});

export const ValueProperties = KeyedProperties.extend({
  value: Expression.describe('Expression that gives the number; tuples without one are counted as skipped'),
});

/** With a key, tuples of the same key meet in one partition; without one any partition will do. */
export const byKey: NonNullable<Port['partitionKey']> = (properties) => {
  const { key } = properties;
  if (typeof key !== 'string') return jsonText;
  const evaluate = compileExpression(key);
  return (tuple) => textOf(evaluate(tuple));
};

export interface Aggregation<A> extends Accumulator<A> {
  /** Whether the tuple had what is needed. */
  add(into: A, tuple: Tuple): boolean;
  /** Fields of the result; `seconds` is the time it covers. */
  show(total: A, seconds: number): Readonly<Record<string, unknown>>;
  readonly state: z.ZodType<A>;
}

const paneState = <A>(state: z.ZodType<A>) =>
  z.object({ entries: z.map(z.string(), state), overflow: z.number(), skipped: z.number() });

/**
 * What the aggregations share: keys, sliding windows, what is emitted at the end of a window, checkpoints.
 * A result is `{windowId, time, key, ...}` per key, `{windowId, time, keys: {...}, overflow, skipped}` per window
 * with `emit: window`, and `{windowId, time, ..., overflow, skipped}` without a key.
 */
export abstract class KeyedAggregate<A> extends Operator<typeof KeyedProperties> {
  static override readonly properties: z.ZodObject = KeyedProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'any', description: 'Tuples to aggregate', partitionKey: byKey },
  };
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: {
      type: 'Aggregate',
      description: 'Results, at the end of each streaming window',
      unifier: 'headgate.aggregate.MergeAggregates',
    },
  };

  #aggregation: Aggregation<A> | undefined;
  #windows: KeyedWindows<A> | undefined;
  #key: Evaluate | undefined;
  #aggregated = '';
  #windowId = '';
  #overflow = 0;
  #skipped = 0;

  /** Made from the properties, at the start and whenever they change. */
  protected abstract aggregation(): Aggregation<A>;

  override setup(): void {
    const { key, windows, maxKeys } = this.properties;
    this.#aggregated = this.#whatIsAggregated();
    this.#key = key === undefined ? undefined : compileExpression(key);
    this.#aggregation = this.aggregation();
    this.#windows = new KeyedWindows(this.#aggregation, { windows, maxKeys });
  }

  override propertiesChanged(): void {
    // Other keys and other values can't be mixed with the old ones.
    const isSame = this.#aggregated === this.#whatIsAggregated();
    const panes = this.#state.panes;
    this.setup();
    if (isSame) this.#state.panes = panes;
  }

  #whatIsAggregated(): string {
    return JSON.stringify([this.properties.key ?? null, fieldOf(this.properties, 'value')]);
  }

  override beginWindow(windowId: string): void {
    this.#windowId = windowId;
  }

  override process(_port: string, tuple: Tuple): void {
    const accumulator = this.#state.at(this.#key ? textOf(this.#key(tuple)) : '');
    if (accumulator === undefined) this.#overflow += 1;
    else if (!this.#rules.add(accumulator, tuple)) {
      this.#state.skip();
      this.#skipped += 1;
    }
  }

  override endWindow(): void {
    const { windowMillis } = this.context;
    const result = this.#state.close();
    const head = { windowId: this.#windowId, time: windowTime(this.#windowId, windowMillis) };
    const seconds = (result.windows * windowMillis) / 1_000;
    const tail = { seconds, overflow: result.overflow, skipped: result.skipped };
    const show = (total: A) => this.#rules.show(total, seconds);
    if (!this.#key) this.emit('output', { ...head, ...show(this.#total(result)), ...tail });
    else if (this.properties.emit === 'key') {
      for (const [key, total] of result.entries) this.emit('output', { ...head, key, ...show(total) });
    } else {
      const keys = Object.fromEntries([...result.entries].map(([key, total]) => [key, show(total)]));
      this.emit('output', { ...head, keys, ...tail });
    }
  }

  override checkpoint(): unknown {
    return { panes: this.#state.panes, overflow: this.#overflow, skipped: this.#skipped };
  }

  override restore(state: unknown): void {
    const panes = z.array(paneState(this.#rules.state));
    const saved = z.object({ panes, overflow: z.number(), skipped: z.number() }).parse(state);
    this.#state.panes = saved.panes;
    this.#overflow = saved.overflow;
    this.#skipped = saved.skipped;
  }

  override counters(): Readonly<Record<string, number>> {
    return { overflow: this.#overflow, skipped: this.#skipped };
  }

  #total({ entries }: Combined<A>): A {
    return entries.get('') ?? this.#rules.create();
  }

  get #rules(): Aggregation<A> {
    if (!this.#aggregation) throw new Error('setup was not called');
    return this.#aggregation;
  }

  get #state(): KeyedWindows<A> {
    if (!this.#windows) throw new Error('setup was not called');
    return this.#windows;
  }
}

/** Adds what `value` gives, when it is a finite number. */
export function addNumber<A>(value: string, add: (into: A, number: number) => void): Aggregation<A>['add'] {
  const evaluate = compileExpression(value);
  return (into, tuple) => {
    const number = evaluate(tuple);
    if (typeof number !== 'number' || !Number.isFinite(number)) return false;
    add(into, number);
    return true;
  };
}
