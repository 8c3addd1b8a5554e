// JSON of which no digit is lost. `JSON.parse` rounds integers beyond 2^53; here they stay as they were written.

/** A number as it stands in the text. */
export class ExactNumber {
  constructor(readonly source: string) {}
  toString(): string {
    return this.source;
  }
  /** `JSON.stringify` writes the digits as they are, wherever `parseExact` can tell them apart. */
  toJSON(): unknown {
    return JSON.rawJSON?.(this.source) ?? Number(this.source);
  }
}

declare global {
  interface JSON {
    rawJSON?(text: string): unknown;
  }
}

type Context = { readonly source?: string };

/** The value, with an `ExactNumber` for each number that JavaScript can't hold. Throws a `SyntaxError` like `JSON.parse`. */
export function parseExact(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: Context): unknown => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined) return value;
    return holds(value, source) ? value : new ExactNumber(source);
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** Whether a number of JavaScript says all that its text says, but for how it is written (`1.0`, `1e3`). */
function holds(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) || String(value) === source;
  return significant(source).length <= 15 || significant(String(value)) === significant(source);
}

const significant = (source: string): string =>
  source.replace(/e.*$/i, '').replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');

/** Two spaces a level, every number as it came. */
export function writeExact(value: unknown, indent = ''): string {
  if (value instanceof ExactNumber) return value.source;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => inner + writeExact(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${writeExact(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return parts.length === 0 ? open + close : `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}
