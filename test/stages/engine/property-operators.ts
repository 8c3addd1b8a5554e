import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { Operator } from '../../../packages/operators/index.js';

const DealtProperties = z.object({
  file: z.string(),
  key: z.enum(['a', 'b']).default('a'),
  label: z.string().optional(),
  /** What each tuple takes. */
  slowMillis: z.number().default(0),
});

/** Writes which keys it saw in each window, and with which properties. Tuples are dealt by the field `key` names. */
export class Dealt extends Operator<typeof DealtProperties> {
  static override readonly className: string = 'test.Dealt';
  static override readonly properties = DealtProperties;
  static override readonly inputs = {
    in: {
      partitionKey: (properties: Readonly<Record<string, unknown>>) => (tuple: unknown) =>
        fieldOf(tuple, String(properties['key'])),
    },
  };
  #window = '';
  #isOpen = false;
  #changes = 0;
  #keys = new Set<string>();
  #count = 0;

  override propertiesChanged(): void {
    if (this.#isOpen) throw new Error('Properties were changed inside of a window');
    this.#changes++;
  }
  override beginWindow(windowId: string): void {
    this.#isOpen = true;
    this.#window = windowId;
    this.#keys = new Set();
    this.#count = 0;
  }
  override process(_port: string, tuple: unknown): void {
    this.#keys.add(fieldOf(tuple, this.properties.key));
    this.#count++;
    const { slowMillis } = this.properties;
    if (slowMillis > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowMillis);
  }
  override checkpoint(): unknown {
    return this.properties.key;
  }
  override restore(state: unknown): void {
    if (state !== this.properties.key)
      throw new Error(`Restored under ${this.properties.key}, kept under ${state}`);
  }
  override endWindow(): void {
    this.#isOpen = false;
    const { file, key, label } = this.properties;
    const line = {
      window: this.#window,
      partition: this.context.partition.index,
      key,
      label: label ?? null,
      keys: [...this.#keys],
      count: this.#count,
      changes: this.#changes,
      pid: process.pid,
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }
}

const fieldOf = (tuple: unknown, name: string): string =>
  typeof tuple === 'object' && tuple !== null ? String(new Map(Object.entries(tuple)).get(name)) : '';
