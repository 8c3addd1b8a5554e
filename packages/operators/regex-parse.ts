import { RE2JS } from 're2js';
import * as z from 'zod';
import { FieldName, Pattern } from './properties.js';
import { type Parsed, TextParser, TextProperties } from './text-parser.js';

const RegexParseProperties = TextProperties.extend({
  pattern: Pattern.describe(
    'Regular expression with named groups, such as (?<status>\\d{3}); RE2 syntax: no look-ahead, no back references',
  ),
  whole: z
    .boolean()
    .default(false)
    .describe('Whether the pattern must match the whole text, not a part of it'),
  numbers: z
    .array(FieldName)
    .max(100)
    .default([])
    .describe('Groups that are numbers; null when they are not'),
});

interface Group {
  readonly name: string;
  readonly index: number;
  readonly isNumber: boolean;
}

export class RegexParse extends TextParser {
  static override readonly className = 'headgate.parse.RegexParse';
  static override readonly title = 'Parse by regular expression';
  static override readonly description =
    'Turns text into records by the named groups of a regular expression, in linear time. What does not match goes to the port errors.';
  static override readonly tags = ['parse', 'regex', 'log'];
  static override readonly properties = RegexParseProperties;
  declare properties: z.output<typeof RegexParseProperties>;

  #pattern = RE2JS.compile('');
  #groups: readonly Group[] = [];

  override setup(): void {
    const { pattern, numbers } = this.properties;
    this.#pattern = RE2JS.compile(pattern);
    this.#groups = Object.entries(this.#pattern.namedGroups()).map(([name, index]) => ({
      name,
      index,
      isNumber: numbers.includes(name),
    }));
    if (this.#groups.length === 0) {
      this.context.log.warn('the pattern has no named groups: its records are empty');
    }
  }

  override propertiesChanged(): void {
    this.setup();
  }

  protected override parse(text: string): Parsed {
    const matcher = this.#pattern.matcher(text);
    if (!(this.properties.whole ? matcher.matches() : matcher.find())) return { problem: 'no match' };
    const fields = this.#groups.map(({ name, index, isNumber }) => {
      const found = matcher.group(index);
      return [name, isNumber ? numberIn(found) : found];
    });
    return { value: Object.fromEntries(fields) };
  }
}

function numberIn(text: string | null): number | null {
  const number = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}
