import * as z from 'zod';
import { type Aggregation, KeyedAggregate } from './aggregate.js';

const Counted = z.object({ count: z.number() });
type Counted = z.output<typeof Counted>;

export class Count extends KeyedAggregate<Counted> {
  static override readonly className = 'headgate.aggregate.Count';
  static override readonly title = 'Count';
  static override readonly description =
    'Counts tuples per key over the last windows: count and perSecond. Without a key it gives a rate.';
  static override readonly tags = ['aggregate', 'count', 'rate'];

  protected override aggregation(): Aggregation<Counted> {
    return {
      create: () => ({ count: 0 }),
      merge: (into, from) => {
        into.count += from.count;
      },
      add: (into) => {
        into.count += 1;
        return true;
      },
      show: ({ count }, seconds) => ({ count, perSecond: count / seconds }),
      state: Counted,
    };
  }
}
