import { type ClassFile, flag, has } from './class-file.js';
import { isProvided, platformKind } from './platform-types.js';

/** Of a class, what tells where it stands among the others. */
export interface TypeNode {
  readonly name: string;
  readonly flags: number;
  /** Superclass first. */
  readonly parents: readonly string[];
  /** Public, not abstract, with a public constructor without arguments. */
  readonly isInstantiable: boolean;
  /** The jar that it is in; absent for the engine's own. */
  readonly jar?: string;
}

export interface TypeGraph {
  /** The first class of a name counts, as on a class path. Tells whether it was that. */
  add(node: TypeNode): boolean;
  node(name: string): TypeNode | undefined;
  nodes(): Iterable<TypeNode>;
  /** Classes and interfaces that it descends from, nearest first, without itself. */
  ancestors(name: string): ReadonlySet<string>;
  /** Also when both are the same. */
  isA(name: string, ancestor: string): boolean;
  /** The first ancestor that is neither in a jar nor brought along by the engine: such a class can't be loaded. */
  missing(name: string): string | undefined;
}

/** More than any class has that a person wrote. */
const maxAncestors = 128;

export function createTypeGraph(known: Iterable<TypeNode>): TypeGraph {
  const nodes = new Map<string, TypeNode>();
  const found = new Map<string, ReadonlySet<string>>();
  for (const node of known) nodes.set(node.name, node);

  function ancestors(name: string): ReadonlySet<string> {
    const before = found.get(name);
    if (before) return before;
    const all = new Set<string>();
    const add = (parents: readonly string[]) => {
      for (const parent of parents) if (parent !== name && all.size < maxAncestors) all.add(parent);
    };
    add(parentsOf(name));
    // A set is walked in the order of adding, and what is added meanwhile is walked too.
    for (const ancestor of all) add(parentsOf(ancestor));
    if (found.size > maxRemembered) found.clear();
    found.set(name, all);
    return all;
  }

  function parentsOf(name: string): readonly string[] {
    const kind = platformKind(name);
    return nodes.get(name)?.parents ?? (kind === undefined ? [] : [kind]);
  }

  return {
    add(node) {
      if (nodes.get(node.name)?.jar !== undefined) return false;
      nodes.set(node.name, node);
      found.clear();
      return true;
    },
    node: (name) => nodes.get(name),
    nodes: () => nodes.values(),
    ancestors,
    isA: (name, ancestor) => name === ancestor || ancestors(name).has(ancestor),
    missing(name) {
      const all = ancestors(name);
      if (all.size >= maxAncestors) return name;
      return [...all].find((ancestor) => !nodes.has(ancestor) && !isProvided(ancestor));
    },
  };
}

/** Sets of ancestors, of mostly a dozen names. */
const maxRemembered = 5_000;

export function typeNode(type: ClassFile, jar?: string): TypeNode {
  const hasConstructor = type.methods.some(
    (method) => method.name === '<init>' && method.descriptor === '()V' && has(method, flag.public),
  );
  return {
    name: type.name,
    flags: type.flags,
    parents: [...(type.superName === undefined ? [] : [type.superName]), ...type.interfaces],
    isInstantiable: has(type, flag.public) && !has(type, flag.abstract) && hasConstructor,
    ...(jar === undefined ? {} : { jar }),
  };
}
