import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import t, { type Test } from 'tap';
import { dockerRuntime } from '../../../packages/containers/index.js';
import { until } from '../../helpers/waiting.js';

// A runtime that answers what no good one does, on a real socket. Good ones: `npm run test:containers`.

const limits = { timeoutMillis: 300, imageMillis: 300, execMillis: 300, answerBytes: 10_000 };
type Answer = (req: IncomingMessage, res: ServerResponse) => void;

async function runtimeThat(t: Test, answer: Answer, bounds = limits) {
  // The path of a socket is short.
  const directory = await mkdtemp(join(tmpdir(), 'headgate-'));
  const host = join(directory, 'r.sock');
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url?.split('?')[0]}`);
    req.resume();
    answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(host, resolve));
  const runtime = dockerRuntime({ host: `unix://${host}`, limits: bounds });
  await runtime.open({
    owner: 'a1b2c3d4e5f6a7b8',
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    clock: { now: Date.now, monotonic: () => performance.now() },
  });
  t.teardown(async () => {
    await runtime.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true });
  });
  return { runtime, asked, host };
}

const spec = { name: 'web', revision: '1', run: ['x:1'] };
const json = (res: ServerResponse, body: unknown, status = 200) =>
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

t.test('one that hangs, before and in the middle of its answer', async (t) => {
  const { runtime } = await runtimeThat(t, (req, res) => {
    if (req.url?.startsWith('/containers')) res.writeHead(200).write('[');
  });
  await t.rejects(runtime.info(), { status: 504, code: 'TIMED_OUT' });
  await t.rejects(runtime.list(), { status: 504, code: 'TIMED_OUT' });
  const given = new Error('given up');
  await t.rejects(runtime.list({ signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  await t.rejects(runtime.list({ signal: AbortSignal.abort(given) }), given);
});

t.test('one that sends garbage, too much, or hangs up', async (t) => {
  const answers: [Answer, { readonly code: string; readonly message?: RegExp }][] = [
    [(_req, res) => res.end('<html>'), { code: 'UNUSABLE_ANSWER' }],
    [(_req, res) => json(res, [{ Id: 7 }]), { code: 'UNUSABLE_ANSWER' }],
    [(_req, res) => res.end(JSON.stringify('x'.repeat(20_000))), { code: 'UNUSABLE_ANSWER' }],
    [(_req, res) => res.writeHead(500).end('oops'), { code: 'UNUSABLE_ANSWER' }],
    [
      (_req, res) => json(res, { message: 'no room' }, 500),
      { code: 'CONTAINER_FAILED', message: /no room$/ },
    ],
    [(req) => req.destroy(), { code: 'UNREACHABLE' }],
    [
      (_req, res) => res.writeHead(200, { 'content-length': 10 }).write('[', () => res.destroy()),
      { code: 'UNREACHABLE' },
    ],
  ];
  let answer: Answer = () => {};
  const { runtime } = await runtimeThat(t, (req, res) => answer(req, res));
  for (const [one, refusal] of answers) {
    answer = one;
    await t.rejects(runtime.list(), refusal);
  }
  answer = (_req, res) => json(res, { Version: 'unknown' });
  await t.rejects(runtime.info(), { code: 'UNUSABLE_ANSWER' });
  answer = (_req, res) => json(res, { Version: '20.10.24+dfsg1' });
  t.strictSame(await runtime.info(), { version: '20.10.24+dfsg1' });
});

t.test('a pull tells how far it is, and its failure comes in the middle of it', async (t) => {
  const lines = [
    { status: 'Pulling from library/x', id: '1' },
    { status: 'Downloading', id: 'a', progressDetail: { current: 2 ** 20, total: 8 * 2 ** 20 } },
    { error: 'manifest unknown' },
  ];
  const { runtime, asked } = await runtimeThat(t, (req, res) => {
    if (req.method === 'POST') res.end(lines.map((line) => `${JSON.stringify(line)}\r\n`).join(''));
    else json(res, { message: 'no such image' }, 404);
  });
  const told: string[] = [];
  await t.rejects(runtime.install(spec, { onProgress: (sentence) => told.push(sentence) }), {
    code: 'CONTAINER_FAILED',
    message: 'The container runtime says: manifest unknown',
  });
  t.strictSame(told, ['Fetching the image x:1'], 'once a second at most');
  t.strictSame(asked, ['GET /images/x:1/json', 'POST /images/create']);
});

t.test('an archive that is cut, or refused in the middle', async (t) => {
  const source = createServer((req, res) => {
    if (req.url === '/cut') res.writeHead(200, { 'content-length': 1000 }).write('x', () => res.destroy());
    else if (req.url === '/locked' && req.headers.authorization !== `Basic ${btoa('ada:s3cr3t/1')}`)
      res.writeHead(401).end();
    else if (req.url === '/good' || req.url === '/locked') res.end('x'.repeat(200_000));
    else res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  t.teardown(() => source.close());
  const address = source.address();
  const at = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { runtime } = await runtimeThat(t, (req, res) => {
    if (req.method === 'POST') req.once('end', () => json(res, { error: 'not a tar archive' }));
    else json(res, {}, 404);
  });
  const install = (path: string) => runtime.install({ ...spec, srcUrl: `${at}${path}` });
  await t.rejects(install('/cut'), { code: 'CONTAINER_FAILED', message: /could not be read to its end/ });
  await t.rejects(install('/good'), { code: 'CONTAINER_FAILED', message: /not a tar archive/ });
  await t.rejects(install('/none'), { code: 'CONTAINER_FAILED', message: /answered with status 404/ });
  await t.rejects(runtime.install({ ...spec, srcUrl: 'file:///nowhere.tar' }), {
    message: /There is no file/,
  });
  const withLogin = (login: string, path = '/locked') =>
    runtime.install({ ...spec, srcUrl: `${at.replace('//', `//${login}@`)}${path}` });
  await t.rejects(withLogin('ada:s3cr3t%2F1'), { message: /not a tar archive/ }, 'the login is taken');
  await t.rejects(withLogin('ada:wrong-s3cr3t'), {
    message: /^http:\/\/127[^@]*\/locked answered with status 401$/,
  });
  const nobody = await runtime
    .install({ ...spec, srcUrl: 'http://ada:s3cr3t@127.0.0.1:1/x' })
    .catch((error: unknown) => error);
  t.notMatch(inspect(nobody, { depth: 5 }), /s3cr3t/, 'nor is it in what the log gets');
});

t.test('what is still no value when it starts is refused before the runtime is asked', async (t) => {
  const { runtime, asked } = await runtimeThat(t, (_req, res) => json(res, {}));
  const open = { ...spec, run: ['-m', '${.memory}', 'x:1'] };
  t.strictSame(runtime.check(open), []);
  const refusal = { code: 'CONTAINER_FAILED', message: /^run: -m needs/ };
  await t.rejects(runtime.install(open), refusal);
  await t.rejects(runtime.start(open), refusal);
  t.strictSame(asked, []);
});

t.test('a container that is described badly is told as it is listed, and hides no other one', async (t) => {
  const listed = (Id: string, State: string) => ({
    Id,
    State,
    Created: 5,
    Labels: { 'headgate.service': Id, 'headgate.revision': '1' },
  });
  const all = [
    listed('odd', 'running'),
    listed('gone', 'exited'),
    listed('made', 'created'),
    listed('good', 'running'),
  ];
  const good = {
    Id: 'good',
    State: { Status: 'running', ExitCode: 0, StartedAt: '2026-01-01T00:00:00Z' },
    HostConfig: {},
    NetworkSettings: {},
  };
  const { runtime } = await runtimeThat(t, (req, res) => {
    if (req.url?.startsWith('/containers/json')) json(res, all);
    else if (req.url?.startsWith('/containers/good/json')) json(res, good);
    else if (req.url?.startsWith('/containers/odd')) json(res, { Id: 'odd', State: {} });
    else json(res, { message: 'layer not known' }, 500);
  });
  t.match(await runtime.list(), [
    { name: 'odd', state: 'running', startedTime: 5000 },
    { name: 'gone', state: 'ended', reason: /does not tell how/ },
    { name: 'good', state: 'running', startedTime: Date.UTC(2026, 0) },
  ]);
});

t.test('pulls that hang keep nobody from asking', async (t) => {
  const answer: Answer = (req, res) => {
    if (req.url?.startsWith('/containers/json')) json(res, []);
    else if (req.method !== 'POST') json(res, {}, 404);
  };
  const { runtime, asked } = await runtimeThat(t, answer, {
    ...limits,
    timeoutMillis: 60_000,
    imageMillis: 60_000,
  });
  const abort = new AbortController();
  const pulls = Array.from({ length: 20 }, () =>
    runtime.install(spec, { signal: abort.signal }).catch(() => {}),
  );
  await until(
    async () => asked.filter((line) => line.startsWith('POST')).length,
    (count) => count >= 16,
  );
  t.strictSame(await runtime.list({ signal: AbortSignal.timeout(10_000) }), []);
  abort.abort();
  await Promise.all(pulls);
});

t.test('another address while it is in use, and back', async (t) => {
  const first = await runtimeThat(t, (_req, res) => json(res, { Version: '1.0' }));
  const second = await runtimeThat(t, (_req, res) => json(res, { Version: '2.0' }));
  const { runtime } = first;
  t.equal(runtime.host?.current(), `unix://${first.host}`);
  runtime.host?.use(`unix://${second.host}`);
  t.strictSame(await runtime.info(), { version: '2.0' });
  t.throws(() => runtime.host?.use('nowhere'), { code: 'ADDRESS_NOT_VALID' });
  t.strictSame(await runtime.info(), { version: '2.0' }, 'as it was');
  runtime.host?.use(undefined);
  t.strictSame(await runtime.info(), { version: '1.0' });
});

t.test('options that can not be used are named', async (t) => {
  t.throws(() => dockerRuntime({ hostPaths: ['relative'] }), /hostPaths/);
  t.throws(() => dockerRuntime({ publishAddress: 'here' }), /publishAddress/);
  t.throws(() => dockerRuntime({ limits: { execMillis: 0 } }), /execMillis/);
  t.throws(() => dockerRuntime({ host: 'https://x' }), /no address of a container runtime/);
});
