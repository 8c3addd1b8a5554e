// Values as JavaScript literals. Pure.

/** Letters, digits and these stand for themselves everywhere; `import(` and `<!--` would be refused even in a string. */
const plain = /[\p{L}\p{N} _.,:@=-]/u;

/**
 * The inside of a string, a template or a comment: everything that could end one of them or begin an escape is written as `\uXXXX`.
 */
export const textInside = (text: string): string =>
  Array.from(text, (character) => (plain.test(character) ? character : escaped(character))).join('');

/** A string with its quotes. */
export const stringLiteral = (text: string): string => `"${textInside(text)}"`;

/** A minus is kept apart from what stands before it. */
export const numberLiteral = (value: number): string => (value < 0 ? `(${value})` : String(value));

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
