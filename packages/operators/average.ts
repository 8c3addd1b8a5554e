import type { Moments } from './moments.js';
import { MomentsAggregate } from './moments-aggregate.js';

export class Average extends MomentsAggregate {
  static override readonly className = 'headgate.aggregate.Average';
  static override readonly title = 'Average';
  static override readonly description =
    'Average of a number per key over the last windows: average, sum and count; average is null without a value.';
  static override readonly tags = ['aggregate', 'average'];

  protected override show({ sum, count }: Moments) {
    return { average: count === 0 ? null : sum / count, sum, count };
  }
}
