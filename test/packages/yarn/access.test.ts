import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import type { Forwarder, ForwardMethod } from '../../../lib/driver-kit.js';
import type { ClusterDriver } from '../../../lib/index.js';
import { type ClusterRequest, yarnCluster } from '../../../packages/yarn/index.js';
import { type YarnDouble, yarnDouble } from '../../doubles/yarn/index.js';
import { silentContext } from '../../helpers/local-cluster.js';
import { certificate, tlsFront } from '../../helpers/tls-front.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';

// Clusters that ask who it is, and calls that are sent on to a cluster.

const limits = { timeoutMillis: 1000, backOffMillis: 1000 };

type Test = { teardown(end: () => Promise<void>): void };

async function opened(t: Test, options: { managers?: number } = {}) {
  const double = await yarnDouble(options);
  const cluster = yarnCluster({
    resourceManager: double.managers.map(({ url }) => url),
    files: double.files.nameNode.url,
    limits,
  });
  await cluster.open(silentContext([]));
  t.teardown(async () => {
    await cluster.close();
    await double.close();
  });
  return { double, cluster };
}

/** As the room for proxies sends it. */
async function forward(forwarder: Forwarder | undefined, method: ForwardMethod, path: string, body = '') {
  const target = await forwarder?.target();
  if (!target) throw new Error('no forwarder');
  const url = new URL(path, target.base);
  for (const [name, value] of target.base.searchParams) url.searchParams.set(name, value);
  const headers = {
    ...(body === '' ? {} : { 'content-type': 'application/json' }),
    ...(await target.headers({ method, url })),
  };
  const req = request(url, { method, headers, agent: target.agent });
  req.end(body);
  try {
    const [res] = await once(req, 'response');
    return { status: res.statusCode, body: await text(res) };
  } catch (error) {
    target.failed();
    throw error;
  }
}

const masterOf = async (cluster: ClusterDriver, id: string) => (await cluster.master(id)).forwarder;

t.test('calls for the manager that is active', async (t) => {
  const { double, cluster } = await opened(t, { managers: 2 });
  const { id } = await double.run(pipeline());
  const { forwarder } = cluster.resourceManager;
  t.match(await forward(forwarder, 'GET', `cluster/apps/${id}`), { status: 200, body: new RegExp(id) });
  double.active = 1;
  const target = await forwarder?.target();
  target?.failed();
  t.match((await forwarder?.target())?.base.href, `${double.managers[1]?.url}/ws/v1/?user.name=hadoop`);
  const killed = await forward(forwarder, 'PUT', `cluster/apps/${id}/state`, '{"state":"KILLED"}');
  t.equal(killed.status, 202);
  double.active = undefined;
  (await forwarder?.target())?.failed();
  await t.rejects(forward(forwarder, 'GET', 'cluster/info'), { status: 502, code: 'UNREACHABLE' });
});

t.test('calls for a master, which asks for its cookie and moves', async (t) => {
  const { double, cluster } = await opened(t);
  const { id } = await double.run(pipeline());
  const master = double.masters.get(id);
  if (master) master.cookie = 'hush';
  t.match(await forward(await masterOf(cluster, id), 'GET', 'info'), { status: 200, body: /appPath/ });
  const loggers = '{"loggers":[{"target":"com.x.*","logLevel":"DEBUG"}]}';
  t.equal((await forward(await masterOf(cluster, id), 'POST', 'loggers', loggers)).status, 200);
  t.match(double.apps.get(id)?.loggers, [{ target: 'com.x.*' }]);
  const before = await masterOf(cluster, id);
  await double.restartMaster(id);
  await t.rejects(forward(before, 'GET', 'info'), 'nobody is there any more');
  t.equal((await forward(await masterOf(cluster, id), 'GET', 'info')).status, 200, 'found anew');
  double.apps.get(id)?.end('KILLED', 'KILLED');
  await cluster.resourceManager.getApplication(id);
  await t.rejects(forward(await masterOf(cluster, id), 'GET', 'info'), {
    status: 409,
    code: 'APPLICATION_ENDED',
  });
});

/** What a secured cluster asks of everybody but masters and data nodes. */
function secure({ managers, files, nodeManager }: YarnDouble, credential: string): void {
  for (const server of [...managers, files.nameNode, nodeManager]) server.credential = credential;
}

t.test('a secured cluster: who the gateway is, is proven where it has to be, and nowhere else', async (t) => {
  const asked: ClusterRequest[] = [];
  let credential = 'Negotiate first';
  const { client, double } = await yarnGateway(t, {
    limits,
    authorize: async (request) => {
      asked.push(request);
      return { authorization: credential };
    },
  });
  const { id, masterContainer } = await double.run(pipeline());
  const params = { appid: id };
  secure(double, credential);
  double.rawLogs = true;
  t.match(await client.getApplication({ params }), { state: 'RUNNING', stats: { numOperators: 2 } });
  t.match(await client.listEvents({ params }), { events: [{ id: '3' }] });
  t.equal((await client.listLogs({ params: { ...params, containerId: masterContainer } })).logs.length, 3);
  await client.putApplicationPermissions({ params, body: { readOnly: { users: ['rita'] } } });
  t.match(await client.getApplicationPermissions({ params }), { readOnly: { users: ['rita'] } });
  await client.setLoggers({ params, body: { loggers: [{ target: 'com.x.*', logLevel: 'DEBUG' }] } });
  t.same([...new Set(asked.map(({ service }) => service))].sort(), [
    'nameNode',
    'nodeManager',
    'resourceManager',
  ]);
  t.ok(asked.some(({ method, url }) => method === 'PUT' && url.searchParams.get('op') === 'CREATE'));
  const others = [double.files.dataNode, ...[...double.masters.values()].map(({ server }) => server)];
  t.notOk(
    others.some(({ sawCredential }) => sawCredential),
    'masters run the code of users, data nodes have tokens of their own',
  );

  credential = 'Negotiate nobody';
  await t.rejects(client.listApplications(), { status: 502, message: /refuses the gateway's user/ } as never);
  t.match(await client.getApplication({ params }), { state: 'RUNNING' }, 'as last seen, not ended');
});

t.test('a cluster that speaks TLS with a certificate of its own', async (t) => {
  const double = await yarnDouble();
  t.teardown(() => double.close());
  const [manager] = double.managers;
  if (!manager) throw new Error('no manager');
  const options = {
    resourceManager: await tlsFront(t, manager),
    files: await tlsFront(t, double.files.nameNode),
    limits,
  };
  const { id } = await double.run(pipeline());
  const strange = await yarnGateway(t, options);
  await t.rejects(strange.client.listApplications(), { status: 502, code: 'UNREACHABLE' });
  const { client } = await yarnGateway(t, { ...options, tls: { ca: certificate } });
  t.match(await client.listApplications(), { apps: [{ id }] });
  t.match(await client.listEvents({ params: { appid: id } }), { events: [{ id: '3' }] });
});
