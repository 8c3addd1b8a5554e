import { createServer } from 'node:http';
import t from 'tap';
import { dockerRuntime } from '../../../../packages/containers/index.js';
import { faultyCluster } from '../../../doubles/cluster.js';
import { dockerDouble, end } from '../../../doubles/docker.js';
import { words } from '../../../helpers/applications.js';
import { newGateway } from '../../../helpers/gateway.js';
import { listening } from '../../../helpers/listening.js';
import { packageOf } from '../../../helpers/packages.js';
import { until } from '../../../helpers/waiting.js';

// Services in containers from end to end, but for the containers: what a real Podman makes of it is in `test/stages/containers`.

const docker = await dockerDouble(t);
const { client, baseUrl } = await newGateway(t, {
  cluster: faultyCluster([]),
  containers: dockerRuntime({ host: docker.host }),
  services: {
    limits: {
      services: 3,
      pollMillis: 50,
      retryFirstMillis: 3000,
      retryMostMillis: 60_000,
      readyMillis: 2000,
    },
    variables: { GATEWAY_CONNECT_ADDRESS: 'gate.example:9090' },
  },
});
const get = (name: string) => client.getService({ params: { name } });
const untilState = (name: string, state: string) =>
  until(
    () => get(name),
    (service) => service.state === state,
  );
const container = (run: string, exec?: string) =>
  ({ type: 'container', container: { run, ...(exec ? { exec } : {}) } }) as const;
const params = { name: 'web' };

t.test('an image is pulled for all to see, its container gets what the definition says', async (t) => {
  const server = createServer((req, res) => res.end(`${req.url} of ${req.headers['x-team']}`));
  const { baseUrl: at, close } = await listening(server);
  t.teardown(close);
  docker.port = Number(new URL(at).port);
  let release = () => {};
  docker.pulled = new Promise((resolve) => {
    release = resolve;
  });
  await client.putService({
    params,
    body: {
      ...container(
        '-m 128m -p 8080 -e GATEWAY=${.GATEWAY_CONNECT_ADDRESS} -e "MODE=${mode}" example/web:1 serve ${web._type}',
        'warm --up',
      ),
      metadata: { mode: 'two words' },
      proxy: { address: '${port}/app', requestHeaders: { 'X-Team': '${mode}' } },
    },
  });
  const fetching = await until(
    () => get('web'),
    ({ stateDetail }) => stateDetail !== undefined,
  );
  t.match(fetching, {
    state: 'INSTALLING',
    stateDetail: 'Fetching the image example/web:1',
    installedTime: 0,
  });
  release();
  const running = await untilState('web', 'RUNNING');
  t.match(running, { memoryMB: 64, metadata: { mode: 'two words', port: String(docker.port) } });
  t.equal(running.stateDetail, undefined);
  t.ok(running.installedTime > 0 && running.startedTime > 0);
  t.match(running.container, { run: /\$\{mode\}/ }, 'texts show their variables');
  t.match(docker.containers.get(running.containerId ?? '')?.made, {
    Image: 'example/web:1',
    Cmd: ['serve', 'container'],
    Env: ['GATEWAY=gate.example:9090', 'MODE=two words'],
    Labels: { 'headgate.service': 'web' },
    HostConfig: { Memory: 128 * 2 ** 20 },
  });
  t.strictSame(docker.executed, [['warm', '--up']]);
  const page = await fetch(`${baseUrl}/proxy/services/web/page?a=1`);
  t.equal(await page.text(), '/app/page?a=1 of two words');
});

t.test('options outside of the subset are refused by name', async (t) => {
  const refused = { status: 400, code: 'INVALID_INPUT' };
  for (const option of ['--privileged', '--restart=always', '--cap-add=ALL', '--device=/dev/sda'])
    await t.rejects(
      client.putService({ params: { name: 'no' }, body: container(`${option} example/web:1`) }),
      { ...refused, message: new RegExp(`^body\\.container\\.run: .*${option.split('=')[0]}`) },
      option,
    );
  await t.rejects(client.putService({ params: { name: 'no' }, body: container('"open') }), refused);
});

t.test('while the runtime is down states are a memory, and changes answer 502', async (t) => {
  const { containerId } = await get('web');
  docker.isDown = true;
  const seen = await until(
    () => get('web'),
    ({ observedAt }) => observedAt !== undefined,
  );
  t.match(seen, { state: 'RUNNING', containerId });
  const down = { status: 502, code: 'UNREACHABLE' };
  await t.rejects(client.stopService({ params }), down);
  await t.rejects(client.deleteService({ params }), down);
  await t.rejects(client.putService({ params: { name: 'x' }, body: container('example/web:1') }), down);
  await t.rejects(
    client.installServices({ body: [{ name: 'x', ...container('example/web:1') }], query: {} }),
    down,
  );
  t.match((await client.listServices()).services, [{ name: 'web', state: 'RUNNING', enabled: true }]);
  docker.isDown = false;
  const back = await until(
    () => get('web'),
    ({ observedAt }) => observedAt === undefined,
  );
  t.match(back, { state: 'RUNNING', containerId }, 'it is the same one');
});

