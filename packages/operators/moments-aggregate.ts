import type * as z from 'zod';
import { type Aggregation, addNumber, KeyedAggregate, ValueProperties } from './aggregate.js';
import { addMoment, createMoments, Moments, mergeMoments } from './moments.js';

/** Aggregations over the numbers that the property `value` gives. */
export abstract class MomentsAggregate extends KeyedAggregate<Moments> {
  static override readonly properties: z.ZodObject = ValueProperties;
  declare properties: z.output<typeof ValueProperties>;

  protected abstract show(total: Moments): Readonly<Record<string, unknown>>;

  protected override aggregation(): Aggregation<Moments> {
    return {
      create: createMoments,
      merge: mergeMoments,
      add: addNumber(this.properties.value, addMoment),
      show: (total) => this.show(total),
      state: Moments,
    };
  }
}
