import { join } from 'node:path';
import t from 'tap';
import { compiledJars } from './java-jar.js';
import { until, type YarnSession, yarnSession } from './session.js';

// An operator as most are, with beans inside that Java can't serialize: the container that is asked for them ends.

t.setTimeout(600_000);
const whole = t;
let session: YarnSession;
let logical = { appid: '', opName: 'beans' };
let physical = { appid: '', opid: '1' };

const required = 'dt.operator.beans.prop.limit';
const application = {
  operators: [
    { name: 'beans', class: 'org.example.Beans' },
    { name: 'console', class: 'com.datatorrent.lib.io.ConsoleOutputOperator' },
  ],
  streams: [
    {
      name: 'numbers',
      source: { operatorName: 'beans', portName: 'numbers' },
      sinks: [{ operatorName: 'console', portName: 'input' }],
    },
  ],
};

const set = (body: Record<string, unknown>) =>
  session.client.setOperatorProperties({ params: logical, body });
const given = () => session.client.getOperatorProperties({ params: logical });
const live = (propertyName?: string) =>
  session.client.getPhysicalOperatorProperties({
    params: physical,
    query: { live: true, ...(propertyName === undefined ? {} : { propertyName }) },
  });
const beans = () => session.client.getPhysicalOperator({ params: physical });

t.test('a package whose required properties begin with dt.', async (t) => {
  session = await yarnSession(whole);
  const source = await session.upload({
    name: 'beans',
    jars: await compiledJars(session.parts, join(session.cluster.directory)),
    applications: { Beans: application },
    properties: { 'dt.operator.beans.prop.ratio': 2.5 },
    required: [required],
  });
  const params = { ...source, appName: 'Beans' };
  await t.rejects(session.client.launchPackageApplication({ params }), {
    status: 400,
    message: new RegExp(required),
  });
  const body = { 'apex.operator.beans.prop.limit': 11, 'apex.operator.beans.prop.ratio': 3.5 };
  const { appId } = await session.client.launchPackageApplication({ params, body });
  logical = { ...logical, appid: appId };
  const operators = await session.untilItRuns(appId);
  const opid = operators.find(({ name }) => name === 'beans')?.id ?? '';
  physical = { appid: appId, opid };
  t.match(await given(), { limit: '11', ratio: '3.5' });
});

t.test('changes and readings leave the container alone', async (t) => {
  const { container } = await beans();
  for (let limit = 20; limit < 30; limit++) await set({ limit });
  await set({ label: 'new', 'range.low': 5, 'ranges[0].high': '7', 'named(first).low': 3 });
  await session.client.setPhysicalOperatorProperties({ params: physical, body: { ratio: 4.5 } });
  t.match(await given(), {
    ...{ limit: '29', label: 'new', ratio: '3.5', range: { low: '5' } },
    ...{ ranges: [{ high: '7' }], named: { first: { low: '3' } } },
  });
  const own = await until(
    () => session.client.getPhysicalOperatorProperties({ params: physical }),
    ({ ratio }) => ratio === '4.5',
  );
  t.match(own, { limit: '29', range: { low: '5' } });
  for (const body of [{ mode: 'WILD' }, { range: { low: 1 } }, { ranges: [] }, { named: {} }, { count: 1 }])
    await t.rejects(set(body), { status: 400, code: 'INVALID_INPUT' }, JSON.stringify(body));
  await t.rejects(live(), { status: 409, message: /range/ });
  await t.rejects(live('range'), { status: 409, code: 'PROPERTY_NOT_READABLE' });
  t.strictSame(
    await until(
      () => live('ratio'),
      ({ ratio }) => ratio === 4.5,
    ),
    { ratio: 4.5 },
  );
  t.strictSame(await live('mode'), { mode: 'CALM' });
  t.match(await beans(), { container, status: 'ACTIVE', failureCount: 0 });
});

t.test('one that stands still costs its own questions only', async (t) => {
  await set({ stuckMillis: 15_000 });
  await until(
    () =>
      live('limit').then(
        () => '',
        ({ code }) => String(code),
      ),
    (code) => code === 'TIMED_OUT',
  );
  t.equal((await session.client.listPhysicalOperators({ params: physical })).operators.length, 2);
  await set({ stuckMillis: 0 });
});

t.test('one that fails again and again is repaired', async (t) => {
  await set({ broken: true });
  const { container } = await until(beans, ({ status }) => status !== 'ACTIVE');
  await t.rejects(live('limit'));
  await set({ broken: false });
  const repaired = await until(
    beans,
    (one) => one.status === 'ACTIVE' && one.container !== null && one.container !== container,
  );
  t.equal(repaired.status, 'ACTIVE');
  await session.untilItRuns(logical.appid);
  t.match(await given(), { broken: false, limit: '29' }, 'and has what it was given');
});

t.test('its master, when it starts again, knows all that was set', async (t) => {
  const { containers } = await session.client.listContainers({
    params: logical,
    query: { types: 'appmaster', states: 'ACTIVE' },
  });
  await session.client.killContainer({ params: { ...logical, containerId: containers[0]?.id ?? '' } });
  await until(
    () => session.client.getApplication({ params: logical }),
    ({ currentAttemptId, stats }) => currentAttemptId.endsWith('_000002') && stats !== null,
  );
  t.match(await given(), { limit: '29', label: 'new', range: { low: '5' } });
  await session.client.killApplication({ params: logical });
});
