import t from 'tap';
import type { Client } from '../../../../lib/client.js';
import { faultyCluster } from '../../../doubles/cluster.js';
import { engineGateway, untilItRuns, words } from '../../../helpers/applications.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as, people } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

t.test('the cluster tells its load', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('oscar', 'operator'));
  t.match(await client.getClusterMetrics(), { numAppsRunning: 0, numContainers: 0, averageAge: 0 });
  const appid = await gateway.launch(words());
  await untilItRuns(newClient(as('ada')), appid);
  const metrics = await until(
    () => client.getClusterMetrics(),
    ({ tuplesProcessedPSMA }) => (tuplesProcessedPSMA ?? 0) > 0,
  );
  t.match(metrics, { numAppsRunning: 1, numOperators: 3, numAppsFailed: 0 });
  t.ok(metrics.averageAge > 0 && metrics.numContainers > 0);
  t.ok(metrics.currentMemoryAllocatedMB <= metrics.maxMemoryAllocatedMB);

  const { queues } = await client.listQueues();
  t.match(queues, [{ name: 'default', state: 'RUNNING' }]);
  for (const [name, value] of Object.entries(await client.getClusterConfig())) {
    t.type(name, 'string');
    t.type(value, 'string');
  }
});

t.test('all of it needs VIEW_GLOBAL_CONFIG', async (t) => {
  const { newClient } = await engineGateway(t);
  const guest = newClient(as('eve'));
  const anonymous = newClient();
  for (const ask of [
    (client: Client) => client.getClusterMetrics(),
    (client: Client) => client.listQueues(),
    (client: Client) => client.getClusterConfig(),
  ]) {
    await t.rejects(async () => ask(guest), {
      status: 403,
      code: 'FORBIDDEN',
      message: /VIEW_GLOBAL_CONFIG/,
    });
    await t.rejects(async () => ask(anonymous), { status: 401, code: 'NOT_LOGGED_IN' });
  }
});

t.test('about: the short form tells nothing of the machine', async (t) => {
  const { newClient } = await engineGateway(t);
  const short = await newClient().getAbout();
  t.strictSame(Object.keys(short).sort(), ['jvmName', 'platformVersion']);
  t.match(short, { jvmName: new RegExp(`^${process.pid}@.+`), platformVersion: /^\d+\.\d+\.\d+/ });
  t.strictSame(await newClient(as('eve')).getAbout(), short);

  const full = await newClient(as('oscar', 'operator')).getAbout();
  t.match(full, {
    ...short,
    'os.name': /./,
    'os.arch': /./,
    javaVersion: process.version,
    hostname: /./,
    timeZone: /./,
    gatewayUser: /./,
    clusterIsSecurityEnabled: false,
    haEnabled: false,
  });
  t.equal(full.version, full.engineVersion, 'the deprecated name of the same');
});

t.test('about answers without the cluster', async (t) => {
  const cluster = faultyCluster([]);
  const { newClient } = await newGateway(t, { cluster, auth: people });
  cluster.manager = 'down';
  const about = await newClient(as('root', 'admin')).getAbout();
  t.match(about, { hostname: /./ });
  t.notOk('engineVersion' in about, 'unknown is left out');
});
