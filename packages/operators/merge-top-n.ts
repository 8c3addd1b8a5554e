import * as z from 'zod';
import { Operator, type Port, type Tuple } from './operator.js';
import { topOf } from './ranking.js';

const MergeTopNProperties = z.object({
  length: z.int().min(1).max(1_000).default(10).describe('How many keys are listed'),
});

const Ranking = z.looseObject({
  top: z.array(z.object({ key: z.string(), count: z.number() })),
  total: z.number(),
  overflow: z.number(),
  skipped: z.number(),
});

/** Exact: a key is counted in one partition only, so the best of all are among the best of each. */
export class MergeTopN extends Operator<typeof MergeTopNProperties> {
  static override readonly className = 'headgate.aggregate.MergeTopN';
  static override readonly title = 'Merge top N';
  static override readonly description = 'Unifier of Top N: the best of the partitions of one window.';
  static override readonly tags = ['aggregate', 'unifier'];
  static override readonly properties = MergeTopNProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = { input: { type: 'Ranking' } };
  static override readonly outputs: Readonly<Record<string, Port>> = { output: { type: 'Ranking' } };

  #merged: z.output<typeof Ranking> | undefined;

  override process(_port: string, tuple: Tuple): void {
    const next = Ranking.parse(tuple);
    const merged = this.#merged;
    this.#merged = !merged
      ? next
      : {
          ...merged,
          top: topOf([...merged.top, ...next.top], this.properties.length),
          total: merged.total + next.total,
          overflow: merged.overflow + next.overflow,
          skipped: merged.skipped + next.skipped,
        };
  }

  override endWindow(): void {
    if (this.#merged) this.emit('output', this.#merged);
    this.#merged = undefined;
  }
}
