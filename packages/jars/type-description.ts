import type { TypeDescription } from 'headgate/driver-kit';
import type { JavaType, TypeVariable } from './java-type.js';

/** What type variables stand for in a subclass: the `T` of `Box<T>` is `String` in `class Crate extends Box<String>`. */
export type Replacements = ReadonlyMap<TypeVariable, JavaType>;

type IsA = (name: string, ancestor: string) => boolean;

/** What a console shows such values with; the first that fits (engine: `TypeGraph.UI_TYPE`). */
const shownAs: readonly (readonly [uiType: string, ...ancestors: string[]])[] = [
  ['List', 'java.util.Collection'],
  ['Enum', 'java.lang.Enum'],
  ['Map', 'java.util.Map'],
  ['char', 'java.lang.Character'],
  ['boolean', 'java.lang.Boolean'],
];

/** Types that are told as others are, because a text or a number is what one writes for them. */
const toldAs: readonly (readonly [type: string, ...ancestors: string[]])[] = [
  [
    'java.lang.String',
    'java.lang.Class',
    'java.util.UUID',
    'java.net.URL',
    'java.net.URI',
    'java.util.Currency',
    'java.util.regex.Pattern',
    'java.util.Locale',
    'java.net.InetAddress',
    'java.util.TimeZone',
    'java.nio.charset.Charset',
  ],
  ['int', 'java.lang.Integer'],
  ['byte', 'java.lang.Byte'],
  ['short', 'java.lang.Short'],
  ['long', 'java.lang.Long'],
  ['double', 'java.lang.Double'],
  ['float', 'java.lang.Float'],
];

const maxDepth = 8;
/** Of a description: variables that are bound by each other would multiply. */
const maxParts = 200;

/** A type as the engine tells it: `type` is its class without arguments, and these follow in `typeArgs`. */
export function describeType(type: JavaType, replacements: Replacements, isA: IsA): TypeDescription {
  let left = maxParts;
  const describe = (raw: JavaType, within: readonly JavaType[]): TypeDescription => {
    // A type may name itself: `T extends Comparable<T>`.
    const isOpen = --left > 0 && within.length < maxDepth && !within.includes(raw);
    const inner = (type: JavaType): TypeDescription => (isOpen ? describe(type, [...within, raw]) : {});
    const type = resolved(raw, replacements);
    switch (type.kind) {
      case 'primitive':
        return { type: type.name };
      case 'class': {
        const description = describeClass(type.name, isA);
        return type.args.length === 0 ? description : { ...description, typeArgs: type.args.map(inner) };
      }
      case 'array':
        return { type: erased(type), uiType: 'List', itemType: inner(type.item) };
      case 'variable':
        return { ...inner(boundClass(type.variable)), typeLiteral: type.variable.name };
      case 'wildcard':
        return {
          type: '?',
          typeBounds: { upper: [], lower: [], [bounds[type.is]]: [boundText(type.bound)] },
        };
    }
  };
  return describe(type, []);
}

const bounds = { extends: 'upper', super: 'lower' } as const;

function describeClass(name: string, isA: IsA): TypeDescription {
  const fits = ([, ...ancestors]: readonly [string, ...string[]]) =>
    ancestors.some((ancestor) => name === ancestor || isA(name, ancestor));
  const [uiType] = shownAs.find(fits) ?? [];
  if (uiType !== undefined) return { type: name, uiType };
  const [told] = toldAs.find(fits) ?? [];
  return { type: told ?? name };
}

function resolved(type: JavaType, replacements: Replacements): JavaType {
  let found = type;
  for (let depth = 0; found.kind === 'variable' && depth < 100; depth++) {
    const replacement = replacements.get(found.variable);
    if (!replacement) return found;
    found = replacement;
  }
  return found;
}

/** The most that a class file can have. */
const maxArrayDepth = 255;

/** `[Ljava.lang.String;`: how the engine names arrays. Not resolved, as there. */
function erased(type: JavaType, depth = 0): string {
  if (depth > maxArrayDepth) return 'Ljava.lang.Object;';
  switch (type.kind) {
    case 'primitive':
      return type.letter;
    case 'class':
      return `L${type.name};`;
    case 'array':
      return `[${erased(type.item, depth + 1)}`;
    case 'variable':
      return erased(boundClass(type.variable), depth + 1);
    case 'wildcard':
      return erased(type.bound, depth + 1);
  }
}

/** What a variable is at least; of one that is bound by another, what that is. */
function boundClass({ bound }: TypeVariable): JavaType {
  let found = bound;
  for (let depth = 0; found.kind === 'variable' && depth < 100; depth++) found = found.variable.bound;
  return found;
}

function boundText(type: JavaType): string {
  if (type.kind === 'variable') return type.variable.name;
  return type.kind === 'class' ? `class ${type.name}` : erased(type);
}