t.test('one that ends is tried again after pauses that double', async (t) => {
  const { containerId = '' } = await get('web');
  const first = docker.containers.get(containerId);
  if (first) end(first, 3, 'no table');
  t.match(
    (await untilState('web', 'FAILED')).stateDetail,
    'It ended with code 3: no table; tried again in 3 s',
  );
  const next = await untilState('web', 'RUNNING');
  t.not(next.containerId, containerId);
  t.notOk(docker.containers.has(containerId), 'what was left of the first is cleared away');

  await client.putService({ params: { name: 'bad' }, body: container('example/web:1 fail') });
  const detail = (text: string) =>
    until(
      () => get('bad'),
      ({ stateDetail = '' }) => stateDetail.includes(text),
    );
  await detail('no table; tried again in 3 s');
  await detail('no table; tried again after 2 failures in 6 s');
  await client.stopService({ params: { name: 'bad' } });
  t.match(await get('bad'), { state: 'STOPPED', enabled: false, stateDetail: undefined });
});

t.test('a launch waits for what it needs before, and no longer than that may take', async (t) => {
  const body = packageOf(
    { name: 'needy' },
    {
      'app/needy.json': JSON.stringify(words('needy').application),
      'resources/services.json': JSON.stringify({
        services: [{ name: 'slow', ...container('example/web:1 wait') }],
        applications: [
          {
            name: 'needy',
            requiredServices: [{ name: 'slow', requiredBeforeLaunch: true, transient: 'true' }],
          },
        ],
      }),
    },
  );
  await client.uploadPackage({ body });
  const { owner } = (await client.listPackages({ query: {} })).appPackages[0] ?? { owner: '' };
  const app = { params: { owner, name: 'needy', version: '1.0.0', appName: 'needy' } };
  await t.rejects(client.launchPackageApplication(app), {
    status: 504,
    code: 'TIMED_OUT',
    message: /The service slow, which needy needs before its launch/,
  });
  await until(
    async () => [...docker.containers.values()].map(({ name }) => name),
    (names) => !names.some((name) => name.endsWith('-slow')),
  );
  await until(
    () => client.listServices(),
    ({ services }) => !services.some(({ name }) => name === 'slow'),
  );
  t.pass('and what it brought is gone');
});

t.test('there are no more than the limit says, and a deleted one leaves nothing', async (t) => {
  const idle = { ...container('example/web:1'), enabled: false };
  await client.putService({ params: { name: 'third' }, body: idle });
  await t.rejects(client.putService({ params: { name: 'fourth' }, body: idle }), {
    status: 429,
    message: /There are 3 services already/,
  });
  for (const name of ['web', 'bad', 'third']) await client.deleteService({ params: { name } });
  t.strictSame([...docker.containers], []);
  t.strictSame((await client.listServices()).services, []);
});

t.test('two that are installed together, one with a port that the other tells when it runs', async (t) => {
  const db = { name: 'db', ...container('-p 5432 example/db:1') };
  const user = { name: 'user', ...container('-e DB=${db.port} example/user:1') };
  // The one that needs the other first, and without a word that it requires it.
  await client.installServices({ body: [user, db], query: {} });
  for (const name of ['user', 'db']) t.match(await get(name), { state: 'RUNNING' }, name);
  for (const name of ['user', 'db']) await client.deleteService({ params: { name } });
});

t.test('addresses that can not be are refused before anything is kept', async (t) => {
  const body = container('example/web:1');
  for (const srcUrl of [
    'http://',
    'https:///',
    'file://elsewhere/x.tar',
    'file:///a%2Fb',
    'http://a%ZZ@host/x',
  ]) {
    await t.rejects(
      client.putService({ params: { name: 'lost' }, body: { ...body, srcUrl } }),
      { status: 400, code: 'INVALID_INPUT' },
      srcUrl,
    );
  }
  for (const address of ['nowhere', 'host:99999', 'http://host:1', '0'])
    await t.rejects(
      client.putService({ params: { name: 'lost' }, body: { ...body, proxy: { address } } }),
      { status: 400, code: 'INVALID_INPUT' },
      address,
    );
  await t.rejects(get('lost'), { code: 'NOT_FOUND' });
});
