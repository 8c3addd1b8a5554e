import t from 'tap';
import { engineGateway, untilItRuns, untilState, words } from '../../../helpers/applications.js';
import { as } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

t.test('a killed container comes back with its operators', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch(words());
  const params = { appid };
  await untilItRuns(client, appid);
  const list = async (query: { states?: string; types?: 'all' | 'appmaster' } = {}) =>
    (await client.listContainers({ params, query })).containers;

  const [first] = (await list({ states: 'ACTIVE' })).filter((c) => c.containerType === 'STREAMING');
  t.ok(first && first.numOperators > 0);
  const containerId = first?.id ?? '';
  const one = await client.getContainer({ params: { appid, containerId } });
  t.match(one, { id: containerId, host: first?.host ?? '', jvmName: /^\d+@/, finishedTime: -1 });
  const checkpointed = await until(
    () => client.getPhysicalPlan({ params }),
    ({ operators }) => operators.every(({ recoveryWindowId }) => Number(recoveryWindowId) > 0),
  );

  await client.killContainer({ params: { appid, containerId } });
  await until(
    () => client.getContainer({ params: { appid, containerId } }),
    ({ state }) => state === 'KILLED',
  );
  const lost = Object.keys(first?.operators ?? {});
  const back = await until(
    () => list({ states: 'ACTIVE' }),
    (containers) => lost.every((operatorId) => containers.some(({ operators }) => operatorId in operators)),
  );
  t.notOk(
    back.some(({ id }) => id === containerId),
    'under a new id',
  );
  const { operators } = await until(
    () => client.getPhysicalPlan({ params }),
    ({ operators }) =>
      operators.every(({ status }) => status === 'ACTIVE') &&
      operators.some(({ id, failureCount }) => lost.includes(id) && failureCount > 0),
  );
  for (const { id, currentWindowId } of operators) {
    const saved = checkpointed.operators.find((operator) => operator.id === id)?.recoveryWindowId ?? '0';
    t.ok(BigInt(currentWindowId ?? 0) >= BigInt(saved), `operator ${id} goes on from its checkpoint`);
  }

  await t.rejects(client.killContainer({ params: { appid, containerId } }), {
    status: 409,
    code: 'CONTAINER_NOT_RUNNING',
  });
  const unknown = { appid, containerId: 'container_0' };
  await t.rejects(client.killContainer({ params: unknown }), { status: 404, code: 'NOT_FOUND' });
  await t.rejects(client.getContainer({ params: unknown }), { status: 404, code: 'NOT_FOUND' });
  t.match(await client.getApplication({ params }), { state: 'RUNNING' }, 'the application went on');

  const [next] = (await list({ states: 'ACTIVE' })).filter((c) => c.containerType === 'STREAMING');
  await client.killContainer({ params: { appid, containerId: next?.id ?? '' } });
  const { issues } = await until(
    () => client.listApplicationIssues({ params }),
    ({ issues }) => issues.some(({ key }) => key === 'CONTAINER_FAILURES'),
  );
  t.match(
    issues.find(({ key }) => key === 'CONTAINER_FAILURES'),
    { severity: 'warning', description: /^2 containers ended within the last 10 minutes/ },
  );

  t.ok(
    (await list()).some(({ id, state }) => id === containerId && state === 'KILLED'),
    'ended ones are listed',
  );
  t.ok((await list({ states: 'KILLED,NEW' })).every(({ state }) => state === 'KILLED' || state === 'NEW'));
  t.strictSame(await list({ states: 'active' }), [], 'a state that there is not');
  const masters = await list({ types: 'appmaster' });
  t.match(masters, [{ containerType: 'APP_MASTER', state: 'ACTIVE' }]);
  await t.rejects(client.listContainers({ params, query: { types: 'streaming' as 'all' } }), {
    status: 400,
    code: 'INVALID_INPUT',
  });

  await client.killApplication({ params });
  await untilState(client, appid, 'KILLED');
  t.ok(
    (await list()).every(({ state }) => state === 'KILLED'),
    'nothing is left running',
  );
});
