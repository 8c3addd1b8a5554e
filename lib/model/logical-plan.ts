import * as z from 'zod';
import { StatsExtent } from './containers.js';
import { Locality, PhysPort } from './physical-plan.js';
import { quantity } from './quantity.js';

const Values = z.record(z.string(), z.unknown());
const LogicalEnd = z.object({ operatorName: z.string(), portName: z.string() });

/** `properties` holds `class`. Keys that the application's author added come back. */
export const LogicalPlan = z
  .object({
    operators: z.array(
      z.looseObject({
        name: z.string(),
        class: z.string(),
        attributes: Values,
        ports: z.array(z.object({ name: z.string(), type: z.enum(['input', 'output']), attributes: Values })),
        properties: Values,
      }),
    ),
    streams: z.array(
      z.looseObject({
        name: z.string(),
        locality: Locality.nullable(),
        source: LogicalEnd,
        sinks: z.array(LogicalEnd),
      }),
    ),
  })
  .meta({ id: 'LogicalPlan' });
export type LogicalPlan = z.output<typeof LogicalPlan>;

export const LogicalOperator = z
  .object({
    name: z.string(),
    className: z.string(),
    containerIds: z.array(z.string()),
    hosts: z.array(z.string()),
    partitions: z.array(z.string()).describe('ids of physical operators'),
    unifiers: z.array(z.string()).describe('ids of unifiers'),
    cpuPercentageMA: quantity('percent').optional(),
    currentWindowId: z.string().optional().describe('absent: the engine has no windows'),
    recoveryWindowId: z.string().optional().describe('absent: the engine has no windows'),
    failureCount: quantity('failures'),
    lastHeartbeat: quantity('epoch ms'),
    latencyMA: quantity('ms').optional(),
    status: z.record(z.string(), quantity('operators')).describe('state name to count'),
    totalTuplesEmitted: quantity('tuples').optional(),
    totalTuplesProcessed: quantity('tuples').optional(),
    tuplesEmittedPSMA: quantity('tuples/s').optional(),
    tuplesProcessedPSMA: quantity('tuples/s').optional(),
    counters: z.record(z.string(), z.unknown()).optional(),
    autoMetrics: z.record(z.string(), z.unknown()).nullable().optional(),
    checkpointTimeMA: quantity('ms').optional(),
  })
  .meta({ id: 'LogicalOperator' });
export type LogicalOperator = z.output<typeof LogicalOperator>;
export const LogicalOperatorList = z.object({ operators: z.array(LogicalOperator) });
export type LogicalOperatorList = z.output<typeof LogicalOperatorList>;
export const OperatorName = z.object({ appid: z.string(), opName: z.string() });
export const LogicalPortName = OperatorName.extend({ portName: z.string() });

/** Attribute name to value. */
export const AttributeValues = Values.meta({ id: 'AttributeValues' });
export type AttributeValues = z.output<typeof AttributeValues>;
export const AttributeQuery = z.object({
  attributeName: z.string().exactOptional().describe('only this one'),
});

const Name = z
  .string()
  .min(1)
  .max(128, { abort: true })
  .regex(/^[^.]+$/, 'names hold no dots');

/** One change of a running plan. */
export const ChangeRequest = z
  .discriminatedUnion('requestType', [
    z.object({
      requestType: z.literal('AddStreamSinkRequest'),
      streamName: z.string(),
      sinkOperatorName: z.string(),
      sinkOperatorPortName: z.string(),
    }),
    z.object({
      requestType: z.literal('CreateOperatorRequest'),
      operatorName: Name,
      operatorFQCN: z.string(),
    }),
    z.object({
      requestType: z.literal('CreateStreamRequest'),
      streamName: Name,
      sourceOperatorName: z.string(),
      sourceOperatorPortName: z.string(),
      sinkOperatorName: z.string(),
      sinkOperatorPortName: z.string(),
    }),
    z.object({ requestType: z.literal('RemoveOperatorRequest'), operatorName: z.string() }),
    z.object({ requestType: z.literal('RemoveStreamRequest'), streamName: z.string() }),
    z.object({
      requestType: z.literal('SetOperatorPropertyRequest'),
      operatorName: z.string(),
      propertyName: z.string(),
      propertyValue: z.string(),
    }),
  ])
  .meta({ id: 'ChangeRequest' });
export type ChangeRequest = z.output<typeof ChangeRequest>;
export const PlanChange = z
  .object({ requests: z.array(ChangeRequest).min(1).max(1000) })
  .meta({ id: 'PlanChange' });

export const OperatorStatsMeta = z
  .object({
    appId: z.string(),
    operatorName: z.string(),
    operatorIds: z.array(z.string()),
    ...StatsExtent,
  })
  .meta({ id: 'OperatorStatsMeta' });
export type OperatorStatsMeta = z.output<typeof OperatorStatsMeta>;

export const OperatorStats = z
  .object({
    operatorId: z.string(),
    timestamp: quantity('epoch ms').describe('epoch milliseconds'),
    stats: z.looseObject({
      container: z.string().nullable(),
      host: z.string().nullable(),
      totalTuplesProcessed: quantity('tuples').optional(),
      totalTuplesEmitted: quantity('tuples').optional(),
      tuplesProcessedPSMA: quantity('tuples/s').optional(),
      tuplesEmittedPSMA: quantity('tuples/s').optional(),
      cpuPercentageMA: quantity('percent').optional(),
      latencyMA: quantity('ms').optional(),
      ports: z.array(PhysPort),
    }),
  })
  .meta({ id: 'OperatorStats' });
