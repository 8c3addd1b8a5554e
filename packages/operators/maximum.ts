import type { Moments } from './moments.js';
import { MomentsAggregate } from './moments-aggregate.js';

export class Maximum extends MomentsAggregate {
  static override readonly className = 'headgate.aggregate.Maximum';
  static override readonly title = 'Maximum';
  static override readonly description =
    'Largest value of a number per key over the last windows: max and count; max is null without a value.';
  static override readonly tags = ['aggregate', 'max'];

  protected override show({ max, count }: Moments) {
    return { max: count === 0 ? null : max, count };
  }
}
