import type { OperatorClassDesc } from 'headgate/driver-kit';
import * as z from 'zod';
import { Text } from '../wire/values.js';

const Port = z.object({ name: z.string(), optional: z.boolean().default(false) });
const Property = z.object({
  name: z.string(),
  canGet: z.boolean().default(true),
  canSet: z.boolean().default(true),
  type: Text,
  /** `Enum`, `List`, `Map`. */
  uiType: Text,
  /** Of an array. */
  itemType: z.unknown().optional(),
  descriptions: z.record(z.string(), z.string()).nullish(),
});
export type DeclaredProperty = Pick<
  z.output<typeof Property>,
  'name' | 'canGet' | 'canSet' | 'type' | 'uiType' | 'itemType'
>;
/** A class of operators, as a master describes it. */
export const ClassDescription = z.object({
  inputPorts: z.array(Port).default([]),
  outputPorts: z.array(Port).default([]),
  portTypeInfo: z.array(z.object({ name: z.string(), type: z.string() })).default([]),
  properties: z.array(Property).default([]),
});

/** The types of ports stand apart from them, and descriptions under keys of the engine's own. */
export function classView(found: z.output<typeof ClassDescription>): OperatorClassDesc {
  const types = new Map(found.portTypeInfo.map(({ name, type }) => [name, type]));
  const typed = (port: z.output<typeof Port>) => {
    const type = types.get(port.name);
    return { ...port, ...(type === undefined ? {} : { type }) };
  };
  return {
    inputPorts: found.inputPorts.map(typed),
    outputPorts: found.outputPorts.map(typed),
    properties: found.properties.map(({ descriptions, uiType: _, itemType: __, ...property }) => {
      const description = descriptions?.['$'];
      return { ...property, ...(description === undefined ? {} : { description }) };
    }),
  };
}
