import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Client } from '../../../../lib/client.js';
import { masked, unmasked } from '../../../../lib/features/services/definition/definition-secrets.js';
import { resolveVariables } from '../../../../lib/features/services/definition/variables.js';
import { ServiceDefinition, type ServiceState } from '../../../../lib/features/services/schema.js';
import { createResolver } from '../../../../lib/features/services/supervision/resolver.js';
import { type Trigger, transition } from '../../../../lib/features/services/supervision/state-machine.js';
import { mask } from '../../../../lib/formats/secret-names.js';
import { processRuntime } from '../../../../packages/containers/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { newGateway } from '../../../helpers/gateway.js';
import { listening } from '../../../helpers/listening.js';
import { until } from '../../../helpers/waiting.js';

const directory = await mkdtemp(join(tmpdir(), 'headgate-services-'));
t.teardown(() => rm(directory, { recursive: true, force: true }));
const limits = { pollMillis: 100, retryFirstMillis: 200, retryMostMillis: 1000, stopGraceMillis: 3000 };
const forEver = 'trap "exit 0" TERM; while true; do sleep 0.05; done';
const lasting = `sh -c '${forEver}'`;

/** A gateway over the same storage and programs, as after a restart. */
const gatewayOver = async (t: Parameters<typeof newGateway>[0], stopOnClose = false) =>
  newGateway(t, {
    storage: await filesystemStorage({ directory: join(directory, 'kept') }),
    containers: processRuntime({ directory: join(directory, 'programs') }),
    services: { limits, stopOnClose },
  });
const untilState = (client: Client, name: string, state: string) =>
  until(
    () => client.getService({ params: { name } }),
    (service) => service.state === state,
  );
const container = (run: string) => ({ type: 'container', container: { run } }) as const;

t.test('states follow each other as the table says', async (t) => {
  const rows: readonly (readonly [ServiceState, boolean, Trigger, string])[] = [
    ['INSTALLING', true, 'installed', 'STARTING true start'],
    ['INSTALLING', false, 'installed', 'STOPPED false'],
    ['INSTALLING', true, 'failed', 'FAILED true retryLater'],
    ['STOPPED', false, 'start', 'STARTING true start'],
    ['FAILED', false, 'start', 'STARTING true start'],
    ['STARTING', true, 'healthy', 'RUNNING true'],
    ['STARTING', true, 'failed', 'FAILED true retryLater'],
    ['RUNNING', true, 'stop', 'STOPPING false stop'],
    ['STARTING', true, 'stop', 'STOPPING false stop'],
    ['FAILED', true, 'stop', 'STOPPING false stop'],
    ['STOPPING', false, 'stopped', 'STOPPED false'],
    ['RUNNING', true, 'ended', 'FAILED true retryLater'],
    ['FAILED', true, 'retry', 'STARTING true start'],
    ['FAILED', false, 'retry', 'FAILED false'],
    ['RUNNING', true, 'start', 'RUNNING true'],
    ['STOPPED', false, 'stop', 'STOPPED false'],
    ['RUNNING', true, 'delete', 'REMOVING false remove'],
    ['REMOVING', false, 'removed', 'gone'],
  ];
  for (const [state, enabled, trigger, wanted] of rows) {
    const { next, effect } = transition({ state, enabled }, trigger);
    const got = next ? [next.state, next.enabled, effect].filter((x) => x !== undefined).join(' ') : 'gone';
    t.equal(got, wanted, `${state} ${trigger}`);
  }
  t.throws(() => transition({ state: 'REMOVING', enabled: false }, 'start'), {
    code: 'SERVICE_BEING_REMOVED',
  });
});

