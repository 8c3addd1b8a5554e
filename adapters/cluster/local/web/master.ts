import {
  type ApplicationReport,
  BadRequest,
  compilePattern,
  GatewayError,
  type Master,
  NotFound,
  type PhysOperator,
} from '../../../../lib/index.js';
import { type Answer, type Asked, json, quoted } from './answers.js';
import { Changes, Loggers, Named, sent, Windows } from './master-inputs.js';
import { aggregation, asTexts, containerInfo, operatorInfo } from './master-shapes.js';
import { answerBy, type WebRoute } from './routes.js';

/** A running application as its own web service tells it. */
export interface MasterFacts {
  readonly report: ApplicationReport;
  readonly master: Master;
}

/** `engine-on-yarn.md` 2.1, with what this engine knows of it. */
const routes: readonly WebRoute<MasterFacts>[] = [
  ['GET', '', info],
  ['GET', 'info', info],
  [
    'GET',
    'physicalPlan',
    async ({ master }) => {
      const { operators, streams } = await master.physicalPlan();
      return quoted({ operators: operators.map(operatorInfo), streams });
    },
  ],
  [
    'GET',
    'physicalPlan/operators',
    async ({ master }) => {
      const { operators } = await master.physicalPlan();
      return quoted({ operators: operators.map(operatorInfo) });
    },
  ],
  [
    'GET',
    'physicalPlan/operators/:id',
    async (facts, _, id) => quoted(operatorInfo(await operatorOf(facts, id))),
  ],
  [
    'GET',
    'physicalPlan/operators/:id/ports',
    async (facts, _, id) => quoted({ ports: (await operatorOf(facts, id)).ports }),
  ],
  [
    'GET',
    'physicalPlan/operators/:id/ports/:port',
    async (facts, _, id, port) => {
      const found = (await operatorOf(facts, id)).ports.find(({ name }) => name === port);
      if (!found) throw new NotFound('port', String(port));
      return quoted(found);
    },
  ],
  // Real numbers here, unlike anywhere else.
  [
    'GET',
    'physicalPlan/operators/:id/properties',
    async ({ master }, { query }, id) =>
      json(only(await need(master.properties).readOperator(id ?? ''), query.get('propertyName'))),
  ],
  [
    'POST',
    'physicalPlan/operators/:id/properties',
    ({ master }, { body }, id) => done(need(master.properties).writeOperator(id ?? '', sent(Named, body))),
  ],
  ['POST', 'physicalPlan/operators/:id/recordings/start', startRecording],
  [
    'POST',
    'physicalPlan/operators/:id/recordings/stop',
    ({ master }, _, id) => done(need(master.recorder).stop(id ?? '', {})),
  ],
  ['POST', 'physicalPlan/operators/:id/ports/:port/recordings/start', startRecording],
  [
    'POST',
    'physicalPlan/operators/:id/ports/:port/recordings/stop',
    ({ master }, _, id, portName = '') => done(need(master.recorder).stop(id ?? '', { portName })),
  ],
  [
    'GET',
    'physicalPlan/streams',
    async ({ master }) => quoted({ streams: (await master.physicalPlan()).streams }),
  ],
  [
    'GET',
    'physicalPlan/containers',
    async ({ master }, { query }) => {
      const states = query.get('states')?.split(',');
      const containers = await master.containers();
      return quoted({
        containers: containers.filter(({ state }) => !states || states.includes(state)).map(containerInfo),
      });
    },
  ],
  [
    'GET',
    'physicalPlan/containers/:id',
    async ({ master }, _, id) => {
      const found = (await master.containers()).find((container) => container.id === id);
      if (!found) throw new NotFound('container', String(id));
      return quoted(containerInfo(found));
    },
  ],
  [
    'GET',
    'physicalPlan/containers/:id/stackTrace',
    async ({ master }, _, id) => {
      const { threads } = await need(need(master.containerControl).stackTrace)(id ?? '');
      return json({ threads: threads.map((thread) => ({ ...thread, id: Number(thread.id) })) });
    },
  ],
  [
    'POST',
    'physicalPlan/containers/:id/kill',
    ({ master }, _, id) => done(need(master.containerControl).kill(id ?? '')),
  ],
  [
    'GET',
    'logicalPlan',
    async ({ master }) =>
      quoted({ ...(await master.logicalPlan()), attributes: await need(master.attributes).application() }),
  ],
  ['POST', 'logicalPlan', changePlan],
  [
    'GET',
    'logicalPlan/attributes',
    async ({ master }, { query }) => texts(await need(master.attributes).application(), query),
  ],
  [
    'GET',
    'logicalPlan/operators',
    async ({ master }) => quoted({ operators: await master.logicalOperators() }),
  ],
  ['GET', 'logicalPlan/operators/:name', async (facts, _, name) => quoted(await logicalOf(facts, name))],
  [
    'GET',
    'logicalPlan/operators/:name/aggregation',
    async (facts, _, name) => {
      await logicalOf(facts, name);
      const { operators } = await facts.master.physicalPlan();
      return quoted(
        aggregation(
          name ?? '',
          operators.filter(({ logicalName, isUnifier }) => logicalName === name && !isUnifier),
        ),
      );
    },
  ],
  [
    'GET',
    'logicalPlan/operators/:name/properties',
    async ({ master }, { query }, name) =>
      quoted(only(await need(master.properties).readLogical(name ?? ''), query.get('propertyName'))),
  ],
  [
    'POST',
    'logicalPlan/operators/:name/properties',
    ({ master }, { body }, name) => done(need(master.properties).writeLogical(name ?? '', sent(Named, body))),
  ],
  [
    'GET',
    'logicalPlan/operators/:name/attributes',
    async ({ master }, { query }, name) => texts(await need(master.attributes).operator(name ?? ''), query),
  ],
  [
    'GET',
    'logicalPlan/operators/:name/ports',
    async (facts, _, name) =>
      quoted({ ports: (await portsOf(facts, name)).map(({ name, type }) => ({ name, type })) }),
  ],
  [
    'GET',
    'logicalPlan/operators/:name/ports/:port',
    async (facts, _, name, port) => {
      const found = (await portsOf(facts, name)).find((one) => one.name === port);
      if (!found) throw new NotFound('port', String(port));
      return quoted({ name: found.name, type: found.type });
    },
  ],
  [
    'GET',
    'logicalPlan/operators/:name/ports/:port/attributes',
    async ({ master }, { query }, name, port) =>
      texts(await need(master.attributes).port(name ?? '', port ?? ''), query),
  ],
  [
    'GET',
    'operatorClasses',
    async ({ master }, { query }) => {
      const [parent, q] = [query.get('parent'), query.get('q')];
      const names = await need(master.operatorClasses).list({
        ...(parent === null ? {} : { parent }),
        ...(q === null ? {} : { q }),
      });
      return quoted({ operatorClasses: names.map((name) => ({ name })) });
    },
  ],
  [
    'GET',
    'operatorClasses/:name',
    async ({ master }, _, name) => quoted(await need(master.operatorClasses).describe(name ?? '')),
  ],
  ['GET', 'loggers', async ({ master }) => quoted({ loggers: await need(master.loggers).list() })],
  ['POST', 'loggers', ({ master }, { body }) => done(need(master.loggers).set(sent(Loggers, body).loggers))],
  [
    'GET',
    'loggers/search',
    async ({ master }, { query }) => {
      const pattern = compilePattern(query.get('pattern') ?? '', 'query.pattern');
      return quoted({
        loggers: await pattern.whole(await need(master.loggers).levels(), ({ name }) => name),
      });
    },
  ],
  ['POST', 'shutdown', ({ master }) => done(master.shutdown())],
];

