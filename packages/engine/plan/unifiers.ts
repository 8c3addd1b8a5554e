import { BadRequest } from 'headgate/driver-kit';
import { PassThrough } from '../operators/pass-through.js';
import type { OperatorRegistry } from '../operators/registry.js';
import type { PlanStream } from './logical.js';
import type { PhysicalOperator } from './physical.js';

/** What joins the output of these partitions for one partition of a reader, which `reader` names. */
export function unifierOf(
  sources: readonly PhysicalOperator[],
  stream: PlanStream,
  reader: string,
  registry: OperatorRegistry,
): Omit<PhysicalOperator, 'id' | 'slot'> {
  const [source] = sources;
  if (!source) throw new BadRequest('DEFINITION_NOT_VALID', `The stream ${stream.name} has no source`);
  const className = source.type.outputs[stream.source.port]?.unifier;
  const type = className === undefined ? PassThrough : registry.get(className);
  if (!type)
    throw new BadRequest(
      'DEFINITION_NOT_VALID',
      `${source.type.className} names the unifier ${className}, which is no known class`,
    );
  const parsed = type.properties.safeParse(source.properties);
  if (!parsed.success)
    throw new BadRequest(
      'DEFINITION_NOT_VALID',
      `The unifier ${className} does not take the properties of ${source.type.className}`,
    );
  const name = `${source.name}.${stream.source.port}#unifier`;
  return {
    key: `${name}>${reader}`,
    name,
    type,
    isUnifier: true,
    logical: source.logical,
    properties: parsed.data,
    partition: { index: 0, count: 1 },
  };
}
