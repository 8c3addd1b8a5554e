import { RE2JS } from 're2js';
import { expressionFunctions, textOf } from './expression-functions.js';
import { ExpressionError, type Token, tokensOf } from './expression-tokens.js';
import { fieldOf, messageOf } from './record.js';

// The little language of `Filter`, `Map` and the keys of aggregations. It is parsed into closures: nothing of it is
// ever run as JavaScript, it has no loops, and it sees nothing but the tuple.
//
//   status >= 500 and not startsWith(path, "/health")
//   floor(status / 100) + "xx"
//
// `name`, `a.b`, `a["odd name"]`, `a[0]`, `$` (the tuple itself); numbers, "strings", true, false, null;
// or, and, not; == != < <= > >= in [...]; + - * / %; the functions of expression-functions.ts, and
// matches(text, "pattern"). What is absent is null; arithmetic with something that is no number gives null, and a
// comparison of different types is false. `+` joins text when one side is text.

export type Evaluate = (tuple: unknown) => unknown;

export const maxExpressionLength = 1_000;
const maxDepth = 40;

const isNumber = (value: unknown): value is number => typeof value === 'number';

type Combine = (left: unknown, right: unknown) => unknown;

const arithmetic =
  (compute: (left: number, right: number) => number): Combine =>
  (left, right) => {
    if (!isNumber(left) || !isNumber(right)) return null;
    const result = compute(left, right);
    return Number.isFinite(result) ? result : null;
  };

const ordered =
  (holds: (order: number) => boolean): Combine =>
  (left, right) => {
    if (isNumber(left) && isNumber(right)) return holds(left - right);
    if (typeof left !== 'string' || typeof right !== 'string') return false;
    return holds(left < right ? -1 : left > right ? 1 : 0);
  };

const add = arithmetic((left, right) => left + right);

const sums: Readonly<Record<string, Combine>> = {
  '+': (left, right) =>
    typeof left === 'string' || typeof right === 'string' ? textOf(left) + textOf(right) : add(left, right),
  '-': arithmetic((left, right) => left - right),
};
const products: Readonly<Record<string, Combine>> = {
  '*': arithmetic((left, right) => left * right),
  '/': arithmetic((left, right) => left / right),
  '%': arithmetic((left, right) => left % right),
};
const comparisons: Readonly<Record<string, Combine>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': ordered((order) => order < 0),
  '<=': ordered((order) => order <= 0),
  '>': ordered((order) => order > 0),
  '>=': ordered((order) => order >= 0),
};

