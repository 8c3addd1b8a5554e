/** What is wrong with an expression, and at which character (from 1). */
export class ExpressionError extends Error {
  constructor(problem: string, position: number) {
    super(`${problem}, at character ${position + 1}`);
    this.name = 'ExpressionError';
  }
}

export interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'sign' | 'end';
  /** The name, the sign, the content of the string. */
  readonly text: string;
  readonly position: number;
}

const pattern =
  /\s+|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<name>[A-Za-z_$][\w$]*)|(?<sign>==|!=|<=|>=|[<>+\-*/%()[\],.])/y;

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const withoutEscapes = (text: string) => text.replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? char);

/** Throws `ExpressionError` for a character that begins nothing. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (!match) throw new ExpressionError(`unexpected ${JSON.stringify(text[position])}`, position);
    const { number, string, name, sign } = match.groups ?? {};
    if (number !== undefined) tokens.push({ kind: 'number', text: number, position });
    else if (string !== undefined)
      tokens.push({ kind: 'string', text: withoutEscapes(string.slice(1, -1)), position });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, position });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, position });
    position = pattern.lastIndex;
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}
