import type { Moments } from './moments.js';
import { MomentsAggregate } from './moments-aggregate.js';

export class Minimum extends MomentsAggregate {
  static override readonly className = 'headgate.aggregate.Minimum';
  static override readonly title = 'Minimum';
  static override readonly description =
    'Smallest value of a number per key over the last windows: min and count; min is null without a value.';
  static override readonly tags = ['aggregate', 'min'];

  protected override show({ min, count }: Moments) {
    return { min: count === 0 ? null : min, count };
  }
}
