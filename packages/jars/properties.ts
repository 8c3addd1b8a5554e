import type { PropertyDescription } from 'headgate/driver-kit';
import type { Accessor } from './class-details.js';
import type { Documentation } from './documentation.js';
import type { Classes, Lineage } from './lineage.js';
import { describeType } from './type-description.js';

/** What these classes have is the engine's business, in whatever class it is overridden. */
const engineOwn = [
  'java.lang.Object',
  'java.lang.Enum',
  'com.datatorrent.api.Operator',
  'com.datatorrent.api.Component',
  'com.datatorrent.common.util.BaseOperator',
];
const engineOwnMethods = new Set(['getClass', 'getDeclaringClass', 'setup']);

/** By getters and setters, inherited ones too, sorted by name (engine: `TypeGraph`). */
export function propertiesOf(
  lineage: Lineage,
  classes: Classes,
  documentation: Documentation,
): PropertyDescription[] {
  const found = new Map<string, Accessor[]>();
  for (const { name, accessors } of lineage.details) {
    if (engineOwn.includes(name)) continue;
    for (const accessor of accessors) {
      if (engineOwnMethods.has(accessor.method)) continue;
      const known = found.get(accessor.property);
      if (known) known.push(accessor);
      else found.set(accessor.property, [accessor]);
    }
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, accessors]) => property(name, accessors, lineage, classes, documentation));
}

function property(
  name: string,
  accessors: readonly Accessor[],
  lineage: Lineage,
  { graph }: Classes,
  documentation: Documentation,
): PropertyDescription[] {
  const getters = accessors.filter(({ is }) => is === 'getter');
  const setters = accessors.filter(({ is }) => is === 'setter');
  const type = setters.at(-1)?.type ?? getters[0]?.type;
  if (!type) return [];
  const texts = documentation.property(lineage, { getter: getters[0]?.method, setter: setters[0]?.method });
  if (texts.isHidden) return [];
  return [
    {
      name,
      canGet: getters.length > 0,
      canSet: setters.length > 0,
      ...typed(describeType(type, lineage.replacements, graph.isA)),
      ...(texts.description === undefined ? {} : { description: texts.description }),
    },
  ];
}

const typed = ({ type = 'java.lang.Object', ...more }: ReturnType<typeof describeType>) => ({
  type,
  ...more,
});
