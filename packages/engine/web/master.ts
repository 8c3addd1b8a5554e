import { GatewayError, loadPattern, NotFound } from 'headgate/driver-kit';
import { type Answer, type Asked, json, quoted } from './answers.js';
import { done, type MasterFacts, need, only } from './master-facets.js';
import { Changes, Loggers, Named, sent } from './master-inputs.js';
import { physicalRoutes } from './master-physical.js';
import { aggregation, asTexts } from './master-shapes.js';
import { answerBy, type WebRoute } from './routes.js';

/** The paths of a master's web service on YARN, with what this engine knows of them. */
const routes: readonly WebRoute<MasterFacts>[] = [
  ['GET', '', info],
  ['GET', 'info', info],
  ...physicalRoutes,
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
      const levels = await need(master.loggers).levels();
      const pattern = await loadPattern(query.get('pattern') ?? '', 'query.pattern');
      return quoted({ loggers: await pattern.whole(levels, ({ name }) => name) });
    },
  ],
  ['POST', 'shutdown', ({ master }) => done(master.shutdown())],
];

export const masterAnswer = (facts: MasterFacts, asked: Asked): Promise<Answer> =>
  answerBy(routes, facts, asked);

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

const texts = (values: Readonly<Record<string, unknown>>, query: URLSearchParams): Answer =>
  quoted(asTexts(only(values, query.get('attributeName'))));
