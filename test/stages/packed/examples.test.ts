import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { checkReplies } from '../../../lib/client/replies.js';
import { createClient } from '../../../lib/client.js';
import { refuses } from '../../helpers/accounts.js';
import { run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { packInto } from '../../helpers/tarballs.js';

// The examples that are projects of their own, installed against the packed tarball as their READMEs say.

const root = join(import.meta.dirname, '../../../..');
const scratch = mkdtempSync(join(tmpdir(), 'headgate-examples-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
t.setTimeout(400_000);

await packInto(scratch);

/** What its page says, in the folder of the example; the last line starts it. */
const toRun = (folder: string): string[] => {
  const page = snippetsOf(join(folder, 'README.md'));
  const lines = page.filter(({ attributes }) => 'run' in attributes).map(({ text }) => text.trim());
  return lines
    .join('\n')
    .split('\n')
    .map((line) => line.replace(/ +#.*/, ''));
};

interface Installed {
  readonly folder: string;
  /** What the lines before the last one printed. */
  readonly printed: string;
}

const folders = new Map<string, Promise<Installed>>();
/** The folder of the example, in a tree like the repository's, where its page was followed as far as to its start. */
const installed = (name: string): Promise<Installed> => {
  const folder = folders.get(name) ?? install(name);
  folders.set(name, folder);
  return folder;
};

async function install(name: string): Promise<Installed> {
  const folder = join(scratch, 'examples', name);
  cpSync(join(root, 'examples', name), folder, {
    recursive: true,
    filter: (path) => !/node_modules|keys$/.test(path),
  });
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
  const lines = toRun(folder);
  if (lines.pop() !== 'npm start') throw new Error(`The page of ${name} does not end with npm start`);
  let printed = '';
  for (const line of lines) printed += await run('bash', ['-ec', line], { cwd: folder });
  return { folder, printed };
}

/** What the page tells to ask, as JSON. */
async function asked(folder: string, url: string): Promise<unknown[]> {
  const [snippet] = snippetsOf(join(folder, 'README.md')).filter(({ attributes }) => 'asks' in attributes);
  const command = (snippet?.text ?? 'exit 1')
    .replaceAll('curl ', `curl -s -w '\\n' `)
    .replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, url);
  const printed = await run('bash', ['-ec', command], { cwd: folder });
  return printed
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function running(t: Test, folder: string, env: Record<string, string> = {}): Promise<string> {
  const program = start(process.execPath, ['server.js'], { cwd: folder, env: { PORT: '0', ...env } });
  t.teardown(async () => {
    const code = await program.stop();
    if (code !== 0) throw new Error(`It did not end when it was told to (${code}):\n${program.output()}`);
  });
  return (await program.printed(/listening on (\S+)/))[1] ?? '';
}

/** Whether a WebSocket opens, and else the status. */
async function upgrade(url: string, headers: Record<string, string> = {}): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  socket.on('error', () => {});
  const status = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode)),
  ]);
  socket.terminate();
  return status;
}

t.test('each project is described, on one page', async (t) => {
  for (const entry of readdirSync(join(root, 'examples'), { withFileTypes: true })) {
    const files = readdirSync(join(root, 'examples', entry.name));
    if (!files.includes('package.json')) continue;
    const page = readFileSync(join(root, 'examples', entry.name, 'README.md'), 'utf8');
    t.ok(page.split('\n').length < 80, entry.name);
    const { dependencies, scripts } = JSON.parse(
      readFileSync(join(root, 'examples', entry.name, 'package.json'), 'utf8'),
    );
    t.match(scripts.start, /^node (server|main)\.js$/, 'which is how the tests start it');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    t.equal(dependencies.headgate, `file:../../headgate-${version}.tgz`);
  }
});

