import * as z from 'zod';
import { byKey } from './aggregate.js';
import { compileExpression, type Evaluate } from './expression.js';
import { textOf } from './expression-functions.js';
import { KeyedWindows } from './keyed-windows.js';
import { Operator, type Port, type Tuple } from './operator.js';
import { Expression } from './properties.js';
import { topOf } from './ranking.js';
import { windowTime } from './window-time.js';

const TopNProperties = z.object({
  key: Expression.describe('Expression that gives the key to rank, such as path'),
  weight: Expression.optional().describe('Expression that gives how much a tuple counts; default 1'),
  length: z.int().min(1).max(1_000).default(10).describe('How many keys are listed'),
  windows: z.int().min(1).max(3_600).default(1).describe('How many streaming windows a ranking covers'),
  maxKeys: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Most keys at a time; tuples of further keys are counted as overflow'),
});

interface Weight {
  weight: number;
}

const State = z.object({
  panes: z.array(
    z.object({
      entries: z.map(z.string(), z.object({ weight: z.number() })),
      overflow: z.number(),
      skipped: z.number(),
    }),
  ),
  overflow: z.number(),
  skipped: z.number(),
});

const accumulator = {
  create: (): Weight => ({ weight: 0 }),
  merge: (into: Weight, from: Weight) => {
    into.weight += from.weight;
  },
};

export class TopN extends Operator<typeof TopNProperties> {
  static override readonly className = 'headgate.aggregate.TopN';
  static override readonly title = 'Top N';
  static override readonly description =
    'The most frequent (or heaviest) keys of the last windows, one ranking at the end of each window.';
  static override readonly tags = ['aggregate', 'top', 'ranking'];
  static override readonly properties = TopNProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'any', description: 'Tuples to rank', partitionKey: byKey },
  };
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: {
      type: 'Ranking',
      description: '{windowId, time, top: [{key, count}], total, overflow, skipped}',
      unifier: 'headgate.aggregate.MergeTopN',
    },
  };

  #windows = new KeyedWindows(accumulator, { windows: 1, maxKeys: 1 });
  #key: Evaluate = () => null;
  #weight: Evaluate = () => 1;
  #ranked: readonly (string | undefined)[] = [];
  #windowId = '';
  #overflow = 0;
  #skipped = 0;

  override setup(): void {
    const { key, weight } = this.properties;
    this.#key = compileExpression(key);
    this.#weight = weight === undefined ? () => 1 : compileExpression(weight);
    this.#ranked = [key, weight];
    this.#windows = new KeyedWindows(accumulator, this.properties);
  }

  override propertiesChanged(): void {
    const [key, weight] = this.#ranked;
    if (key === this.properties.key && weight === this.properties.weight) {
      this.#windows.limits = this.properties;
    } else this.setup();
  }

  override beginWindow(windowId: string): void {
    this.#windowId = windowId;
  }

  override process(_port: string, tuple: Tuple): void {
    const weight = this.#weight(tuple);
    if (typeof weight !== 'number' || !Number.isFinite(weight)) {
      this.#windows.skip();
      this.#skipped += 1;
      return;
    }
    const found = this.#windows.at(textOf(this.#key(tuple)));
    if (found) found.weight += weight;
    else this.#overflow += 1;
  }

  override endWindow(): void {
    const { entries, overflow, skipped } = this.#windows.close();
    const counts = [...entries].map(([key, { weight }]) => ({ key, count: weight }));
    this.emit('output', {
      windowId: this.#windowId,
      time: windowTime(this.#windowId, this.context.windowMillis),
      top: topOf(counts, this.properties.length),
      total: counts.reduce((sum, { count }) => sum + count, 0),
      overflow,
      skipped,
    });
  }

  override checkpoint(): unknown {
    return { panes: this.#windows.panes, overflow: this.#overflow, skipped: this.#skipped };
  }

  override restore(state: unknown): void {
    const { panes, overflow, skipped } = State.parse(state);
    this.#windows.panes = panes;
    this.#overflow = overflow;
    this.#skipped = skipped;
  }

  override counters(): Readonly<Record<string, number>> {
    return { overflow: this.#overflow, skipped: this.#skipped };
  }
}
