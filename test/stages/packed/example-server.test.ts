import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { createClient } from '../../../lib/client.js';
import { folderBesideBuilt } from '../../helpers/folder.js';
import { mailCertificate, password as storePassword, stores } from '../../helpers/keystores.js';
import { type RunningProgram, run, start } from '../../helpers/processes.js';
import { type Snippet, snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';

// The bundled server as a newcomer starts it: the README's questions with the answers that it shows, and the tour.

const scratch = folderBesideBuilt(t, 'example');

const password = 'correct-horse';

const startServer = (data: string, env: Record<string, string> = {}): RunningProgram =>
  start(process.execPath, ['examples/server/server.js', '--port', '0', '--data', join(scratch, data)], {
    cwd: root,
    env,
  });

const addressOf = async (server: RunningProgram) =>
  (await server.printed(/Headgate listening on (http:\/\/\S+)/))[1] ?? '';

/** Same keys and the same types everywhere; values differ from run to run. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shape(member)]));
}

t.test('the README and the tour: what they ask, and what they show as the answer', async (t) => {
  const server = startServer('readme', { HEADGATE_ADMIN_PASSWORD: password });
  t.teardown(() => server.stop());
  const url = await addressOf(server);
  const client = createClient({ baseUrl: url });
  await client.login({ body: { userName: 'admin', password } });
  await t.resolves(until(client, (running) => running.length > 0));

  const snippets = [join(root, 'README.md'), join(root, 'docs/tour.md')].flatMap((page) => snippetsOf(page));
  const [command] = snippets.filter(({ attributes }) => 'start' in attributes);
  t.equal(command?.text, `HEADGATE_ADMIN_PASSWORD=${password} npm start\n`, 'as this server was started');
  const questions = snippets.flatMap((question, index): [Snippet, Snippet | undefined][] =>
    'ask' in question.attributes ? [[question, snippets[index + 1]]] : [],
  );
  t.ok(questions.length > 0);
  for (const [{ text }, answer] of questions) {
    t.ok('answer' in (answer?.attributes ?? {}), 'the answer follows');
    const command = text.trim().replace('http://127.0.0.1:9090', url);
    const printed = await run('bash', ['-c', command], { cwd: scratch });
    t.strictSame(shape(JSON.parse(printed)), shape(JSON.parse(answer?.text ?? 'null')), command);
  }

  const commands = snippets.filter(({ attributes }) => 'run' in attributes);
  const [opening, ...steps] = commands.map(({ text }) => text.replace('http://127.0.0.1:9090', url));
  const answers = new Map<string, string>();
  for (const [index, step] of steps.entries())
    answers.set(
      commands[index + 1]?.attributes['run'] ?? '',
      await run('bash', ['-c', `${opening}\n${step}`], { cwd: scratch }),
    );
  t.match(answers.get('recordings'), /^\{"id":"(\S+)"\}\{"recordings":\[\{"id":"\1",/);
  t.match(answers.get('log'), / INFO {2}headgate\.engine\.Container - Deployed lines, parse, rejected /);
  t.equal(answers.get('property'), '{}{"length":3}');
  t.match(answers.get('plan'), /^\{\}\{"name":"missing","className":"headgate\.transform\.Filter",/);

  const [opener = '', ...parts] = snippets
    .filter(({ attributes }) => 'package' in attributes)
    .map(({ text }) => text.replaceAll('http://127.0.0.1:9090', url));
  const [, functions = '', imports = ''] = /^(packages\(\).*\n)([\s\S]*)$/.exec(opener) ?? [];
  const told: string[] = [];
  for (const part of [imports, ...parts])
    told.push(await run('bash', ['-c', `${functions}${part}`], { cwd: scratch }));
  t.match(told[0], /^\{\}\{"appPackages":\[\{"owner":"admin",.*"log-analytics".*"sensors"/);
  t.match(told[1], /^\{"appId":"(application_\w+)"\}\{"appId":"(?!\1)application_\w+"\}$/);
  t.match(told[2], /^\{"appPackageName":"sensors","appPackageVersion":"1\.0\.0",/);
  t.match(
    await runSnippet(snippets, 'packages.mjs', url),
    /^admin\/log-analytics\/1\.0\.0\nadmin\/sensors\/1\.0\.0\n\d+ requests a second, median \d+\.\d ms\n$/,
  );
  const [service] = snippets.filter(({ attributes }) => 'service' in attributes);
  const served = service?.text.replaceAll('http://127.0.0.1:9090', url) ?? '';
  t.match(
    await run('bash', ['-c', served], { cwd: root }),
    /^\{\}\{"name":"board","state":"RUNNING",.*"port":"\d+".*\}\["It works"\]$/,
  );
  const { apps } = await client.listApplications({ query: { states: 'RUNNING' } });
  for (const { id, name } of apps.filter(({ name }) => name !== 'Access log')) {
    await client.killApplication({ params: { appid: id } });
    t.ok(['traffic', 'greenhouse'].includes(name), name);
  }

  await until(client, (running) => running.length === 1);
  t.match(await runSnippet(snippets, 'client.mjs', url), /^Access log: RUNNING\n1 running\n$/);
});

t.test(
  'first start: a generated password, the lines it prints work, the demo moves, Ctrl-C stops cleanly',
  async (t) => {
    const server = startServer('demo');
    t.teardown(() => server.stop('SIGKILL'));
    const url = await addressOf(server);
    const [, generated = ''] = await server.printed(/password (\S+) {3}\(generated/);
    await server.printed(/Ctrl-C stops it/);
    const lines = server.output().match(/^ {4}curl .*$/gm) ?? [];
    t.equal(lines.length, 3);
    for (const line of lines) {
      t.type(JSON.parse(await run('bash', ['-c', `${line.trim()} -s`], { cwd: scratch })), 'object', line);
    }

    const client = createClient({ baseUrl: url });
    await client.login({ body: { userName: 'admin', password: generated } });
    const counted = await new Promise((resolve) => {
      client.subscribe('demo.accessLog', (data) => {
        if (isCount(data) && data.requests.count >= 5) resolve(data.requests.count);
        else void client.getHealth();
      });
    });
    t.ok(counted, 'the demo application counts the requests of this very server');
    client.close();

    t.equal(await server.stop('SIGINT'), 0);
    t.match(server.output(), /the demo application drains\nStopped\n$/);
  },
);

t.test(
  'a second start knows the accounts and the ended applications, and asks for no new password',
  async (t) => {
    const env = { HEADGATE_ADMIN_PASSWORD: password };
    const first = startServer('twice', env);
    t.teardown(() => first.stop('SIGKILL'));
    await addressOf(first);
    t.equal(await first.stop('SIGTERM'), 0);

    const second = startServer('twice');
    t.teardown(() => second.stop('SIGKILL'));
    const client = createClient({ baseUrl: await addressOf(second) });
    await client.login({ body: { userName: 'admin', password } });
    const { apps } = await client.listApplications({ query: { states: 'FINISHED' } });
    t.match(apps, [{ name: 'Access log', finalStatus: 'SUCCEEDED' }]);
    t.match(second.output(), 'with the password that was printed at the first start');
    client.close();
    t.equal(await second.stop('SIGTERM'), 0);
  },
);

t.test('docs/yarn.md: on a cluster that is not there, the rest of it works', async (t) => {
  const [snippet] = snippetsOf(join(root, 'docs/yarn.md')).filter(({ attributes }) => 'start' in attributes);
  const [, args = ''] = /^npm start -- (.*)\n$/.exec(snippet?.text ?? '') ?? [];
  const own = ['--port', '0', '--data', join(scratch, 'yarn')];
  const server = start(process.execPath, ['examples/server/server.js', ...args.split(' '), ...own], {
    cwd: root,
    env: { HEADGATE_ADMIN_PASSWORD: password },
  });
  t.teardown(() => server.stop('SIGKILL'));
  const client = createClient({ baseUrl: await addressOf(server) });
  await client.login({ body: { userName: 'admin', password } });
  t.match(await client.getCapabilities(), { driver: 'yarn' });
  t.match(await client.getHealth(), { status: 'degraded', reasons: [{ part: 'cluster' }] });
  client.close();
  t.equal(await server.stop('SIGTERM'), 0);
});

t.test('what the site files say to a host: where it listens, TLS, and files of its own', async (t) => {
  const folder = join(scratch, 'told');
  const files = join(scratch, 'console');
  const store = join(scratch, 'keys.p12');
  mkdirSync(join(folder, 'conf'), { recursive: true });
  mkdirSync(join(files, 'deep'), { recursive: true });
  writeFileSync(store, stores.openssl);
  writeFileSync(join(files, 'index.html'), '<h1>Ours</h1>');
  writeFileSync(join(files, 'deep', 'a b.js'), 'export {};');
  writeFileSync(join(files, '.env'), 'secret');
  symlinkSync(store, join(files, 'keys'));
  const told = {
    'platform.gateway.listenAddress': '127.0.0.1:0',
    'platform.attr.GATEWAY_USE_SSL': 'true',
    'platform.gateway.sslKeystorePath': store,
    'platform.gateway.sslKeystorePassword': storePassword,
    'platform.gateway.staticResourceDirectory': files,
  };
  const written = (properties: Record<string, string>) =>
    `<configuration>${Object.entries(properties)
      .map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`)
      .join('')}</configuration>`;
  const siteFile = join(folder, 'conf', 'platform-site.xml');
  const serve = () =>
    start(process.execPath, ['examples/server/server.js', '--no-demo', '--data', folder], { cwd: root });

  writeFileSync(siteFile, written({ ...told, 'platform.gateway.sslKeystorePassword': 'wrong' }));
  const refused = serve();
  t.equal(await refused.exited, 1);
  t.match(refused.output(), /^The key store .*keys\.p12 can't be used for TLS: mac verify failure/);

  writeFileSync(siteFile, written(told));
  const server = serve();
  t.teardown(() => server.stop('SIGKILL'));
  const [, url = ''] = await server.printed(/Headgate listening on (https:\/\/127\.0\.0\.1:\d+)/);
  const asked = async (path: string) => {
    const request = get(`${url}${path}`, { ca: mailCertificate, checkServerIdentity: () => undefined });
    const [response] = await once(request, 'response');
    return [response.statusCode, response.headers['content-type'], await text(response)];
  };
  t.match(await asked('/ws/v2/health'), [200, 'application/json', /"ok"/]);
  t.strictSame(await asked('/static/'), [200, 'text/html; charset=utf-8', '<h1>Ours</h1>']);
  t.strictSame(await asked('/static/deep/a%20b.js?v=1'), [
    200,
    'text/javascript; charset=utf-8',
    'export {};',
  ]);
  for (const path of [
    '/static/keys',
    '/static/.env',
    '/static/..%2fkeys.p12',
    '/static/%zz',
    '/static/deep',
  ]) {
    t.match(await asked(path), [404], path);
  }
  t.equal(await server.stop('SIGTERM'), 0);
});

t.test(
  'a disk that takes no line of its logs ends it neither while it serves nor when it stops',
  async (t) => {
    if (!existsSync('/dev/full')) return t.comment('there is no /dev/full here');
    const folder = join(scratch, 'full');
    mkdirSync(join(folder, 'logs'), { recursive: true });
    for (const file of ['headgate.log', 'logs/access.log']) symlinkSync('/dev/full', join(folder, file));
    const args = ['examples/server/server.js', '--no-demo', '--port', '0', '--data', folder];
    const server = start(process.execPath, args, { cwd: root });
    t.teardown(() => server.stop('SIGKILL'));
    const client = createClient({ baseUrl: await addressOf(server) });
    // More than wait for the disk: some are lost.
    const attempts = Array.from({ length: 5 }, () => client.getHealth());
    for (const { status } of await Promise.all(attempts)) t.equal(status, 'ok');
    client.close();
    t.equal(await server.stop('SIGTERM'), 0);
    t.match(server.output(), /Stopped\n$/);
  },
);

t.test('behind a proxy, as the tour says: cookies, origins, addresses and what is logged', async (t) => {
  const snippet = snippetsOf(join(root, 'docs/tour.md')).find(({ attributes }) => 'behind' in attributes);
  const [, args = ''] = /^npm start -- (.*)\n$/.exec(snippet?.text ?? '') ?? [];
  const more = ['--origin', 'https://console.example.org', '--no-demo', '--port', '0'];
  const data = join(scratch, 'behind');
  const server = start(
    process.execPath,
    ['examples/server/server.js', ...args.split(' '), ...more, '--data', data],
    { cwd: root, env: { HEADGATE_ADMIN_PASSWORD: password } },
  );
  t.teardown(() => server.stop('SIGKILL'));
  const url = await addressOf(server);
  const login = (headers: Record<string, string>, given = password) =>
    fetch(`${url}/ws/v2/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ userName: 'admin', password: given }),
    });
  for (let i = 0; i < 6; i++) await login({ 'x-forwarded-for': '203.0.113.9' }, `guess ${i}`);
  const right = await login({ 'x-forwarded-for': '203.0.113.10', origin: 'https://console.example.org' });
  t.equal(right.status, 200);
  for (const cookie of right.headers.getSetCookie()) t.match(cookie, /; Secure$/);
  t.equal((await login({ origin: 'https://elsewhere.example.org' })).status, 403);
  const audit = await fetch(`${url}/ws/v2/audit`, {
    headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` },
  });
  const told = await audit.text();
  for (const address of ['203.0.113.9', '203.0.113.10']) t.match(told, `"remoteAddress":"${address}"`);
  t.equal(await server.stop('SIGTERM'), 0);
  t.notMatch(readFileSync(join(data, 'headgate.log'), 'utf8'), 'http.request', 'only warnings and errors');
});

t.test('wrong options are named, with the usage', async (t) => {
  for (const [args, problem] of [
    [['--port', 'x'], '--port x is no port'],
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['--log-level', 'all'], '--log-level all is unknown'],
    [['--origin', 'console.example.org/x'], '--origin console.example.org/x is no origin'],
  ] as const) {
    const server = start(process.execPath, ['examples/server/server.js', ...args], { cwd: root });
    t.equal(await server.exited, 2);
    t.match(server.output(), problem);
    t.match(server.output(), 'Usage: headgate serve');
  }
});

t.test('proxies that are none: a sentence, not a stack', async (t) => {
  const args = ['--trust-proxy', 'nginx', '--port', '0', '--data', join(scratch, 'no-proxy')];
  const server = start(process.execPath, ['examples/server/server.js', ...args], { cwd: root });
  t.equal(await server.exited, 1);
  t.match(server.output(), 'trustProxy: "nginx" is no address');
  t.notMatch(server.output(), /^ {4}at /m);
});

t.test('a port that is taken: a sentence, not a stack', async (t) => {
  const first = startServer('port-one');
  t.teardown(() => first.stop());
  const port = new URL(await addressOf(first)).port;
  const second = start(
    process.execPath,
    ['examples/server/server.js', '--port', port, '--data', join(scratch, 'port-two')],
    { cwd: root },
  );
  t.equal(await second.exited, 1);
  t.match(second.output(), `127.0.0.1:${port} is taken`);
  t.notMatch(second.output(), /^ {4}at /m);
});

async function until(
  client: ReturnType<typeof createClient>,
  fits: (running: readonly unknown[]) => boolean,
): Promise<void> {
  for (;;) {
    const { apps } = await client.listApplications({ query: { states: 'RUNNING' } });
    if (fits(apps)) return;
  }
}

/** As a file of a project that has this package; what it prints. */
async function runSnippet(snippets: readonly Snippet[], name: string, url: string): Promise<string> {
  const snippet = snippets.find(({ attributes }) => attributes['file'] === name);
  const file = join(scratch, name);
  writeFileSync(file, snippet?.text ?? '');
  return run(process.execPath, [file, url], { cwd: root });
}

const isCount = (data: unknown): data is { requests: { count: number } } =>
  typeof data === 'object' &&
  data !== null &&
  'requests' in data &&
  typeof data.requests === 'object' &&
  data.requests !== null &&
  'count' in data.requests;

t.test('what Node refuses is answered as the gateway answers', async (t) => {
  const server = startServer('refused');
  t.teardown(() => server.stop());
  const { hostname, port } = new URL(await addressOf(server));
  const said = async (request: string) => {
    const socket = connect(Number(port), hostname);
    socket.end(request);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    return { status: head.split(' ')[1], body: JSON.parse(body) };
  };
  const requestId = /^[0-9a-f-]{36}$/;
  t.match(await said(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`), {
    status: '431',
    body: { code: 'HEADERS_TOO_LARGE', message: String, requestId },
  });
  t.match(await said('no request\r\n\r\n'), {
    status: '400',
    body: { code: 'MALFORMED_REQUEST', message: String, requestId },
  });

  // Far more than what is read before it is refused: the answer comes all the same, and no reset.
  t.match(await said(`GET /${'x'.repeat(4_000_000)} HTTP/1.1\r\nhost: a\r\n\r\n`), {
    status: '431',
    body: { code: 'HEADERS_TOO_LARGE', message: String, requestId },
  });

  // A connection that was used before is told as well.
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (piece) => (received += piece));
  socket.write('GET /ws/v2/health HTTP/1.1\r\nhost: a\r\n\r\n');
  await once(socket, 'data');
  socket.end('no request\r\n\r\n');
  await once(socket, 'close');
  t.match(received, /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 [\s\S]*MALFORMED_REQUEST/);
});