t.test(
  'a service is installed, runs, is found by the next gateway, stopped, changed and deleted',
  async (t) => {
    const first = await gatewayOver({ teardown: () => {} });
    await first.client.putService({ params: { name: 'one' }, body: container(lasting) });
    const { containerId } = await untilState(first.client, 'one', 'RUNNING');
    t.ok(containerId);
    await t.rejects(
      first.client.putService({ params: { name: 'one' }, body: container(`${lasting} other`) }),
      {
        code: 'NAME_TAKEN',
      },
    );
    await t.rejects(first.client.changeService({ params: { name: 'one' }, body: container('sh') }), {
      code: 'SERVICE_NOT_STOPPED',
    });
    first.client.close();
    await first.gateway.close();
    first.server.close();

    const { client } = await gatewayOver(t);
    t.match(
      await client.getService({ params: { name: 'one' } }),
      { state: 'RUNNING', containerId },
      'adopted',
    );
    await client.stopService({ params: { name: 'one' } });
    t.match(await untilState(client, 'one', 'STOPPED'), { enabled: false });
    await client.changeService({ params: { name: 'one' }, body: container("sh -c 'echo gone >&2; exit 5'") });
    t.match(await client.getService({ params: { name: 'one' } }), { state: 'STOPPED' }, 'for the next start');
    await client.startService({ params: { name: 'one' } });
    const failed = await untilState(client, 'one', 'FAILED');
    t.match(failed.stateDetail, /code 5: gone.*tried again/);
    await client.deleteService({ params: { name: 'one' } });
    await t.rejects(client.getService({ params: { name: 'one' } }), { code: 'NOT_FOUND' });
  },
);

t.test('with stopOnClose it ends with its gateway, and the next one starts it again', async (t) => {
  const first = await gatewayOver({ teardown: () => {} }, true);
  const params = { name: 'guest' };
  await first.client.putService({ params, body: { ...container(lasting), enabled: 'false' } });
  await untilState(first.client, 'guest', 'STOPPED');
  await first.client.changeService({ params, body: { ...container(lasting), enabled: 'true' } });
  const { containerId } = await untilState(first.client, 'guest', 'RUNNING');
  const [home = ''] = await readdir(join(directory, 'programs'));
  first.client.close();
  await first.gateway.close();
  first.server.close();
  const told = await readFile(join(directory, 'programs', home, 'guest', 'run.json'), 'utf8');
  t.match(JSON.parse(told), { id: containerId, state: 'ended', reason: 'It was stopped' });

  const { client } = await gatewayOver(t, true);
  const next = await untilState(client, 'guest', 'RUNNING');
  t.match(next, { enabled: true });
  t.not(next.containerId, containerId);
  await client.deleteService({ params });
});

t.test('what can not be is refused, or fails with its reason', async (t) => {
  const { client } = await gatewayOver(t, true);
  for (const name of ['.hidden', 'a b', 'a%2Fb'])
    await t.rejects(
      client.putService({ params: { name }, body: container(lasting) }),
      { code: 'INVALID_INPUT' },
      name,
    );
  const long = {
    ...container('sh'),
    metadata: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`n${i}`, 'v'.repeat(8_000)])),
  };
  await t.rejects(client.putService({ params: { name: 'x' }, body: long }), {
    status: 413,
    message: 'The body is larger than the limit of 131072 bytes',
  });
  await t.rejects(
    client.installServices({ query: {}, body: ['x', 'y'].map((name) => ({ ...long, name })) }),
    { status: 413, message: 'The body is larger than the limit of 262144 bytes' },
  );
  await t.rejects(client.putService({ params: { name: 'x' }, body: container('--privileged sh') }), {
    message: /--privileged/,
  });
  await client.putService({ params: { name: 'vague' }, body: container('sh -c ${nobody.port}') });
  t.match((await untilState(client, 'vague', 'FAILED')).stateDetail, /nobody\.port.*has no value/);
  const circle = [
    { name: 'a', ...container(lasting), requiredServices: ['b'] },
    { name: 'b', ...container(lasting), requiredServices: ['a'] },
  ];
  await t.rejects(client.installServices({ body: circle, query: {} }), { message: /circle/ });
  const refusals: readonly (readonly [() => Promise<unknown>, string, RegExp])[] = [
    [
      () => client.changeService({ params: { name: 'nobody' }, body: container('sh') }),
      'NOT_FOUND',
      /nobody/,
    ],
    [() => client.deleteService({ params: { name: 'nobody' } }), 'NOT_FOUND', /nobody/],
    [
      () => client.putService({ params: { name: 'y' }, body: { ...container('sh'), srcUrl: 'ftp://h/x' } }),
      'INVALID_INPUT',
      /srcUrl: begins with/,
    ],
    [
      () => client.putService({ params: { name: 'y' }, body: { ...container('sh'), name: 'z' } }),
      'INVALID_INPUT',
      /body\.name: is not y/,
    ],
    [
      () =>
        client.putService({
          params: { name: 'y' },
          body: { ...container('sh'), proxy: { address: '1', name: 'vague' } },
        }),
      'NAME_TAKEN',
      /\/proxy\/services\/vague\/ belongs to the service vague/,
    ],
  ];
  for (const [refused, code, message] of refusals) await t.rejects(refused(), { code, message });
  const lonely = { ...container(lasting), requiredServices: ['nobody'] };
  await client.putService({ params: { name: 'lonely' }, body: lonely });
  t.match(
    (await untilState(client, 'lonely', 'FAILED')).stateDetail,
    /needs the service nobody, which is not installed/,
  );

  await client.installServices({
    body: [
      { name: 'above', ...container(lasting), requiredServices: ['below'] },
      { name: 'below', ...container(lasting) },
    ],
    query: {},
  });
  t.equal((await client.getService({ params: { name: 'above' } })).state, 'RUNNING');
  const other = [{ name: 'below', ...container('sleep 1') }];
  await t.rejects(client.installServices({ body: other, query: {} }), { code: 'SERVICE_DIFFERS' });
});

