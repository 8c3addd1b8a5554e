import type { PropertyDescription, TimeSlice, TypeDescription, ValueType } from 'headgate/driver-kit';
import { flag, has } from './class-file.js';
import type { ClassIndex } from './class-index.js';
import type { Documentation } from './documentation.js';
import type { JarLimits } from './limits.js';
import { lineageOf } from './lineage.js';
import { propertiesOf } from './properties.js';

/** The classes of the package that values of these properties have, of the properties of those, and so on. */
export async function valueTypesOf(
  properties: readonly PropertyDescription[],
  index: ClassIndex,
  documentation: Documentation,
  { maxTypes, maxMembers }: Pick<JarLimits, 'maxTypes' | 'maxMembers'>,
  slice: TimeSlice,
): Promise<Record<string, ValueType>> {
  const types = new Map<string, ValueType>();
  let members = 0;
  for (let next = namesIn(properties); next.size > 0; ) {
    const wanted = [...next].filter((name) => !types.has(name) && index.graph.node(name));
    await index.load(wanted.slice(0, maxTypes), slice);
    next = new Set();
    for (const name of wanted) {
      if (slice.isOver()) await slice.next();
      if (types.size >= maxTypes) return Object.fromEntries(types);
      const type = valueType(name, index, documentation);
      if (!type) continue;
      members += type.properties.length + (type.values?.length ?? 0);
      if (members > maxMembers) return Object.fromEntries(types);
      types.set(name, type);
      for (const used of namesIn(type.properties)) next.add(used);
    }
  }
  return Object.fromEntries([...types].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function valueType(name: string, index: ClassIndex, documentation: Documentation): ValueType | undefined {
  const node = index.graph.node(name);
  const details = index.details(name);
  if (!node || !details) return undefined;
  const properties = propertiesOf(lineageOf(name, index), index, documentation);
  if (has(node, flag.enum)) return { kind: 'enum', values: [...details.values], properties };
  return { kind: has(node, flag.interface) ? 'interface' : 'bean', properties };
}

/** Names of classes in the types of properties, and in their arguments. */
function namesIn(properties: readonly PropertyDescription[]): Set<string> {
  const names = new Set<string>();
  const add = ({ type, typeArgs = [], itemType }: TypeDescription) => {
    if (type?.includes('.') && !type.startsWith('[') && !type.startsWith('java.')) names.add(type);
    for (const arg of typeArgs) add(arg);
    if (itemType) add(itemType);
  };
  for (const property of properties) add(property);
  return names;
}
