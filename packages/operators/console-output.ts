import * as z from 'zod';
import { Operator, type Port, type Tuple } from './operator.js';
import { jsonText, shorten } from './record.js';

const ConsoleOutputProperties = z.object({
  prefix: z.string().max(200).default('').describe('Text before each tuple'),
  level: z.enum(['trace', 'debug', 'info', 'warn']).default('info').describe('Level of the log lines'),
  maxCharacters: z.int().min(1).max(100_000).default(1_000).describe('Longer tuples are cut'),
  maxPerWindow: z
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe('Most tuples of a window; the others are counted in one line'),
});

const State = z.object({ suppressed: z.number() });

export class ConsoleOutput extends Operator<typeof ConsoleOutputProperties> {
  static override readonly className = 'headgate.io.ConsoleOutput';
  static override readonly title = 'Console';
  static override readonly description = "Writes tuples to the container's log.";
  static override readonly tags = ['output', 'log', 'debug'];
  static override readonly properties = ConsoleOutputProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'any', description: 'One log line per tuple' },
  };

  #inWindow = 0;
  #suppressed = 0;

  override beginWindow(): void {
    this.#inWindow = 0;
  }

  override process(_port: string, tuple: Tuple): void {
    const { prefix, level, maxCharacters, maxPerWindow } = this.properties;
    this.#inWindow += 1;
    if (this.#inWindow > maxPerWindow) return;
    const text = typeof tuple === 'string' ? tuple : jsonText(tuple);
    this.context.log[level](prefix + shorten(text, maxCharacters));
  }

  override endWindow(): void {
    const { prefix, level, maxPerWindow } = this.properties;
    const more = this.#inWindow - maxPerWindow;
    if (more <= 0) return;
    this.#suppressed += more;
    this.context.log[level](`${prefix}and ${more} more tuples in this window`);
  }

  override checkpoint(): unknown {
    return { suppressed: this.#suppressed };
  }

  override restore(state: unknown): void {
    this.#suppressed = State.parse(state).suppressed;
  }

  override counters(): Readonly<Record<string, number>> {
    return { suppressed: this.#suppressed };
  }
}