t.test('what lets a service in is not told, and what was told may come back', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['-e DB_PASSWORD=x -p 0 sh', `-e DB_PASSWORD=${mask} -p 0 sh`],
    ['-e "DB_PASSWORD=a b" sh', `-e "DB_PASSWORD=${mask}" sh`],
    ["--env=API_TOKEN='a b'c sh", `--env=API_TOKEN=${mask} sh`],
    ["sh -c 'export SECRET=1; run'", `sh -c 'export SECRET=${mask}'`],
    ['-e DB_PASSWORD=a\\ b sh', `-e DB_PASSWORD=${mask} sh`],
    ['-e DB_PASSWORD=${db.PASSWORD} sh', '-e DB_PASSWORD=${db.PASSWORD} sh'],
    ['-e MODE=fast sh --to http://ada:pw@h/x', `-e MODE=fast sh --to http://${mask}@h/x`],
  ];
  for (const [run, shown] of rows) {
    const definition = ServiceDefinition.parse(container(run));
    const told = masked(definition);
    t.match(told, { container: { run: shown } }, shown);
    t.strictSame(unmasked(told, definition, 'body'), definition);
  }
  const whole = ServiceDefinition.parse({
    type: 'engine',
    srcUrl: 'https://ada:pw@h/x.apa?token=abc',
    engine: { appName: 'a', launchArgs: { 'my.password': 'x', pace: '1' } },
    metadata: { apiToken: 'x', port: '1' },
    proxy: { address: '1', requestHeaders: { Authorization: 'Bearer x', 'X-A': '${key}' } },
  });
  const told = masked(whole);
  t.notMatch(JSON.stringify(told), /pw|abc|"x"|Bearer/);
  t.match(told, { metadata: { port: '1' }, proxy: { requestHeaders: { 'X-A': '${key}' } } });
  t.strictSame(unmasked(told, whole, 'body'), whole);

  const { client } = await gatewayOver(t, true);
  const params = { name: 'quiet' };
  const body = {
    ...container(`-e DB_PASSWORD=letmein ${lasting}`),
    enabled: false,
    proxy: { address: '8080', requestHeaders: { Authorization: 'Basic letmein' } },
  };
  await client.putService({ params, body });
  const seen = await untilState(client, 'quiet', 'STOPPED');
  t.notMatch(JSON.stringify(seen), /letmein/);
  await client.changeService({ params, body: { ...body, ...container(seen.container?.run ?? '') } });
  await t.rejects(client.putService({ params: { name: 'b' }, body: container(`-e A_TOKEN=${mask} sh`) }), {
    code: 'INVALID_INPUT',
    message: /container\.run/,
  });
  const records = JSON.stringify(await client.listAudit({ query: {} }));
  t.match(records, /putService/);
  t.notMatch(records, /letmein/, 'nor kept in the audit log');
});

t.test('headers for a service say nothing about how a request is framed', async (t) => {
  for (const name of [
    'Content-Length',
    'transfer-encoding',
    'Connection',
    'Upgrade',
    'Expect',
    'Trailer',
    'TE',
  ]) {
    const proxy = { address: '1', requestHeaders: { [name]: '0' } };
    t.notOk(ServiceDefinition.safeParse({ ...container('sh'), proxy }).success, name);
  }
  const proxy = { address: '1', requestHeaders: { Authorization: 'x', Host: 'example.org' } };
  t.ok(ServiceDefinition.safeParse({ ...container('sh'), proxy }).success);
});

