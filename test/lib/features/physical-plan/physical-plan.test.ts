import t from 'tap';
import { engineGateway, untilItRuns, untilState, words } from '../../../helpers/applications.js';
import { as } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

t.test('the physical plan of a running application', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch(words());
  const params = { appid };
  await untilItRuns(client, appid);

  await t.test('the physical plan and its parts tell the same', async (t) => {
    const plan = await client.getPhysicalPlan({ params });
    t.strictSame(plan.operators.map(({ logicalName }) => logicalName).sort(), ['count', 'hub', 'source']);
    t.match(plan.streams.map(({ logicalName }) => logicalName).sort(), ['counts', 'records']);
    const { operators } = await client.listPhysicalOperators({ params });
    t.strictSame(
      operators.map(({ id, name, container }) => ({ id, name, container })),
      plan.operators.map(({ id, name, container }) => ({ id, name, container })),
    );
    t.strictSame((await client.listPhysicalStreams({ params })).streams, plan.streams);
    for (const { source, sinks } of plan.streams) {
      for (const end of [source, ...sinks]) {
        const { operatorId, portName } = end;
        const port = await client.getPort({ params: { appid, opid: operatorId, portName } });
        t.match(port, { name: portName, type: end === source ? 'output' : 'input' });
      }
    }
  });

  await t.test('numbers are measured', async (t) => {
    const { operators } = await until(
      () => client.listPhysicalOperators({ params }),
      ({ operators }) =>
        operators.some(({ totalTuplesEmitted, tuplesEmittedPSMA, logicalName }) => {
          return logicalName === 'source' && (totalTuplesEmitted ?? 0) > 100 && (tuplesEmittedPSMA ?? 0) > 0;
        }),
    );
    const source = operators.find(({ logicalName }) => logicalName === 'source');
    t.match(source, { className: 'headgate.io.RandomGenerator', isUnifier: false, unifierClass: null });
    t.ok(BigInt(source?.currentWindowId ?? 0) >= BigInt(source?.recoveryWindowId ?? 0));
    t.ok((source?.lastHeartbeat ?? 0) > 0);
    const { ports } = await client.listPorts({ params: { appid, opid: source?.id ?? '' } });
    t.match(ports, [{ name: 'output', type: 'output' }]);
    t.ok((ports[0]?.totalTuples ?? 0) > 100);
  });

  await t.test('what is not there', async (t) => {
    const notFound = { status: 404, code: 'NOT_FOUND' };
    const opid = '1';
    await t.rejects(client.getPhysicalOperator({ params: { appid, opid: '999' } }), notFound);
    await t.rejects(client.listPorts({ params: { appid, opid: 'x/../y' } }), notFound);
    await t.rejects(client.getPort({ params: { appid, opid, portName: 'no' } }), notFound);
    await t.rejects(client.getPhysicalPlan({ params: { appid: 'application_0_0' } }), notFound);
  });

  await t.test('an ended application keeps its plan', async (t) => {
    await client.killApplication({ params });
    await untilState(client, appid, 'KILLED');
    const { operators } = await client.getPhysicalPlan({ params });
    t.equal(operators.length, 3);
    t.ok(operators.every(({ status }) => status !== 'ACTIVE'));
  });
});
