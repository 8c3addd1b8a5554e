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

export const objectType: JavaType = { kind: 'class', name: 'java.lang.Object', args: [] };