export const masterAnswer = (facts: MasterFacts, asked: Asked): Promise<Answer> =>
  answerBy(routes, facts, asked);

/** This engine has all of them. */
function need<T>(facet: T | undefined): T {
  if (facet === undefined) throw new BadRequest('The engine can not do this');
  return facet;
}

async function done(work: Promise<void>): Promise<Answer> {
  await work;
  return json({});
}

async function info({ report, master }: MasterFacts): Promise<Answer> {
  const { dataSources, connectedToThisGateway: _, attributes, ...more } = await master.info();
  return quoted({
    id: report.id,
    name: report.name,
    user: report.user,
    startTime: report.startedTime,
    elapsedTime: report.elapsedTime,
    ...more,
    appDataSources: dataSources,
    attributes: asTexts(attributes),
  });
}

async function operatorOf({ master }: MasterFacts, id: string | undefined): Promise<PhysOperator> {
  const found = (await master.physicalPlan()).operators.find((operator) => operator.id === id);
  if (!found) throw new NotFound('operator', String(id));
  return found;
}

async function logicalOf({ master }: MasterFacts, name: string | undefined) {
  const found = (await master.logicalOperators()).find((operator) => operator.name === name);
  if (!found) throw new NotFound('operator', String(name));
  return found;
}

async function portsOf({ master }: MasterFacts, name: string | undefined) {
  const found = (await master.logicalPlan()).operators.find((operator) => operator.name === name);
  if (!found) throw new NotFound('operator', String(name));
  return found.ports;
}

async function startRecording(
  { master }: MasterFacts,
  { body }: Asked,
  id = '',
  portName?: string,
): Promise<Answer> {
  const { numWindows } = sent(Windows, body);
  const what = {
    ...(portName === undefined ? {} : { portName }),
    ...(numWindows === undefined ? {} : { numWindows }),
  };
  return json({ id: await need(master.recorder).start(id, what) });
}

/** What is wrong with a change comes with status 200, as the engine on a cluster says it. */
async function changePlan({ master }: MasterFacts, { body }: Asked): Promise<Answer> {
  const { requests } = sent(Changes, body);
  try {
    await need(master.planEditor).change(requests);
    return json({});
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) return json({ error: error.message });
    throw error;
  }
}

const only = (
  values: Readonly<Record<string, unknown>>,
  name: string | null,
): Readonly<Record<string, unknown>> =>
  name === null ? values : Object.hasOwn(values, name) ? { [name]: values[name] } : {};

const texts = (values: Readonly<Record<string, unknown>>, query: URLSearchParams): Answer =>
  quoted(asTexts(only(values, query.get('attributeName'))));
