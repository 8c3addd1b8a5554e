import { BrokenClass } from './broken-class.js';
import { dotted } from './constant-pool.js';

/** A type of the language, as signatures write it (JVM specification 4.7.9.1). */
export type JavaType =
  /** `int`, `boolean`, ..., `void`. */
  | { readonly kind: 'primitive'; readonly name: string; readonly letter: string }
  | { readonly kind: 'class'; readonly name: string; readonly args: readonly JavaType[] }
  | { readonly kind: 'variable'; readonly variable: TypeVariable }
  | { readonly kind: 'array'; readonly item: JavaType }
  /** `? extends bound` or `? super bound`. */
  | { readonly kind: 'wildcard'; readonly is: 'extends' | 'super'; readonly bound: JavaType };

/** The `T` of `class Box<T>`: one object for each class that declares it, so it is told from the `T` of others. */
export interface TypeVariable {
  readonly name: string;
  /** The first; `Object` when there is none. */
  bound: JavaType;
}

/** The variables that a signature may name. */
export type TypeScope = ReadonlyMap<string, TypeVariable>;

export interface ClassSignature {
  readonly variables: TypeScope;
  readonly superclass: JavaType;
  readonly interfaces: readonly JavaType[];
}

interface MethodSignature {
  readonly parameters: readonly JavaType[];
  readonly returns: JavaType;
}

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

export const objectType: JavaType = { kind: 'class', name: 'java.lang.Object', args: [] };

const noVariables: TypeScope = new Map();
const maxDepth = 64;

export function parseClassSignature(text: string): ClassSignature {
  const reader = signatureReader(text, noVariables);
  const variables = reader.variables();
  const superclass = reader.type();
  const interfaces: JavaType[] = [];
  while (!reader.isAtEnd()) interfaces.push(reader.type());
  return { variables, superclass, interfaces };
}

/** A signature, or a descriptor where there is none. */
export function parseMethodSignature(text: string, scope: TypeScope): MethodSignature {
  const reader = signatureReader(text, scope);
  reader.variables();
  reader.skip('(');
  const parameters: JavaType[] = [];
  while (!reader.isAt(')')) parameters.push(reader.type());
  reader.skip(')');
  return { parameters, returns: reader.type() };
}

/** A signature, or a descriptor where there is none. */
export const parseFieldSignature = (text: string, scope: TypeScope): JavaType =>
  signatureReader(text, scope).type();

function signatureReader(text: string, outer: TypeScope) {
  let at = 0;
  let scope = outer;
  let declaring: Map<string, TypeVariable> | undefined;
  let depth = 0;

  const broken = () =>
    new BrokenClass(`its signature ${JSON.stringify(text.slice(0, 200))} can't be understood`);
  const isAt = (letter: string) => text[at] === letter;
  const skip = (letter: string) => {
    if (!isAt(letter)) throw broken();
    at++;
  };
  /** Up to the first of these letters. */
  const upTo = (letters: string) => {
    const from = at;
    while (at < text.length && !letters.includes(text.charAt(at))) at++;
    if (at === text.length) throw broken();
    return text.slice(from, at);
  };

  /** `<T:Ljava/lang/Object;U::Ljava/util/List<TT;>;>`; variables may be bound by later ones. */
  function variables(): TypeScope {
    if (!isAt('<')) return scope;
    skip('<');
    const own = new Map(outer);
    declaring = own;
    scope = own;
    while (!isAt('>')) {
      const name = upTo(':');
      const variable = own.get(name) === outer.get(name) ? { name, bound: objectType } : own.get(name);
      if (!variable) throw broken();
      own.set(name, variable);
      const bounds: JavaType[] = [];
      while (isAt(':')) {
        skip(':');
        if (!isAt(':')) bounds.push(type());
      }
      if (bounds[0]) variable.bound = bounds[0];
    }
    skip('>');
    declaring = undefined;
    return own;
  }

  function type(): JavaType {
    if (++depth > maxDepth) throw broken();
    const letter = text[at++] ?? '';
    const found = typeOf(letter);
    depth--;
    return found;
  }

  function typeOf(letter: string): JavaType {
    const primitive = primitives[letter];
    if (primitive !== undefined) return { kind: 'primitive', name: primitive, letter };
    if (letter === '[') return { kind: 'array', item: type() };
    if (letter === 'T') {
      const name = upTo(';');
      skip(';');
      // If not of this class, then of one around it, which is not told here.
      const variable = scope.get(name) ?? { name, bound: objectType };
      declaring?.set(name, variable);
      return { kind: 'variable', variable };
    }
    if (letter !== 'L') throw broken();
    return classType();
  }

  /** `com/example/Outer<TT;>.Inner;`: of the arguments, those of the innermost class are kept. */
  function classType(): JavaType {
    let name = dotted(upTo('<;.'));
    let args = typeArguments();
    while (isAt('.')) {
      skip('.');
      name += `$${upTo('<;.')}`;
      args = typeArguments();
    }
    skip(';');
    return { kind: 'class', name, args };
  }

  function typeArguments(): JavaType[] {
    const args: JavaType[] = [];
    if (!isAt('<')) return args;
    skip('<');
    while (!isAt('>')) args.push(typeArgument());
    skip('>');
    return args;
  }

  function typeArgument(): JavaType {
    const is = isAt('-') ? 'super' : 'extends';
    if (isAt('*')) {
      skip('*');
      return { kind: 'wildcard', is, bound: objectType };
    }
    if (!isAt('+') && !isAt('-')) return type();
    at++;
    return { kind: 'wildcard', is, bound: type() };
  }

  return { variables, type, skip, isAt, isAtEnd: () => at >= text.length };
}
