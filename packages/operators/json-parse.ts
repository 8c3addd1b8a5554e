import * as z from 'zod';
import { messageOf } from './record.js';
import { type Parsed, TextParser, TextProperties } from './text-parser.js';

const JsonParseProperties = TextProperties.extend({
  objectsOnly: z.boolean().default(true).describe('Whether anything but an object or an array is an error'),
});

export class JsonParse extends TextParser {
  static override readonly className = 'headgate.parse.JsonParse';
  static override readonly title = 'Parse JSON';
  static override readonly description =
    'Turns JSON text into values. What is not JSON goes to the port errors.';
  static override readonly tags = ['parse', 'json'];
  static override readonly properties = JsonParseProperties;
  declare properties: z.output<typeof JsonParseProperties>;

  protected override parse(text: string): Parsed {
    try {
      const value: unknown = JSON.parse(text);
      const isObject = typeof value === 'object' && value !== null;
      return isObject || !this.properties.objectsOnly
        ? { value }
        : { problem: 'neither an object nor an array' };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }
}
