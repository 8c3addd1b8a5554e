import { setTimeout as delay } from 'node:timers/promises';
import {
  type AttributeReader,
  BadRequest,
  type ChangeRequest,
  type InputIssue,
  InvalidInput,
  type LoggerControl,
  NotFound,
  type PlanEditor,
  requireNamed,
  TimedOut,
} from 'headgate/driver-kit';
import * as z from 'zod';
import type { MasterClient } from '../masters/client.js';
import { withoutSecrets } from '../views/info.js';
import { MasterLogicalPlan } from '../views/logical.js';
import { Text, Values } from '../wire/values.js';
import { describeClass } from './operator-classes.js';
import { isReached, type Outcome, outcomeOf, type Plan } from './plan-outcome.js';
import { kindOfDeclared } from './property-kinds.js';

const Refused = z.object({ error: z.string() });

export const planEditorFacet = (master: MasterClient): PlanEditor => ({
  async change(requests, { signal } = {}) {
    // Of what is not there the engine says nothing at all in some requests.
    const before = await master.get(MasterLogicalPlan, 'logicalPlan', signal);
    requireKnownNames(requests, before);
    await requireFittingProperties(master, requests, signal);
    const answer = await master.post('logicalPlan', { requests }, signal, 'slow');
    // With status 200.
    const { error } = Refused.safeParse(answer).data ?? {};
    if (error === undefined) return;
    if (/timeout/i.test(error)) return untilReached(master, outcomeOf(requests), before, signal);
    throw new BadRequest('ENGINE_REFUSED', `The plan can't be changed so: ${error.split('\n')[0]}`, {
      error,
    });
  },
});

/** Milliseconds. */
const lookEvery = 500;

/** A slower change goes on, and nobody is told how it ended: for as long as somebody waits, the plan is looked at. */
async function untilReached(
  master: MasterClient,
  outcome: Outcome,
  before: Plan,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (isReached(outcome, before)) throw new TimedOut('The change of the plan');
  for (;;) {
    signal?.throwIfAborted();
    await delay(lookEvery, undefined, signal ? { signal } : {});
    const now = await master.get(MasterLogicalPlan, 'logicalPlan', signal, 'slow');
    if (isReached(outcome, now)) return;
  }
}

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

type Setting = Extract<ChangeRequest, { requestType: 'SetOperatorPropertyRequest' }>;

/** Only operators that the batch creates are set up in it, by a bean that takes unknown names and bad numbers in silence. */
async function requireFittingProperties(
  master: MasterClient,
  requests: readonly ChangeRequest[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const created = new Map<string, string>();
  const issues: InputIssue[] = [];
  for (const [index, request] of requests.entries()) {
    if (request.requestType === 'CreateOperatorRequest')
      created.set(request.operatorName, request.operatorFQCN);
    if (request.requestType !== 'SetOperatorPropertyRequest') continue;
    const className = created.get(request.operatorName);
    if (className === undefined)
      throw new InvalidInput([
        {
          path: `body.requests.${index}.operatorName`,
          message: `${request.operatorName} runs already: change its properties by POST logicalPlan/operators/${request.operatorName}/properties`,
        },
      ]);
    const issue = problemOf(request, await describeClass(master, className, signal));
    if (issue) issues.push({ ...issue, path: `body.requests.${index}.${issue.path}` });
  }
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Of a class that the master can't describe it decides itself. */
function problemOf(
  { propertyName, propertyValue }: Setting,
  description: Awaited<ReturnType<typeof describeClass>>,
): InputIssue | undefined {
  if (!description) return undefined;
  const settable = description.properties.filter(({ canSet }) => canSet);
  const property = settable.find(({ name }) => name === propertyName);
  if (!property)
    return {
      path: 'propertyName',
      message: `there is no property ${JSON.stringify(propertyName)} to be set; there are ${settable.map(({ name }) => name).join(', ')}`,
    };
  const kind = kindOfDeclared(property);
  return !kind || kind.fits(propertyValue)
    ? undefined
    : { path: 'propertyValue', message: `expected ${kind.name} for ${propertyName}` };
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
      return withoutSecrets(requireNamed(ports, 'port', portName).attributes);
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
