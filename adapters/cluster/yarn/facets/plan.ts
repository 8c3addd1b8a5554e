import { z } from 'zod';
import {
  type AttributeReader,
  BadRequest,
  type ChangeRequest,
  InvalidInput,
  type LoggerControl,
  NotFound,
  type OperatorClassReader,
  type PlanEditor,
  TimedOut,
  undefinedIfUnknown,
} from '../../../../lib/index.js';
import type { MasterClient } from '../masters/client.js';
import { withoutSecrets } from '../views/info.js';
import { MasterLogicalPlan } from '../views/logical.js';
import { Text, Values } from '../wire/values.js';

const Refused = z.object({ error: z.string() });

export const planEditorFacet = (master: MasterClient): PlanEditor => ({
  async change(requests, { signal } = {}) {
    // Of what is not there the engine says nothing at all in some requests.
    requireKnownNames(requests, await master.get(MasterLogicalPlan, 'logicalPlan', signal));
    const answer = await master.post('logicalPlan', { requests }, signal, 'slow');
    // With status 200.
    const { error } = Refused.safeParse(answer).data ?? {};
    if (error === undefined) return;
    // A slower change goes on, and nobody is told how it ended.
    if (/timeout/i.test(error)) throw new TimedOut('The change of the plan');
    throw new BadRequest(`The plan can't be changed so: ${error.split('\n')[0]}`, { error });
  },
});

/** Names that earlier requests of the batch make or take away count as they do. */
function requireKnownNames(
  requests: readonly ChangeRequest[],
  plan: { operators: readonly { name: string }[]; streams: readonly { name: string }[] },
): void {
  const operators = new Set(plan.operators.map(({ name }) => name));
  const streams = new Set(plan.streams.map(({ name }) => name));
  const exists = (kind: string, known: ReadonlySet<string>, name: string, path: string) => {
    if (!known.has(name))
      throw new InvalidInput([{ path, message: `there is no ${kind} ${JSON.stringify(name)}` }]);
  };
  for (const [index, request] of requests.entries()) {
    const path = (member: string) => `body.requests.${index}.${member}`;
    switch (request.requestType) {
      case 'CreateOperatorRequest':
        operators.add(request.operatorName);
        break;
      case 'RemoveOperatorRequest':
        exists('operator', operators, request.operatorName, path('operatorName'));
        operators.delete(request.operatorName);
        break;
      case 'CreateStreamRequest':
        exists('operator', operators, request.sourceOperatorName, path('sourceOperatorName'));
        exists('operator', operators, request.sinkOperatorName, path('sinkOperatorName'));
        streams.add(request.streamName);
        break;
      case 'AddStreamSinkRequest':
        exists('stream', streams, request.streamName, path('streamName'));
        exists('operator', operators, request.sinkOperatorName, path('sinkOperatorName'));
        break;
      case 'RemoveStreamRequest':
        exists('stream', streams, request.streamName, path('streamName'));
        streams.delete(request.streamName);
        break;
      case 'SetOperatorPropertyRequest':
        exists('operator', operators, request.operatorName, path('operatorName'));
        break;
    }
  }
}

const WithAttributes = MasterLogicalPlan.extend({ attributes: Values.nullish() });

/** From the plan, which lists defaults too; the calls for attributes list only those that were set. */
export function attributeFacet(master: MasterClient): AttributeReader {
  const plan = (signal: AbortSignal | undefined) => master.get(WithAttributes, 'logicalPlan', signal);
  const operatorOf = async (name: string, signal: AbortSignal | undefined) => {
    const { operators } = await plan(signal);
    const found = operators.find((operator) => operator.name === name);
    if (!found) throw new NotFound('operator', name);
    return found;
  };
  return {
    application: async ({ signal } = {}) => withoutSecrets((await plan(signal)).attributes ?? {}),
    operator: async (name, { signal } = {}) => withoutSecrets((await operatorOf(name, signal)).attributes),
    async port(operatorName, portName, { signal } = {}) {
      const { ports } = await operatorOf(operatorName, signal);
      const found = ports.find(({ name }) => name === portName);
      if (!found)
        throw new NotFound(
          'port',
          portName,
          ports.map(({ name }) => name),
        );
      return withoutSecrets(found.attributes);
    },
  };
}

const Settings = z.object({
  loggers: z.array(
    z.object({
      target: z.string(),
      logLevel: z.enum(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF', 'ALL']).catch('INFO'),
    }),
  ),
});
const Levels = z.object({ loggers: z.array(z.object({ name: z.string(), level: Text })) });

/** Loggers that exist are those of the master's own process; levels reach all containers. */
export const loggerFacet = (master: MasterClient): LoggerControl => ({
  list: async ({ signal } = {}) => (await master.get(Settings, 'loggers', signal)).loggers,
  async set(settings) {
    await master.post('loggers', { loggers: settings });
  },
  levels: async ({ signal } = {}) =>
    (await master.get(Levels, `loggers/search?pattern=${encodeURIComponent('.*')}`, signal)).loggers,
});

const ClassNames = z.object({ operatorClasses: z.array(z.object({ name: z.string() })) });
const Port = z.object({ name: z.string(), optional: z.boolean().default(false) });
const ClassDescription = z.object({
  inputPorts: z.array(Port).default([]),
  outputPorts: z.array(Port).default([]),
  portTypeInfo: z.array(z.object({ name: z.string(), type: z.string() })).default([]),
  properties: z
    .array(
      z.object({
        name: z.string(),
        canGet: z.boolean().default(true),
        canSet: z.boolean().default(true),
        type: Text,
        descriptions: z.record(z.string(), z.string()).nullish(),
      }),
    )
    .default([]),
});

/** The first question makes a master look through everything that it has loaded, which takes a while. */
export const operatorClassFacet = (master: MasterClient): OperatorClassReader => ({
  async list(query, { signal } = {}) {
    const path = `operatorClasses?${new URLSearchParams({ ...query })}`;
    const found = await master.get(ClassNames, path, signal, 'slow').catch(undefinedIfUnknown);
    if (!found) throw new NotFound('operator class', query.parent ?? '');
    return found.operatorClasses.map(({ name }) => name);
  },
  async describe(className, { signal } = {}) {
    const path = `operatorClasses/${encodeURIComponent(className)}`;
    const found = await master.get(ClassDescription, path, signal, 'slow').catch(undefinedIfUnknown);
    if (!found) throw new NotFound('operator class', className);
    const types = new Map(found.portTypeInfo.map(({ name, type }) => [name, type]));
    const typed = (port: z.output<typeof Port>) => {
      const type = types.get(port.name);
      return { ...port, ...(type === undefined ? {} : { type }) };
    };
    return {
      inputPorts: found.inputPorts.map(typed),
      outputPorts: found.outputPorts.map(typed),
      properties: found.properties.map(({ descriptions, ...property }) => {
        const description = descriptions?.['$'];
        return { ...property, ...(description === undefined ? {} : { description }) };
      }),
    };
  },
});
