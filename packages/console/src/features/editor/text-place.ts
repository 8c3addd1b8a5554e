/** From and to in the text. */
interface TextPlace {
  readonly from: number;
  readonly to: number;
}

/**
 * Where the value with that path (`operators.0.class`) stands in a JSON text; of a path that does not lead to its end, the last
 * part that there is. `undefined` for what is no JSON.
 */
export function placeOf(text: string, path: string): TextPlace | undefined {
  const wanted = path === '' ? [] : path.split('.');
  const scanner = { text, at: 0 };
  try {
    return scan(scanner, wanted);
  } catch {
    return undefined;
  }
}

interface Scanner {
  readonly text: string;
  at: number;
}

const space = /\s*/y;
const string = /"(?:[^"\\]|\\.)*"/y;
const other = /[^\s,\]}]+/y;

/** Goes over one value; gives the place of what is wanted in it, or its own. */
function scan(scanner: Scanner, wanted: readonly string[]): TextPlace {
  skip(scanner);
  const from = scanner.at;
  const open = scanner.text[scanner.at];
  let inner: TextPlace | undefined;
  if (open === '{' || open === '[') {
    scanner.at++;
    for (let index = 0; ; index++) {
      skip(scanner);
      if (peek(scanner) === (open === '{' ? '}' : ']')) break;
      const key = open === '{' ? keyAt(scanner) : String(index);
      const [first, ...rest] = wanted;
      const place = scan(scanner, key === first ? rest : []);
      if (key === first) inner = place;
      skip(scanner);
      if (peek(scanner) === ',') scanner.at++;
    }
    scanner.at++;
  } else take(scanner, open === '"' ? string : other);
  return inner ?? { from, to: scanner.at };
}

function keyAt(scanner: Scanner): string {
  const key: unknown = JSON.parse(take(scanner, string));
  skip(scanner);
  if (peek(scanner) !== ':') throw new SyntaxError('no colon');
  scanner.at++;
  return String(key);
}

const peek = ({ text, at }: Scanner): string => {
  const found = text[at];
  if (found === undefined) throw new SyntaxError('ends too early');
  return found;
};

const skip = (scanner: Scanner): void => void take(scanner, space);

function take(scanner: Scanner, pattern: RegExp): string {
  pattern.lastIndex = scanner.at;
  const found = pattern.exec(scanner.text)?.[0];
  if (found === undefined) throw new SyntaxError('not JSON');
  scanner.at += found.length;
  return found;
}
