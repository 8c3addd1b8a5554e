import * as z from 'zod';
import { mergeFields, mergeKeys } from './merge-results.js';
import { Operator, type Port, type Tuple } from './operator.js';
import { type Fields, isRecord } from './record.js';

export class MergeAggregates extends Operator {
  static override readonly className = 'headgate.aggregate.MergeAggregates';
  static override readonly title = 'Merge aggregates';
  static override readonly description =
    'Unifier of the aggregations: joins what their partitions found in the same window.';
  static override readonly tags = ['aggregate', 'unifier'];
  static override readonly properties = z.object({});
  static override readonly inputs: Readonly<Record<string, Port>> = { input: { type: 'Aggregate' } };
  static override readonly outputs: Readonly<Record<string, Port>> = { output: { type: 'Aggregate' } };

  readonly #results = new Map<string, Fields>();

  override process(_port: string, tuple: Tuple): void {
    if (!isRecord(tuple)) return;
    const name = typeof tuple['key'] === 'string' ? `key ${tuple['key']}` : '';
    const found = this.#results.get(name);
    if (!found) this.#results.set(name, tuple);
    else this.#results.set(name, 'keys' in tuple ? mergeKeys(found, tuple) : mergeFields(found, tuple));
  }

  override endWindow(): void {
    for (const result of this.#results.values()) this.emit('output', result);
    this.#results.clear();
  }
}
