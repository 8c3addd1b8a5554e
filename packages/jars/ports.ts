import type { OperatorClassDesc } from 'headgate/driver-kit';
import type { AnnotationValues } from './annotations.js';
import type { FieldDetails } from './class-details.js';
import type { Documentation } from './documentation.js';
import { type JavaType, objectType } from './java-type.js';
import { type Classes, type Lineage, lineageOf } from './lineage.js';
import { describeType, type Replacements } from './type-description.js';

type Ports = Pick<OperatorClassDesc, 'inputPorts' | 'outputPorts'>;

const portTypes = {
  input: 'com.datatorrent.api.Operator$InputPort',
  output: 'com.datatorrent.api.Operator$OutputPort',
};
const annotationTypes = [
  'com.datatorrent.api.annotation.InputPortFieldAnnotation',
  'com.datatorrent.api.annotation.OutputPortFieldAnnotation',
];

/** Fields of any visibility whose types are ports, inherited ones too; of one name the nearest counts. Sorted by name. */
export function portsOf(lineage: Lineage, classes: Classes, documentation: Documentation): Ports {
  const fields = new Map<string, FieldDetails>();
  for (const { fields: own } of lineage.details) {
    for (const field of own) {
      const isPort = Object.values(portTypes).some((type) => classes.graph.isA(field.className, type));
      if (isPort && !fields.has(field.name)) fields.set(field.name, field);
    }
  }
  const sorted = [...fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const ports = (type: string, isOptionalByDefault: boolean) =>
    sorted
      .filter((field) => classes.graph.isA(field.className, type))
      .map((field) => {
        const annotation = annotationOf(field);
        const description = documentation.field(lineage, field.name);
        return {
          name: field.name,
          ...describeType(
            tupleType(field, classes),
            tupleReplacements(field, lineage, classes),
            classes.graph.isA,
          ),
          optional: flagOf(annotation, 'optional') ?? isOptionalByDefault,
          ...(description === undefined ? {} : { description }),
          ...(flagOf(annotation, 'schemaRequired') ? { schemaRequired: true } : {}),
          ...(flagOf(annotation, 'error') ? { error: true } : {}),
        };
      });
  return { inputPorts: ports(portTypes.input, false), outputPorts: ports(portTypes.output, true) };
}

const annotationOf = ({ annotations }: FieldDetails): AnnotationValues | undefined =>
  annotationTypes.map((type) => annotations.get(type)).find((values) => values !== undefined);

function flagOf(annotation: AnnotationValues | undefined, name: string): boolean | undefined {
  const value = annotation?.get(name);
  return typeof value === 'boolean' ? value : undefined;
}

/** What the port carries: the argument of its type, or of the first type above that has one. */
function tupleType({ type, className }: FieldDetails, classes: Classes): JavaType {
  if (type.kind === 'class' && type.args[0]) return type.args[0];
  for (const { supertypes } of lineageOf(className, classes).details) {
    const [arg] = supertypes.flatMap((supertype) => (supertype.kind === 'class' ? supertype.args : []));
    if (arg) return arg;
  }
  return objectType;
}

/** A class of ports of its own may leave its type to what extends it. */
function tupleReplacements({ className }: FieldDetails, lineage: Lineage, classes: Classes): Replacements {
  const own = lineageOf(className, classes).replacements;
  return own.size === 0 ? lineage.replacements : new Map([...own, ...lineage.replacements]);
}