export type OperatorStats = z.output<typeof OperatorStats>;
export const OperatorStatsList = z.object({ operatorStats: z.array(OperatorStats) });

/** What a JVM engine tells of a generic type beside its class. All absent elsewhere. */
export interface TypeDescription {
  type?: string | undefined;
  uiType?: string | undefined;
  typeArgs?: TypeDescription[] | undefined;
  itemType?: TypeDescription | undefined;
  typeLiteral?: string | undefined;
  typeBounds?: { upper: string[]; lower: string[] } | undefined;
}
const typeDetails = {
  uiType: z.string().optional().describe('what to edit values with: List, Map, Enum, char, boolean'),
  typeArgs: z.array(z.lazy(() => TypeDescription)).optional(),
  itemType: z
    .lazy(() => TypeDescription)
    .optional()
    .describe('of an array'),
  typeLiteral: z.string().optional().describe('name of the type variable; `type` is its bound'),
  typeBounds: z
    .object({ upper: z.array(z.string()), lower: z.array(z.string()) })
    .optional()
    .describe('of a wildcard'),
};
export const TypeDescription: z.ZodType<TypeDescription> = z
  .lazy(() => z.object({ type: z.string().optional(), ...typeDetails }))
  .meta({ id: 'TypeDescription' });

/** A property of an operator class; `properties` describes a nested object. */
export interface PropertyDescription extends TypeDescription {
  name: string;
  canGet: boolean;
  canSet: boolean;
  type: string;
  description?: string | undefined;
  values?: string[] | undefined;
  properties?: PropertyDescription[] | undefined;
}
export const PropertyDescription: z.ZodType<PropertyDescription> = z.lazy(() =>
  z.object({
    name: z.string(),
    canGet: z.boolean(),
    canSet: z.boolean(),
    type: z.string(),
    ...typeDetails,
    description: z.string().optional(),
    values: z.array(z.string()).optional().describe('of an enumeration: all that there are'),
    properties: z.array(PropertyDescription).optional(),
  }),
);

const PortDescription = z.object({
  name: z.string(),
  optional: z.boolean(),
  type: z.string().optional(),
  ...typeDetails,
  description: z.string().optional(),
  schemaRequired: z.boolean().optional().describe('its stream must name a class of tuples'),
  error: z.boolean().optional().describe('carries what could not be processed'),
});
export const OperatorClassDesc = z
  .object({
    category: z.string().exactOptional(),
    inputPorts: z.array(PortDescription),
    outputPorts: z.array(PortDescription),
    properties: z.array(PropertyDescription),
  })
  .meta({ id: 'OperatorClassDesc' });
export type OperatorClassDesc = z.output<typeof OperatorClassDesc>;

/** Free keys, as a console's `x` and `y`, are kept. */
const definitionOf = <
  Name extends z.ZodType,
  ClassName extends z.ZodType,
  Locality extends z.ZodType,
  End extends z.ZodType,
  Ports extends z.ZodType,
  Sinks extends z.ZodType,
>(leaves: {
  readonly name: Name;
  readonly className: ClassName;
  readonly locality: Locality;
  readonly end: End;
  readonly ports: Ports;
  readonly sinks: Sinks;
}) =>
  z.looseObject({
    kind: z.literal('operators').optional().describe('of operators; one of statements is SqlApplication'),
    displayName: z.string().optional(),
    description: z.string().optional(),
    attributes: Values.optional(),
    operators: z
      .array(
        z.looseObject({
          name: leaves.name,
          class: leaves.className,
          attributes: Values.optional(),
          ports: leaves.ports.optional(),
          properties: Values.optional(),
        }),
      )
      .max(1000),
    streams: z
      .array(
        z.looseObject({
          name: leaves.name.optional().describe('stream-{i} when absent'),
          locality: leaves.locality.nullable().optional(),
          source: leaves.end,
          sinks: leaves.sinks,
        }),
      )
      .max(5000),
  });

const portsOf = <Name extends z.ZodType>(name: Name) =>
  z.array(z.looseObject({ name, attributes: Values.optional() }));

const Text = z.string().max(1024);
const DefinedEnd = z.looseObject({ operatorName: Text, portName: Text });

/** What may be kept as the definition of a JSON application: a console saves it long before it can run. */
export const ApplicationDefinition = definitionOf({
  name: Text,
  className: Text,
  locality: Text,
  end: DefinedEnd,
  ports: portsOf(Text).max(1000),
  sinks: z.array(DefinedEnd).max(1000),
}).meta({ id: 'ApplicationDefinition' });
export type ApplicationDefinition = z.output<typeof ApplicationDefinition>;

/** One that can run, as far as its form goes. */
export const JsonApplication = definitionOf({
  name: Name,
  className: z.string().min(1),
  locality: Locality,
  end: LogicalEnd,
  ports: portsOf(Name),
  sinks: z.array(LogicalEnd).min(1),
}).meta({ id: 'JsonApplication' });
export type JsonApplication = z.output<typeof JsonApplication>;
