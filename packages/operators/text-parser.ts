import * as z from 'zod';
import { Operator, type Port, type Tuple } from './operator.js';
import { FieldName } from './properties.js';
import { fieldOf, shorten } from './record.js';

export const TextProperties = z.object({
  field: FieldName.optional().describe(
    'The field that holds the text, such as body; without it the tuple is the text',
  ),
  maxCharacters: z
    .int()
    .min(1)
    .max(64 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('Longer text is an error'),
});

export type Parsed = { readonly value: unknown } | { readonly problem: string };

const State = z.object({ failed: z.number() });

/** What the parsers share: where the text is, and what becomes of text that can't be parsed. */
export abstract class TextParser extends Operator<typeof TextProperties> {
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'string', description: 'Text, or records that hold it' },
  };
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'any', description: 'What was parsed' },
    errors: { type: 'ParseError', description: '{message, text}, the text cut', optional: true },
  };

  #failed = 0;

  /** Must not throw because of the text. */
  protected abstract parse(text: string): Parsed;

  override process(_port: string, tuple: Tuple): void {
    const { field } = this.properties;
    const text = field === undefined ? tuple : fieldOf(tuple, field);
    const parsed = this.#parse(text);
    if ('value' in parsed) {
      this.emit('output', parsed.value);
      return;
    }
    this.#failed += 1;
    this.emit('errors', {
      message: shorten(parsed.problem, 200),
      text: typeof text === 'string' ? shorten(text, 200) : null,
    });
  }

  #parse(text: unknown): Parsed {
    const { maxCharacters } = this.properties;
    if (typeof text !== 'string') return { problem: 'there is no text' };
    if (text.length > maxCharacters) return { problem: `longer than ${maxCharacters} characters` };
    return this.parse(text);
  }

  override checkpoint(): unknown {
    return { failed: this.#failed };
  }

  override restore(state: unknown): void {
    this.#failed = State.parse(state).failed;
  }

  override counters(): Readonly<Record<string, number>> {
    return { failed: this.#failed };
  }
}