t.test('custom-storage keeps the contract, and users over a restart', async (t) => {
  const { folder, printed } = await installed('custom-storage');
  t.match(printed, /# pass 39\n# fail 0/);
  await t.test('first start', async (t) => {
    const baseUrl = await running(t, folder);
    t.match(await asked(folder, baseUrl), [{ users: [{ userName: 'admin' }] }]);
    const client = createClient({ baseUrl });
    await client.login({ body: { userName: 'admin', password: 'change me soon' } });
    await client.createUser({
      params: { user: 'eve' },
      body: { password: 'long enough a word', roles: ['developer'] },
    });
  });
  await t.test('second start', async (t) => {
    const baseUrl = await running(t, folder);
    const client = createClient({ baseUrl });
    await client.login({ body: { userName: 'eve', password: 'long enough a word' } });
    t.match(await client.getProfile(), { userName: 'eve' });
  });
});

t.test('custom-cluster keeps the contract, and the whole API is there', async (t) => {
  const { folder, printed } = await installed('custom-cluster');
  t.match(printed, /# fail 0/);
  const baseUrl = await running(t, folder);
  t.match(await asked(folder, baseUrl), [{ apps: [{ name: 'odd numbers' }] }, { driver: /./ }]);
  const client = createClient({ baseUrl, checkReplies });
  const [application] = (await client.listApplications()).apps;
  t.match(application, { name: 'odd numbers', state: 'RUNNING', applicationType: 'Pipeline' });
  const params = { appid: application?.id ?? '' };
  t.equal((await client.listPhysicalOperators({ params })).operators.length, 2);
  await refuses(t, client.listEvents({ params }), { status: 501, message: /pipelines/ });
  await client.killApplication({ params });
});

t.test('custom-auth lets in whom it knows, by each way', async (t) => {
  const { folder, printed } = await installed('custom-auth');
  t.match(printed, /# fail 0/);
  const baseUrl = await running(t, folder);
  t.match(await asked(folder, baseUrl), [
    { userName: 'operations', roles: ['admin'] },
    { userName: 'dora', roles: ['developer'] },
  ]);
  const key = (name: string) => readFileSync(join(folder, 'keys', name), 'utf8');
  const ask = (headers: Record<string, string>, who?: string) =>
    new Promise<{ status: number; body: unknown }>((resolve, reject) => {
      const tls = who === undefined ? {} : { cert: key(`${who}.pem`), key: key(`${who}.key`) };
      const options = { headers, ca: key('authority.pem'), agent: false, ...tls };
      secureRequest(`${baseUrl}/ws/v2/profile/user`, options, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(String(Buffer.concat(chunks))) });
      })
        .on('error', reject)
        .end();
    });
  t.match(await ask({}, 'operations'), { status: 200, body: { userName: 'operations', roles: ['admin'] } });
  const developer = { 'x-identity': key('developer.jwt') };
  t.match(await ask(developer), { status: 200, body: { userName: 'dora', roles: ['developer'] } });
  for (const [headers, who] of [
    [{}],
    [{}, 'stranger'],
    [{ 'x-identity': key('nobody.jwt') }],
    [{ 'x-identity': `${key('developer.jwt').slice(0, -3)}abc` }],
    [{ authorization: 'Bearer hgt_0000000000000000_x' }],
  ] as const)
    t.match(await ask({ ...headers }, who), { status: 401, body: { code: 'NOT_LOGGED_IN' } });
});

// With a real Flink behind it: `test/stages/flink/page.test.ts`.
t.test('flink: one login for the product and its gateway, which says that no Flink answers', async (t) => {
  const { folder } = await installed('flink');
  const baseUrl = await running(t, folder, { JOB_MANAGER: 'http://127.0.0.1:9' });
  t.match(await (await fetch(baseUrl)).text(), '<h1>Readings</h1>');
  const listed = (cookie: string) =>
    fetch(`${baseUrl}/streams/ws/v2/applications`, { headers: { cookie } }).then(({ status }) => status);
  t.equal(await listed(''), 401);
  const login = await fetch(`${baseUrl}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName: 'bob', password: 'builder' }),
  });
  t.equal(login.status, 204);
  t.equal(await listed(login.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''), 502);
});

for (const name of ['platform-server', 'platform-server-koa'])
  t.test(`${name}: one login for the product and its guest`, async (t) => {
    if (name !== 'platform-server') await installed('platform-server');
    const { folder } = await installed(name);
    const baseUrl = await running(t, folder);
    const post = (path: string, body: object, cookie = '') =>
      fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      });
    const login = async (name: string, password: string) => {
      const answer = await post('/api/login', { name, password });
      t.equal(answer.status, 200, name);
      return answer.headers
        .getSetCookie()
        .map((one) => one.split(';', 1)[0])
        .join('; ');
    };
    const as = (cookie: string) =>
      createClient({ baseUrl: `${baseUrl}/streams`, headers: { cookie }, checkReplies });

    t.equal((await post('/api/login', { name: 'ada', password: 'wrong' })).status, 401);
    await refuses(t, as('').getProfile(), { status: 401 });
    t.match(await (await fetch(baseUrl)).text(), /<h1>The product/);
    const [ada, bob, cyn] = await Promise.all([
      login('ada', 'analytical'),
      login('bob', 'builder'),
      login('cyn', 'curious'),
    ]);
    t.match(await as(ada).getProfile(), { userName: 'ada', roles: ['admin'], authScheme: 'host' });
    t.match(await as(bob).getProfile(), { roles: ['developer'] });
    const [application] = (await as(ada).listApplications()).apps;
    t.match(application, { name: 'heartbeat', user: 'ada' });

    // The product's body parser has read it, in front of the gateway.
    await as(bob).putSetting({ params: { user: 'bob', key: 'theme' }, body: { value: 'dark' } });
    t.match(await as(bob).getSetting({ params: { user: 'bob', key: 'theme' } }), { value: 'dark' });
    await refuses(
      t,
      as(cyn).putSetting({ params: { user: 'cyn', key: 'theme' }, body: { value: 'dark' } }),
      { status: 403 },
      'the product’s own right is asked, too',
    );

    for (const [path, cookie, status] of [
      ['/live', '', 401],
      ['/live', ada, 101],
      ['/streams/pubsub', '', 401],
      ['/streams/pubsub', ada, 101],
    ] as const)
      t.equal(await upgrade(`${baseUrl}${path}`, { cookie }), status, `${path} ${status}`);

    await post('/api/logout', {}, ada);
    await refuses(t, as(ada).getProfile(), { status: 401 });
    await as(bob).getProfile();
  });
