import type { ClassDetails } from './class-details.js';
import type { JavaType, TypeVariable } from './java-type.js';
import type { Replacements } from './type-description.js';
import type { TypeGraph } from './type-graph.js';

/** What is known of the classes that are looked at: where each stands, and what was read of it. */
export interface Classes {
  readonly graph: TypeGraph;
  /** `undefined` where nothing is known: a class of Java, of the cluster, or a broken one. */
  details(name: string): ClassDetails | undefined;
}

/** A class with what it inherits. */
export interface Lineage {
  /** Itself, its superclass and what that inherits, its interfaces and what they do. */
  readonly details: readonly ClassDetails[];
  /** What the type variables of its ancestors stand for. */
  readonly replacements: Replacements;
}

/** Fields, getters and setters that a class may inherit; what is further up does not count. */
const maxMembers = 5_000;

export function lineageOf(name: string, { graph, details }: Classes): Lineage {
  const found: ClassDetails[] = [];
  const replacements = new Map<TypeVariable, JavaType>();
  const seen = new Set<string>();
  let members = 0;
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const type = details(next);
    members += (type?.fields.length ?? 0) + (type?.accessors.length ?? 0);
    if (members > maxMembers) break;
    if (type) {
      found.push(type);
      for (const supertype of type.supertypes) addReplacements(supertype, details, replacements);
    }
    waiting.push(...[...(graph.node(next)?.parents ?? [])].reverse());
  }
  return { details: found, replacements };
}

/** The nearest class to name a variable decides. */
function addReplacements(
  supertype: JavaType,
  details: Classes['details'],
  replacements: Map<TypeVariable, JavaType>,
): void {
  if (supertype.kind !== 'class' || supertype.args.length === 0) return;
  const variables = [...(details(supertype.name)?.variables.values() ?? [])];
  for (const [i, variable] of variables.entries()) {
    const arg = supertype.args[i];
    if (arg && !replacements.has(variable)) replacements.set(variable, arg);
  }
}
