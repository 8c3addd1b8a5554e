import * as z from 'zod';
import { Operator, type Port, type Tuple } from './operator.js';
import { FieldName } from './properties.js';
import { windowTime } from './window-time.js';

const CombineProperties = z.object({
  names: z
    .array(FieldName)
    .min(1)
    .max(8)
    .refine((names) => new Set(names).size === names.length, 'each name once')
    .describe('Field for the tuples of input1, input2, ... in the result'),
  collect: z
    .enum(['last', 'all'])
    .default('last')
    .describe('last: the last tuple of a window, or null; all: an array of all of them'),
  maxPerWindow: z
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe('Most tuples of an input and window with all; the others are counted as dropped'),
});

// All tuples of a window must meet to become one, so all go to the same partition.
const together = () => () => '';
const input: Port = { type: 'any', optional: true, partitionKey: together };

export class Combine extends Operator<typeof CombineProperties> {
  static override readonly className = 'headgate.transform.Combine';
  static override readonly title = 'Combine';
  static override readonly description =
    'Makes one record per window out of what came on up to eight inputs: {windowId, time, name: tuple, ...}.';
  static override readonly tags = ['transform', 'combine', 'join'];
  static override readonly properties = CombineProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7, 8].map((number) => [`input${number}`, input]),
  );
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'Record', description: 'At the end of each window in which something came' },
  };

  #windowId = '';
  #tuples = new Map<string, Tuple[]>();
  #dropped = 0;

  override beginWindow(windowId: string): void {
    this.#windowId = windowId;
    this.#tuples = new Map();
  }

  override process(port: string, tuple: Tuple): void {
    const { collect, maxPerWindow } = this.properties;
    const tuples = this.#tuples.get(port);
    if (!tuples) this.#tuples.set(port, [tuple]);
    else if (collect === 'last') tuples[0] = tuple;
    else if (tuples.length < maxPerWindow) tuples.push(tuple);
    else this.#dropped += 1;
  }

  override endWindow(): void {
    if (this.#tuples.size === 0) return;
    const { names, collect } = this.properties;
    const fields = names.map((name, index) => {
      const tuples = this.#tuples.get(`input${index + 1}`) ?? [];
      return [name, collect === 'all' ? tuples : (tuples[0] ?? null)];
    });
    this.emit('output', {
      windowId: this.#windowId,
      time: windowTime(this.#windowId, this.context.windowMillis),
      ...Object.fromEntries(fields),
    });
  }

  override checkpoint(): unknown {
    return { dropped: this.#dropped };
  }

  override restore(state: unknown): void {
    this.#dropped = z.object({ dropped: z.number() }).parse(state).dropped;
  }

  override counters(): Readonly<Record<string, number>> {
    return { dropped: this.#dropped };
  }
}
