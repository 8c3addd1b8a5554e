import { join } from 'node:path';
import t from 'tap';
import type { Client } from '../../../lib/client.js';
import type { HostLaunch } from '../../../lib/index.js';
import { engineGateway, untilItRuns, untilState, words } from '../../helpers/applications.js';
import { as } from '../../helpers/people.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { until } from '../../helpers/waiting.js';

// App Data from outside: a client finds the source of a running application, asks it and hears its results.

const table = (properties: object = {}, attributes: object = {}): HostLaunch => {
  const { application, ...rest } = words('words');
  return {
    ...rest,
    application: {
      ...application,
      operators: [
        ...application.operators,
        {
          name: 'table',
          class: 'headgate.io.SnapshotServer',
          properties: {
            fields: [
              { name: 'key', type: 'string' },
              { name: 'count', type: 'long' },
            ],
            collect: 'key',
            key: 'key',
            ...properties,
          },
          attributes: { ...attributes },
        },
      ],
      streams: application.streams.map((stream) =>
        stream.name === 'counts'
          ? { ...stream, sinks: [...stream.sinks, { operatorName: 'table', portName: 'input' }] }
          : stream,
      ),
    },
  };
};

/** The operator as the page calls it. */
const renamed = (application: HostLaunch['application']): HostLaunch['application'] =>
  JSON.parse(JSON.stringify(application).replaceAll('"table"', '"paths"'));

interface Result {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>[];
  readonly countdown?: number;
}

/** Asks, and gathers the results on the topic of this query. */
function asker(client: Client, source: { query: string; result: string }) {
  let next = 0;
  return (query: object): Result[] => {
    const id = `q${next++}`;
    const results: Result[] = [];
    client.subscribe(`${source.result}.${id}`, (data) => results.push(data as Result));
    client.publish(source.query, { ...query, id });
    return results;
  };
}

t.test('a client finds the data of an application, asks, and hears the results', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch(table());
  const params = { appid };
  await untilItRuns(client, appid);

  const { appDataSources } = await client.getApplication({ params });
  const topics = { query: `appData.${appid}.table.query`, result: `appData.${appid}.table.result` };
  t.strictSame(appDataSources, [
    {
      name: 'table.query',
      type: 'dag',
      operatorName: 'table',
      portName: 'query',
      query: { operatorName: 'table', url: 'pubsub', topic: topics.query },
      result: { operatorName: 'table', url: 'pubsub', topic: topics.result, appendQIDToTopic: true },
      schemaKeys: null,
    },
  ]);

  const ask = asker(newClient(as('bob')), topics);
  const schema = ask({ type: 'schemaQuery' });
  await until(
    async () => schema,
    ({ length }) => length > 0,
  );
  t.strictSame(schema, [
    {
      id: 'q0',
      type: 'schemaResult',
      data: [
        {
          schemaType: 'snapshot',
          schemaVersion: '1.0',
          values: [
            { name: 'key', type: 'string' },
            { name: 'count', type: 'long' },
          ],
        },
      ],
    },
  ]);

  const whole = ask({ type: 'dataQuery', incompleteResultOK: false });
  const four = ask({ type: 'dataQuery', countdown: 4, data: { fields: ['key'] } });
  ask({ type: 'dataQuery', data: { fields: ['absent'] } });
  await until(
    async () => four,
    ({ length }) => length >= 4,
  );
  t.strictSame(
    four.map(({ countdown }) => countdown),
    [4, 3, 2, 1],
  );
  t.strictSame(
    four
      .at(-1)
      ?.data.map(({ key }) => key)
      .sort(),
    ['gate', 'head'],
    'one row for each word',
  );
  t.match(whole, [{ type: 'dataResult', data: [{ key: String, count: Number }] }]);
  const answers = await until(
    async () => (await client.getPhysicalPlan({ params })).operators.find(({ name }) => name === 'table'),
    (operator) => Number(operator?.counters?.['ignored']) > 0 && operator?.counters?.['open'] === 0,
  );
  t.match(answers?.counters, { queries: 3, ignored: 1, open: 0, refused: 0 });
  t.equal(four.length, 4, 'and not one more');

  await client.killApplication({ params });
  await untilState(client, appid, 'KILLED');
  t.strictSame((await client.getApplication({ params })).appDataSources, [], 'nobody answers any more');
});

t.test('the example of the page about operators', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch({ ...table(), application: renamed(table().application) });
  await untilItRuns(client, appid);
  const page = join(import.meta.dirname, '../../../../docs/operators.md');
  const code = snippetsOf(page).find(({ attributes }) => attributes['example'] === 'client')?.text ?? '';
  const shown: [unknown, number][] = [];
  const show = (data: unknown, countdown: number) => shown.push([data, countdown]);
  await new Function('client', 'appid', 'show', `return (async () => {${code}})()`)(client, appid, show);
  await until(
    async () => shown,
    ({ length }) => length >= 20,
  );
  t.match(shown.at(-1), [[{ key: String, count: Number }], 1]);
});

t.test('queries work again after the container was killed, and open ones go on', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch(table({ queryTopic: 'shop.words', resultTopic: 'shop.counts' }));
  const params = { appid };
  await untilItRuns(client, appid);
  const ask = asker(newClient(as('bob')), { query: 'shop.words', result: 'shop.counts' });
  const long = ask({ type: 'dataQuery', countdown: 600 });
  await until(
    async () => long,
    ({ length }) => length > 0,
  );

  const operator = async () =>
    (await client.getPhysicalPlan({ params })).operators.find(({ name }) => name === 'table');
  const before = await until(operator, (now) => Number(now?.counters?.['open']) > 0);
  const window = BigInt(before?.currentWindowId ?? '0');
  await until(operator, (now) => BigInt(now?.recoveryWindowId ?? '0') >= window);
  await client.killContainer({ params: { appid, containerId: before?.container ?? '' } });
  await until(operator, (now) => now?.status === 'ACTIVE' && (now.failureCount ?? 0) > 0);
  const heard = long.length;
  await until(
    async () => long,
    ({ length }) => length > heard + 3,
  );

  const second = ask({ type: 'dataQuery', countdown: 2 });
  await until(
    async () => second,
    ({ length }) => length === 2,
  );
  t.match(second, [
    { countdown: 2, data: [{ key: String }] },
    { countdown: 1, data: [{ key: String }] },
  ]);
});

t.test('a source of App Data has one partition', async (t) => {
  const { gateway } = await engineGateway(t);
  await t.rejects(gateway.launch(table({}, { PARTITIONER: 2 })), {
    status: 400,
    message: /"table" serves App Data, so it can't be partitioned/,
  });
});
