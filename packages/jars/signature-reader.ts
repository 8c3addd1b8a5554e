import { BrokenClass } from './broken-class.js';
import { dotted } from './constant-pool.js';
import { type JavaType, objectType, type TypeScope, type TypeVariable } from './java-type.js';

const primitives: Readonly<Record<string, string>> = {
  B: 'byte',
  C: 'char',
  D: 'double',
  F: 'float',
  I: 'int',
  J: 'long',
  S: 'short',
  V: 'void',
  Z: 'boolean',
};

const maxDepth = 64;

/** Goes through one signature, part by part. Throws `BrokenClass` for what is no signature. */
export class SignatureReader {
  readonly #text: string;
  readonly #outer: TypeScope;
  #at = 0;
  #scope: TypeScope;
  #declaring: Map<string, TypeVariable> | undefined;
  #depth = 0;

  /** `outer`: the variables of what the signature stands in. */
  constructor(text: string, outer: TypeScope) {
    this.#text = text;
    this.#outer = outer;
    this.#scope = outer;
  }

  isAt(letter: string): boolean {
    return this.#text[this.#at] === letter;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  skip(letter: string): void {
    if (!this.isAt(letter)) throw this.#broken();
    this.#at++;
  }

  /** `<T:Ljava/lang/Object;U::Ljava/util/List<TT;>;>`; variables may be bound by later ones. */
  variables(): TypeScope {
    if (!this.isAt('<')) return this.#scope;
    this.skip('<');
    const own = new Map(this.#outer);
    this.#declaring = own;
    this.#scope = own;
    while (!this.isAt('>')) {
      const name = this.#upTo(':');
      const variable = own.get(name) === this.#outer.get(name) ? { name, bound: objectType } : own.get(name);
      if (!variable) throw this.#broken();
      own.set(name, variable);
      const bounds: JavaType[] = [];
      while (this.isAt(':')) {
        this.skip(':');
        if (!this.isAt(':')) bounds.push(this.type());
      }
      if (bounds[0]) variable.bound = bounds[0];
    }
    this.skip('>');
    this.#declaring = undefined;
    return own;
  }

  type(): JavaType {
    if (++this.#depth > maxDepth) throw this.#broken();
    const letter = this.#text[this.#at++] ?? '';
    const found = this.#typeOf(letter);
    this.#depth--;
    return found;
  }

  #typeOf(letter: string): JavaType {
    const primitive = primitives[letter];
    if (primitive !== undefined) return { kind: 'primitive', name: primitive, letter };
    if (letter === '[') return { kind: 'array', item: this.type() };
    if (letter === 'T') return this.#variable();
    if (letter === 'L') return this.#classType();
    throw this.#broken();
  }

  #variable(): JavaType {
    const name = this.#upTo(';');
    this.skip(';');
    // If not of this class, then of one around it, which is not told here.
    const variable = this.#scope.get(name) ?? { name, bound: objectType };
    this.#declaring?.set(name, variable);
    return { kind: 'variable', variable };
  }

  /** `com/example/Outer<TT;>.Inner;`: of the arguments, those of the innermost class are kept. */
  #classType(): JavaType {
    let name = dotted(this.#upTo('<;.'));
    let args = this.#typeArguments();
    while (this.isAt('.')) {
      this.skip('.');
      name += `$${this.#upTo('<;.')}`;
      args = this.#typeArguments();
    }
    this.skip(';');
    return { kind: 'class', name, args };
  }

  #typeArguments(): JavaType[] {
    const args: JavaType[] = [];
    if (!this.isAt('<')) return args;
    this.skip('<');
    while (!this.isAt('>')) args.push(this.#typeArgument());
    this.skip('>');
    return args;
  }

  #typeArgument(): JavaType {
    const is = this.isAt('-') ? 'super' : 'extends';
    if (this.isAt('*')) {
      this.skip('*');
      return { kind: 'wildcard', is, bound: objectType };
    }
    if (!this.isAt('+') && !this.isAt('-')) return this.type();
    this.#at++;
    return { kind: 'wildcard', is, bound: this.type() };
  }

  /** Up to the first of these letters. */
  #upTo(letters: string): string {
    const from = this.#at;
    while (!this.isAtEnd() && !letters.includes(this.#text.charAt(this.#at))) this.#at++;
    if (this.isAtEnd()) throw this.#broken();
    return this.#text.slice(from, this.#at);
  }

  #broken(): BrokenClass {
    return new BrokenClass(`its signature ${JSON.stringify(this.#text.slice(0, 200))} can't be understood`);
  }
}