const constants: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const words = new Set(['or', 'and', 'not', 'in']);

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  whole(): Evaluate {
    const result = this.#or();
    if (this.#token().kind !== 'end') throw this.#unexpected();
    return result;
  }

  #token(): Token {
    const token = this.#tokens[this.#next];
    if (!token) throw new ExpressionError('unexpected end', 0);
    return token;
  }

  #unexpected(wanted = ''): ExpressionError {
    const { kind, text, position } = this.#token();
    const found = kind === 'end' ? 'end' : JSON.stringify(text);
    return new ExpressionError(`unexpected ${found}${wanted && `, wanted ${wanted}`}`, position);
  }

  /** Takes the next token when it is this sign or word. */
  #take(text: string): boolean {
    const token = this.#token();
    if (token.text !== text || (token.kind !== 'sign' && token.kind !== 'name')) return false;
    this.#next += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected(`"${text}"`);
  }

  #or(): Evaluate {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new ExpressionError('nested too deeply', this.#token().position);
    let left = this.#and();
    while (this.#take('or')) {
      const [first, second] = [left, this.#and()];
      left = (tuple) => first(tuple) === true || second(tuple) === true;
    }
    this.#depth -= 1;
    return left;
  }

  #and(): Evaluate {
    let left = this.#not();
    while (this.#take('and')) {
      const [first, second] = [left, this.#not()];
      left = (tuple) => first(tuple) === true && second(tuple) === true;
    }
    return left;
  }

  #not(): Evaluate {
    let negations = 0;
    while (this.#take('not')) negations += 1;
    const inner = this.#comparison();
    if (negations === 0) return inner;
    const wanted = negations % 2 === 0;
    return (tuple) => (inner(tuple) === true) === wanted;
  }

  #comparison(): Evaluate {
    const left = this.#sum();
    if (this.#take('in')) {
      this.#expect('[');
      const choices = this.#list(']');
      return (tuple) => {
        const value = left(tuple);
        return choices.some((choice) => choice(tuple) === value);
      };
    }
    const compare = this.#operation(comparisons);
    if (!compare) return left;
    const right = this.#sum();
    return (tuple) => compare(left(tuple), right(tuple));
  }

  #operation(operations: Readonly<Record<string, Combine>>): Combine | undefined {
    const { kind, text } = this.#token();
    const found = kind === 'sign' && Object.hasOwn(operations, text) ? operations[text] : undefined;
    if (found) this.#next += 1;
    return found;
  }

  #chain(operations: Readonly<Record<string, Combine>>, operand: () => Evaluate): Evaluate {
    let left = operand();
    for (let combine = this.#operation(operations); combine; combine = this.#operation(operations)) {
      const [first, apply, second] = [left, combine, operand()];
      left = (tuple) => apply(first(tuple), second(tuple));
    }
    return left;
  }

  #sum(): Evaluate {
    return this.#chain(sums, () => this.#product());
  }

  #product(): Evaluate {
    return this.#chain(products, () => this.#unary());
  }

  #unary(): Evaluate {
    let minus = false;
    while (this.#take('-')) minus = !minus;
    const inner = this.#primary();
    if (!minus) return inner;
    return (tuple) => {
      const value = inner(tuple);
      return isNumber(value) ? -value : null;
    };
  }

  #primary(): Evaluate {
    if (this.#take('(')) {
      const inner = this.#or();
      this.#expect(')');
      return inner;
    }
    const { kind, text, position } = this.#token();
    if (kind === 'end' || kind === 'sign' || (kind === 'name' && words.has(text))) {
      throw this.#unexpected('a value');
    }
    this.#next += 1;
    if (kind === 'number') return constant(Number(text));
    if (kind === 'string') return constant(text);
    if (constants.has(text)) return constant(constants.get(text));
    if (this.#take('(')) return this.#call(text, position);
    return this.#path(text);
  }

  #list(end: string): Evaluate[] {
    const items: Evaluate[] = [];
    if (this.#take(end)) return items;
    do items.push(this.#or());
    while (this.#take(','));
    this.#expect(end);
    return items;
  }

  #call(name: string, position: number): Evaluate {
    if (name === 'matches') return this.#matches();
    const called = expressionFunctions.get(name);
    if (!called) {
      const known = [...expressionFunctions.keys(), 'matches'].sort().join(', ');
      throw new ExpressionError(`there is no function "${name}" (there are: ${known})`, position);
    }
    const values = this.#list(')');
    const [least, most] = called.arguments;
    if (values.length < least || values.length > most) {
      throw new ExpressionError(`${name} takes ${most} argument${most === 1 ? '' : 's'}`, position);
    }
    return (tuple) => called.apply(values.map((value) => value(tuple)));
  }

  /** The pattern is a literal, so that it is compiled once and refused early. */
  #matches(): Evaluate {
    const value = this.#or();
    this.#expect(',');
    const { kind, text, position } = this.#token();
    if (kind !== 'string') throw this.#unexpected('a pattern in quotes');
    this.#next += 1;
    this.#expect(')');
    const pattern = compilePattern(text, position);
    return (tuple) => {
      const subject = value(tuple);
      return typeof subject === 'string' && pattern.test(subject);
    };
  }

  #path(first: string): Evaluate {
    let read: Evaluate = first === '$' ? (tuple) => tuple ?? null : (tuple) => fieldOf(tuple, first);
    for (;;) {
      let name: string;
      if (this.#take('.')) name = this.#segment('name');
      else if (this.#take('[')) {
        name = this.#segment('string', 'number');
        this.#expect(']');
      } else return read;
      const outer = read;
      read = (tuple) => fieldOf(outer(tuple), name);
    }
  }

  #segment(...kinds: readonly Token['kind'][]): string {
    const { kind, text } = this.#token();
    if (!kinds.includes(kind)) throw this.#unexpected('a field');
    this.#next += 1;
    return text;
  }
}

const constant =
  (value: unknown): Evaluate =>
  () =>
    value;

function compilePattern(text: string, position: number): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    throw new ExpressionError(`not a pattern: ${messageOf(error)}`, position);
  }
}

/** Throws `ExpressionError`. The function it returns never throws. */
export function compileExpression(text: string): Evaluate {
  if (text.length > maxExpressionLength) {
    throw new ExpressionError(`longer than ${maxExpressionLength} characters`, maxExpressionLength);
  }
  return new Parser(text).whole();
}
