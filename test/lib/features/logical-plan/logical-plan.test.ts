import t from 'tap';
import { engineGateway, untilItRuns, untilState, words } from '../../../helpers/applications.js';
import { as } from '../../../helpers/people.js';

t.test('the logical plan of a running application', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch(words());
  const params = { appid };
  await untilItRuns(client, appid);

  await t.test('the logical plan is the application as it was written', async (t) => {
    const { operators, streams } = await client.getLogicalPlan({ params });
    t.match(operators, [{ name: 'source', class: 'headgate.io.RandomGenerator', x: 10 }, {}, {}]);
    const source = operators.find(({ name }) => name === 'source');
    t.match(source?.properties, { tuplesPerSecond: 200 });
    t.match(source?.ports, [{ name: 'output', type: 'output' }]);
    t.match(streams, [
      { name: 'records', source: { operatorName: 'source', portName: 'output' } },
      { name: 'counts', sinks: [{ operatorName: 'hub', portName: 'input' }] },
    ]);
  });

  await t.test('a logical operator sums up its partitions', async (t) => {
    const { operators } = await client.listLogicalOperators({ params });
    t.strictSame(operators.map(({ name }) => name).sort(), ['count', 'hub', 'source']);
    const { operators: physical } = await client.listPhysicalOperators({ params });
    for (const { name, partitions, containerIds } of operators) {
      const mine = physical.filter(({ logicalName }) => logicalName === name);
      t.strictSame(
        partitions,
        mine.map(({ id }) => id),
      );
      t.strictSame(containerIds, [...new Set(mine.map(({ container }) => container))]);
    }
    const one = await client.getLogicalOperator({ params: { appid, opName: 'count' } });
    t.match(one, { className: 'headgate.aggregate.Count', status: { ACTIVE: 1 } });
  });

  await t.test('what is not there', async (t) => {
    const notFound = { status: 404, code: 'NOT_FOUND' };
    for (const opName of ['no', '__proto__', 'count/../source', 'COUNT']) {
      await t.rejects(client.getLogicalOperator({ params: { appid, opName } }), notFound, opName);
    }
    await t.rejects(client.getLogicalPlan({ params: { appid: 'application_0_0' } }), notFound);
  });

  await t.test('an ended application keeps its plan', async (t) => {
    const before = await client.getLogicalPlan({ params });
    await client.killApplication({ params });
    await untilState(client, appid, 'KILLED');
    t.strictSame(await client.getLogicalPlan({ params }), before);
    t.equal((await client.listLogicalOperators({ params })).operators.length, 3);
  });
});