t.test('programs come over http, and who installs them waits or not', async (t) => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const source = createServer(async (req, res) => {
    await gate;
    if (req.url === '/serve') res.end(`#!/bin/sh\necho "$1" > "$SERVICE_DATA/told"\n${forEver}\n`);
    else res.writeHead(404).end();
  });
  const { baseUrl: at, close } = await listening(source);
  t.teardown(close);
  const { client } = await gatewayOver(t, true);
  const far = { name: 'far', ...container('serve "good morning"'), srcUrl: `${at}/serve` };
  const after = { name: 'after', ...container(lasting), requiredServices: ['far'], enabled: false };
  await client.installServices({ body: [far, after], query: { async: true } });
  t.match(await client.getService({ params: { name: 'far' } }), { state: 'INSTALLING', installedTime: 0 });
  open();
  const { containerId } = await untilState(client, 'far', 'RUNNING');
  t.match(await untilState(client, 'after', 'STOPPED'), { enabled: false, startedTime: 0 });
  const [home = ''] = await readdir(join(directory, 'programs'));
  const told = join(directory, 'programs', home, 'far', 'data', 'told');
  const text = await until(
    () => readFile(told, 'utf8').catch(() => ''),
    (found) => found !== '',
  );
  t.equal(text, 'good morning\n');

  await client.installServices({ body: [far, after], query: {} });
  t.match(await client.getService({ params: { name: 'far' } }), { containerId }, 'the same is left alone');
  const missing = { name: 'missing', ...container('serve'), srcUrl: `${at}/nothing` };
  await t.rejects(client.installServices({ body: [missing], query: { async: false } }), {
    status: 502,
    code: 'CONTAINER_FAILED',
    message: /The service missing did not come up: .*\/nothing answered with status 404/,
  });
  t.match(await untilState(client, 'missing', 'FAILED'), { stateDetail: /status 404; tried again/ });
  const wrong = { name: 'wrong', ...container('--privileged sh') };
  const other = { name: 'other', ...container(lasting) };
  for (const [second, code] of [
    [wrong, 'INVALID_INPUT'],
    [other, 'INVALID_INPUT'],
    [{ ...far, description: 'another one' }, 'SERVICE_DIFFERS'],
  ] as const)
    await t.rejects(client.installServices({ body: [other, second], query: { async: true } }), { code });
  t.notOk(
    (await client.listServices()).services.some(({ name }) => name === 'other'),
    'all or none',
  );
});

t.test('names of every object are no values of variables', async (t) => {
  const services = { get: () => undefined };
  const property = async (name: string) => (name === 'GATEWAY_NODE' ? 'of the platform' : undefined);
  const given: Record<string, string> = { GATEWAY_NODE: 'here' };
  const resolve = createResolver({ services, property, given })('web');
  t.equal(await resolve('${.GATEWAY_NODE}'), 'here');
  await t.rejects(resolve('${.constructor}'), { message: '${.constructor} has no value' });

  const { client } = await newGateway(t, {
    containers: processRuntime({ directory: join(directory, 'odd') }),
    services: { limits, stopOnClose: true },
  });
  await client.putService({ params: { name: 'odd' }, body: container('true ${constructor}') });
  const { stateDetail } = await untilState(client, 'odd', 'FAILED');
  t.match(stateDetail, '${constructor} has no value');
});

t.test('variables stand for what is known at that moment, and nothing for what is not', async (t) => {
  const services: Record<string, Record<string, string>> = {
    web: { port: '8080', 'port.443': '9443', _state: 'RUNNING', odd: '${.secret}' },
    'search.main': { QueryPort: '9000', _type: 'engine' },
  };
  const source = {
    own: (key: string) => services['web']?.[key],
    ofService: (name: string, key: string) => services[name]?.[key],
    ofGateway: async (name: string) => (name === 'platform.home' ? '/opt' : undefined),
  };
  for (const [text, wanted] of [
    ['-p ${port}', '-p 8080'],
    ['${ port }${port.443}', '80809443'],
    ['${search.main.QueryPort}:${search.main._type}', '9000:engine'],
    ['${web._state}', 'RUNNING'],
    ['${.platform.home}/x', '/opt/x'],
    ['${odd}', '${.secret}'],
    ['$HOME $${port} {port}', '$HOME $8080 {port}'],
  ] as const)
    t.equal(await resolveVariables(text, source), wanted, text);
  for (const [text, missing] of [
    ['${none}', '${none}'],
    ['${web.none} ${.none} ${port}', '${web.none} and ${.none}'],
    ['${}', '${}'],
  ] as const)
    await t.rejects(resolveVariables(text, source), { message: `${missing} has no value` }, text);
});
