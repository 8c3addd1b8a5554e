import * as z from 'zod';
import { byKey } from './aggregate.js';
import { compileExpression, type Evaluate } from './expression.js';
import { textOf } from './expression-functions.js';
import { KeyedWindows } from './keyed-windows.js';
import { Operator, type Port, type Tuple } from './operator.js';
import { Expression } from './properties.js';

const ThrottleProperties = z.object({
  tuples: z.int().min(0).max(1_000_000_000).describe('How many tuples pass at most'),
  per: z
    .enum(['window', 'second'])
    .default('second')
    .describe(
      'window: in each streaming window; second: in any second, by the time of the windows, and in longer windows as many as their seconds allow',
    ),
  key: Expression.optional().describe(
    'Expression that gives the key of a tuple, such as path: each key has a measure of its own; without it all together, in each partition',
  ),
  maxKeys: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Most keys at a time; tuples of further keys are dropped and counted as overflow'),
});

const Passed = z.object({ count: z.number() });
type Passed = z.output<typeof Passed>;

const Passes = z.map(z.string(), Passed);
const State = z.object({
  panes: z.array(z.object({ entries: Passes, overflow: z.number(), skipped: z.number() })),
  earlier: Passes,
  dropped: z.number(),
  overflow: z.number(),
});

const accumulator = {
  create: (): Passed => ({ count: 0 }),
  merge: (into: Passed, from: Passed) => {
    into.count += from.count;
  },
};

/**
 * Drops what is too much and never holds it back: a tuple that waited would end up in a later window than those it
 * came with, and making the source wait would slow down everybody who reads it.
 */
export class Throttle extends Operator<typeof ThrottleProperties> {
  static override readonly className = 'headgate.transform.Throttle';
  static override readonly title = 'Throttle';
  static override readonly description =
    'Passes on at most so many tuples per window or second, the first ones, and drops the others; they go to the port dropped.';
  static override readonly tags = ['transform', 'throttle', 'rate', 'limit'];
  static override readonly properties = ThrottleProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'any', partitionKey: byKey },
  };
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'any', description: 'Tuples within the measure' },
    dropped: { type: 'any', description: 'All others', optional: true },
  };

  #key: Evaluate | undefined;
  #measured = '';
  #most = 0;
  #passed = new KeyedWindows(accumulator, { windows: 0, maxKeys: 1 });
  /** What passed in the windows before this one that belong to the same second. */
  #earlier: ReadonlyMap<string, Passed> = new Map();
  #dropped = 0;
  #overflow = 0;

  override setup(): void {
    const { key, per, tuples, maxKeys } = this.properties;
    const { windowMillis } = this.context;
    this.#measured = this.#whatIsMeasured();
    this.#key = key === undefined ? undefined : compileExpression(key);
    const seconds = per === 'second' ? Math.max(1, windowMillis / 1_000) : 1;
    this.#most = Math.floor(tuples * seconds);
    const windows = per === 'second' ? Math.ceil(1_000 / windowMillis) : 1;
    this.#passed = new KeyedWindows(accumulator, { windows: windows - 1, maxKeys });
    this.#earlier = new Map();
  }

  override propertiesChanged(): void {
    const isSame = this.#measured === this.#whatIsMeasured();
    const { panes } = this.#passed;
    const earlier = this.#earlier;
    this.setup();
    if (!isSame) return;
    this.#passed.panes = panes;
    this.#earlier = earlier;
  }

  #whatIsMeasured(): string {
    return JSON.stringify([this.properties.key ?? null, this.properties.per]);
  }

  override process(_port: string, tuple: Tuple): void {
    const key = this.#key ? textOf(this.#key(tuple)) : '';
    const passed = this.#passed.at(key);
    if (passed && passed.count + (this.#earlier.get(key)?.count ?? 0) < this.#most) {
      passed.count += 1;
      this.emit('output', tuple);
      return;
    }
    if (passed) this.#dropped += 1;
    else this.#overflow += 1;
    this.emit('dropped', tuple);
  }

  override endWindow(): void {
    this.#earlier = this.#passed.close().entries;
  }

  override checkpoint(): unknown {
    return {
      panes: this.#passed.panes,
      earlier: this.#earlier,
      dropped: this.#dropped,
      overflow: this.#overflow,
    };
  }

  override restore(state: unknown): void {
    const { panes, earlier, dropped, overflow } = State.parse(state);
    this.#passed.panes = panes;
    this.#earlier = earlier;
    this.#dropped = dropped;
    this.#overflow = overflow;
  }

  override counters(): Readonly<Record<string, number>> {
    return { dropped: this.#dropped, overflow: this.#overflow };
  }
}
