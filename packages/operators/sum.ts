import type { Moments } from './moments.js';
import { MomentsAggregate } from './moments-aggregate.js';

export class Sum extends MomentsAggregate {
  static override readonly className = 'headgate.aggregate.Sum';
  static override readonly title = 'Sum';
  static override readonly description = 'Adds up a number per key over the last windows: sum and count.';
  static override readonly tags = ['aggregate', 'sum'];

  protected override show({ sum, count }: Moments) {
    return { sum, count };
  }
}
