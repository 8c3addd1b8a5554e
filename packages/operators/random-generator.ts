import * as z from 'zod';
import { InputOperator, type Port, type Tuple } from './operator.js';
import { Random, RandomState, seedState } from './random.js';

const defaultWords =
  'alder ash aspen beech birch cedar cherry elm fir hazel holly juniper larch lime maple oak pine rowan spruce willow yew'.split(
    ' ',
  );

const RandomGeneratorProperties = z.object({
  kind: z
    .enum(['numbers', 'words', 'records', 'payload'])
    .default('numbers')
    .describe('What is made: numbers, words, records {id, word, value}, or text of a fixed length'),
  seed: z
    .string()
    .max(200)
    .default('headgate')
    .describe('The same seed gives the same tuples; each partition has its own'),
  tuplesPerSecond: z
    .number()
    .positive()
    .max(1e8)
    .optional()
    .describe('Without it as many as the readers take'),
  total: z
    .int()
    .min(0)
    .optional()
    .describe('After so many tuples of a partition the input ends; without it never'),
  min: z.number().default(0).describe('Smallest number'),
  max: z.number().default(1).describe('Numbers stay below it'),
  integers: z.boolean().default(false).describe('Whether numbers are whole'),
  words: z.array(z.string()).min(1).max(10_000).default(defaultWords).describe('Words to choose from'),
  payloadBytes: z
    .int()
    .min(8)
    .max(1024 * 1024)
    .default(200)
    .describe('Length of a payload; the first 8 characters differ from tuple to tuple'),
});

const State = z.object({ random: RandomState, emitted: z.number() });

/** A tuple of each kind: from the generator and the number of tuples before it. */
type Make = (random: Random, index: number) => Tuple;

function makerOf(properties: z.output<typeof RandomGeneratorProperties>): Make {
  const { kind, min, max, integers, words, payloadBytes } = properties;
  const number = (random: Random) => {
    const value = min + random.fraction() * (max - min);
    return integers ? Math.floor(value) : value;
  };
  const word = (random: Random) => words[random.below(words.length)] ?? '';
  if (kind === 'numbers') return number;
  if (kind === 'words') return word;
  if (kind === 'records') {
    return (random, index) => ({ id: index + 1, word: word(random), value: number(random) });
  }
  const filler = 'x'.repeat(payloadBytes - 8);
  return (random) => random.uint32().toString(16).padStart(8, '0') + filler;
}

export class RandomGenerator extends InputOperator<typeof RandomGeneratorProperties> {
  static override readonly className = 'headgate.io.RandomGenerator';
  static override readonly title = 'Random generator';
  static override readonly description =
    'Makes random tuples, the same ones for the same seed, at a given rate or as fast as possible.';
  static override readonly tags = ['input', 'random', 'test'];
  static override readonly properties = RandomGeneratorProperties;
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'any', description: 'number, string or {id, word, value}, as the property kind says' },
  };

  #seed = '';
  #random = new Random(seedState(''));
  #make: Make = () => undefined;
  #emitted = 0;
  #credit = 0;
  #credited = 0;

  override setup(): void {
    this.#seed = this.properties.seed;
    this.#random = new Random(seedState(`${this.#seed}/${this.context.partition.index}`));
    this.#make = makerOf(this.properties);
    this.#credited = performance.now();
  }

  /** Another seed begins its own row; anything else goes on with the same one. */
  override propertiesChanged(): void {
    const { state } = this.#random;
    const isSame = this.#seed === this.properties.seed;
    this.setup();
    if (isSame) this.#random.state = state;
  }

  override emitTuples(limit: number): number | undefined {
    const { total } = this.properties;
    const left = total === undefined ? limit : Math.min(limit, total - this.#emitted);
    if (limit > 0 && left <= 0) return undefined;
    const count = Math.min(left, this.#allowed());
    for (let index = 0; index < count; index += 1) {
      this.emit('output', this.#make(this.#random, this.#emitted));
      this.#emitted += 1;
    }
    this.#credit -= count;
    return count;
  }

  /** Whole tuples that the rate allows now. What was not used is kept for one second at most. */
  #allowed(): number {
    const rate = this.properties.tuplesPerSecond;
    if (rate === undefined) return Number.POSITIVE_INFINITY;
    const now = performance.now();
    const earned = ((now - this.#credited) / 1_000) * rate;
    this.#credited = now;
    this.#credit = Math.min(Math.max(this.#credit, 0) + earned, Math.max(rate, 1));
    return Math.floor(this.#credit);
  }

  override checkpoint(): unknown {
    return { random: this.#random.state, emitted: this.#emitted };
  }

  override restore(state: unknown): void {
    const { random, emitted } = State.parse(state);
    this.#random.state = random;
    this.#emitted = emitted;
  }
}
