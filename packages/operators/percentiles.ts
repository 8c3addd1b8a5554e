import * as z from 'zod';
import { type Aggregation, addNumber, byKey, KeyedAggregate, ValueProperties } from './aggregate.js';
import type { Port } from './operator.js';
import { addSample, createSamples, mergeSamples, quantiles, Samples } from './samples.js';

const PercentilesProperties = ValueProperties.extend({
  percentiles: z
    .array(z.number().min(0).max(100))
    .min(1)
    .max(20)
    .default([50, 95, 99])
    .describe('Which percentiles; 99.9 gives the field p99.9'),
  maxKeys: z
    .int()
    .min(1)
    .max(10_000)
    .default(200)
    .describe('Most keys at a time; tuples of further keys are counted as overflow'),
  maxExact: z
    .int()
    .min(0)
    .max(100_000)
    .default(1_000)
    .describe('Up to so many values per key and result percentiles are exact; beyond it within 1 %'),
});

export class Percentiles extends KeyedAggregate<Samples> {
  static override readonly className = 'headgate.aggregate.Percentiles';
  static override readonly title = 'Percentiles';
  static override readonly description =
    'Percentiles of a number per key over the last windows: p50, p95, p99, min, max, count and exact.';
  static override readonly tags = ['aggregate', 'percentile', 'latency'];
  static override readonly properties = PercentilesProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: {
      type: 'any',
      description: 'Tuples with numbers',
      // Percentiles of partitions can't be merged: without a key all tuples go to one of them.
      partitionKey: (properties) => (properties['key'] === undefined ? () => '' : byKey(properties)),
    },
  };
  declare properties: z.output<typeof PercentilesProperties>;

  protected override aggregation(): Aggregation<Samples> {
    const { percentiles, maxExact, value } = this.properties;
    const fractions = percentiles.map((percentile) => percentile / 100);
    return {
      create: createSamples,
      merge: (into, from) => mergeSamples(into, from, maxExact),
      add: addNumber<Samples>(value, (into, number) => addSample(into, number, maxExact)),
      show: (total) => {
        const { count, min, max, values } = total;
        const found = quantiles(total, fractions);
        return {
          ...Object.fromEntries(percentiles.map((percentile, index) => [`p${percentile}`, found[index]])),
          min: count === 0 ? null : min,
          max: count === 0 ? null : max,
          count,
          exact: values !== undefined,
        };
      },
      state: Samples,
    };
  }
}
