import * as z from 'zod';
import { compileExpression, type Evaluate } from './expression.js';
import { textOf } from './expression-functions.js';
import { type Held, HeldTuples, JoinSide } from './join-side.js';
import { Operator, type Port, type Tuple } from './operator.js';
import { Expression } from './properties.js';

const JoinProperties = z.object({
  key: Expression.describe('Expression that gives the key of a tuple of left, such as orderId'),
  rightKey: Expression.optional().describe('The same for tuples of right, where it is another'),
  type: z
    .enum(['inner', 'left'])
    .default('inner')
    .describe(
      'inner: pairs only; left: also tuples of left that found no partner, when none can come any more, with right null',
    ),
  windows: z
    .int()
    .min(1)
    .max(3_600)
    .default(1)
    .describe('How far two tuples may be apart: 1 is the same window, 2 the next one, too'),
  maxTuples: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe(
      'Most tuples of each input that wait for partners; further ones meet only those that are there already, and are counted as overflow',
    ),
  maxPairs: z
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe(
      'Most pairs that one tuple makes as it comes; the others are counted as cut, as if they were no pairs',
    ),
});

const State = z.object({
  window: z.number(),
  left: HeldTuples,
  right: HeldTuples,
  gone: HeldTuples,
  counters: z.object({ overflow: z.number(), cut: z.number(), keyless: z.number() }),
});

const by =
  (names: readonly ('key' | 'rightKey')[]): NonNullable<Port['partitionKey']> =>
  (properties) => {
    const expression = names.map((name) => properties[name]).find((text) => typeof text === 'string');
    const evaluate = compileExpression(String(expression));
    return (tuple) => textOf(evaluate(tuple));
  };

/**
 * A symmetric hash join: a tuple meets those of the other input that are there when it comes, so each pair is made
 * once, by the later of the two, whichever that is.
 */
export class Join extends Operator<typeof JoinProperties> {
  static override readonly className = 'headgate.transform.Join';
  static override readonly title = 'Join';
  static override readonly description =
    'Joins the tuples of two inputs that have the same key, in the same window or a few windows apart: {key, left, right}.';
  static override readonly tags = ['transform', 'join', 'merge'];
  static override readonly properties = JoinProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    left: { type: 'any', partitionKey: by(['key']) },
    right: { type: 'any', partitionKey: by(['rightKey', 'key']) },
  };
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: {
      type: 'Pair',
      description: '{key, left, right}, as soon as both are there; a later Map makes flat records of it',
    },
  };

  #keys: { readonly left: Evaluate; readonly right: Evaluate } = { left: () => null, right: () => null };
  #joined = '';
  #left = new JoinSide();
  #right = new JoinSide();
  /** Tuples of left that had to go between two windows. */
  #gone: readonly Held[] = [];
  #window = 0;
  #counters = { overflow: 0, cut: 0, keyless: 0 };

  override setup(): void {
    const { key, rightKey = key } = this.properties;
    this.#joined = this.#whatIsJoined();
    this.#keys = { left: compileExpression(key), right: compileExpression(rightKey) };
  }

  override propertiesChanged(): void {
    // Under other keys, what waits would be found by nobody.
    if (this.#joined !== this.#whatIsJoined()) {
      this.#gone = this.#left.all;
      this.#left = new JoinSide();
      this.#right = new JoinSide();
    }
    this.setup();
  }

  #whatIsJoined(): string {
    return JSON.stringify([this.properties.key, this.properties.rightKey ?? null]);
  }

  override beginWindow(): void {
    this.#window += 1;
  }

  override process(port: string, tuple: Tuple): void {
    const isLeft = port === 'left';
    const value = (isLeft ? this.#keys.left : this.#keys.right)(tuple);
    if (value === null || value === undefined) {
      this.#counters.keyless += 1;
      if (isLeft) this.#emitAlone(null, tuple);
      return;
    }
    const held: Held = { key: textOf(value), tuple, window: this.#window, matched: false };
    this.#match(held, isLeft);
    const own = isLeft ? this.#left : this.#right;
    if (own.size < this.properties.maxTuples) own.add(held);
    else {
      this.#counters.overflow += 1;
      if (isLeft) this.#leave([held]);
    }
  }

  #match(held: Held, isLeft: boolean): void {
    const { maxPairs } = this.properties;
    const { key, tuple } = held;
    const partners = (isLeft ? this.#right : this.#left).at(key);
    for (const partner of partners.length > maxPairs ? partners.slice(0, maxPairs) : partners) {
      partner.matched = true;
      held.matched = true;
      const [left, right] = isLeft ? [tuple, partner.tuple] : [partner.tuple, tuple];
      this.emit('output', { key, left, right });
    }
    this.#counters.cut += Math.max(0, partners.length - maxPairs);
  }

  /** They can find no partner any more. */
  #leave(gone: readonly Held[]): void {
    for (const { key, tuple, matched } of gone) if (!matched) this.#emitAlone(key, tuple);
  }

  #emitAlone(key: string | null, tuple: Tuple): void {
    if (this.properties.type === 'left') this.emit('output', { key, left: tuple, right: null });
  }

  override endWindow(): void {
    const oldest = this.#window - this.properties.windows + 2;
    this.#leave(this.#gone);
    this.#gone = [];
    this.#leave(this.#left.leaveBefore(oldest));
    this.#right.leaveBefore(oldest);
  }

  override endOfInput(): void {
    this.#leave(this.#left.leaveBefore(Infinity));
  }

  override checkpoint(): unknown {
    return {
      window: this.#window,
      left: this.#left.all,
      right: this.#right.all,
      gone: this.#gone,
      counters: this.#counters,
    };
  }

  override restore(state: unknown): void {
    const { window, left, right, gone, counters } = State.parse(state);
    this.#window = window;
    this.#left = new JoinSide(left);
    this.#right = new JoinSide(right);
    this.#gone = gone;
    this.#counters = counters;
  }

  override counters(): Readonly<Record<string, number>> {
    return { ...this.#counters, waiting: this.#left.size + this.#right.size };
  }
}
