import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { folderBesideBuilt } from '../../helpers/folder.js';
import { type RunningProgram, run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root, sourcesIn } from '../../helpers/sources.js';

// docs/embedding.md, docs/security.md and docs/drivers.md: their programs, with the package as it is built.

const page = readFileSync(join(root, 'docs/embedding.md'), 'utf8');
const scratch = folderBesideBuilt(t, 'embedding');

/** The snippet of a page, on a free port, in a folder of its own. */
async function host(
  t: Test,
  file: string,
  document = 'docs/embedding.md',
): Promise<{ url: string; program: RunningProgram }> {
  const found = snippetsOf(join(root, document)).find(({ attributes }) => attributes['file'] === file);
  const text = (found?.text ?? '')
    .replace(/listen\(\d+/, 'listen(0')
    .replace(/'listening on (https?):\/\/[\d.:]+'/, "'listening on $1://127.0.0.1:' + server.address().port");
  const folder = mkdtempSync(join(scratch, 'host-'));
  const path = join(folder, file);
  writeFileSync(path, text);
  const program = start(process.execPath, [path], { cwd: folder });
  t.teardown(() => program.stop('SIGKILL'));
  const [, url = ''] = await program.printed(/listening on (\S+)/);
  return { url, program };
}

const json = { 'content-type': 'application/json' };

/** `open`, or the status with which the WebSocket is refused; and what it says first. */
async function dial(url: string, path: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers });
  socket.on('error', () => {});
  // Now: it may come together with the answer to the upgrade.
  const greeting = new Promise<string>((resolve) => {
    socket.once('message', (data) => resolve(data.toString()));
  });
  const outcome = await Promise.race([
    once(socket, 'open').then(() => 'open'),
    once(socket, 'unexpected-response').then(([, response]) => String(response.statusCode)),
  ]);
  return { socket, outcome, greeting };
}

t.test('a host with a parser, a prefix and a WebSocket of its own ends in order', async (t) => {
  const { url, program } = await host(t, 'embedding.mjs');
  const own = await fetch(`${url}/api/echo`, { method: 'POST', headers: json, body: '{"mine":1}' });
  t.strictSame(await own.json(), { mine: 1 });
  const login = await fetch(`${url}/streams/ws/v2/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ userName: 'admin', password: 'correct-horse' }),
  });
  t.equal(login.status, 200, 'the parsed body is used');
  const [cookie = ''] = login.headers.getSetCookie();
  t.match(cookie, 'Path=/streams;');
  const headers = { cookie: cookie.split(';', 1)[0] ?? '' };

  t.equal((await dial(url, '/streams/pubsub')).outcome, '401');
  t.equal(
    (await dial(url, '/streams/pubsub', { ...headers, origin: 'https://evil.example' })).outcome,
    '403',
  );
  const foreign = { ...headers, ...json, origin: 'https://evil.example' };
  t.equal((await fetch(`${url}/streams/ws/v2/logout`, { method: 'POST', headers: foreign })).status, 403);
  const mine = await dial(url, '/live');
  t.equal(await mine.greeting, 'mine');
  mine.socket.terminate();

  const live = await dial(url, '/streams/pubsub', headers);
  t.equal(live.outcome, 'open');
  const closed = once(live.socket, 'close');
  t.equal(await program.stop('SIGTERM'), 0);
  t.equal((await closed)[0], 1001);
});

t.test('two gateways in front of one Koa', async (t) => {
  const { url, program } = await host(t, 'in-front.mjs');
  t.equal(await (await fetch(`${url}/`)).text(), 'my product');
  for (const prefix of ['/east', '/west']) {
    t.strictSame(await (await fetch(`${url}${prefix}/ws/v2/health`)).json(), { status: 'ok', reasons: [] });
    const { socket, outcome } = await dial(url, `${prefix}/pubsub`);
    t.equal(outcome, 'open');
    socket.terminate();
  }
  t.equal(await program.stop('SIGTERM'), 0);
});

t.test('docs/security.md: its cookie, its origins and its rule hold', async (t) => {
  const { url } = await host(t, 'secure.mjs', 'docs/security.md');
  const login = (origin: string) =>
    fetch(`${url}/ws/v2/login`, {
      method: 'POST',
      headers: { ...json, origin },
      body: JSON.stringify({ userName: 'admin', password: 'correct-horse' }),
    });
  t.equal((await login('https://evil.example')).status, 403);
  const answer = await login('https://console.example.org');
  t.equal(answer.status, 200);
  const [cookie = ''] = answer.headers.getSetCookie();
  t.match(cookie, /^__Host-streams=\S+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  const headers = { cookie: cookie.split(';', 1)[0] ?? '' };
  const forbidden = await fetch(`${url}/ws/v2/config/clusterExecutable`, {
    method: 'PUT',
    headers: { ...headers, ...json },
    body: JSON.stringify({ value: process.execPath }),
  });
  t.equal(forbidden.status, 403, 'also for administrators');
  t.equal((await dial(url, '/nonsense', headers)).outcome, '404');
});

t.test('docs/drivers.md: its driver keeps the contract', async (t) => {
  const snippets = snippetsOf(join(root, 'docs/drivers.md'));
  const folder = mkdtempSync(join(scratch, 'drivers-'));
  for (const { attributes, text } of snippets) writeFileSync(join(folder, attributes['file'] ?? ''), text);
  const told = await run(process.execPath, ['--test', 'my-secrets.test.mjs'], { cwd: folder });
  t.match(told, /\bfail 0\b/);
  t.match(told, /\bpass [1-9]/);
});

t.test(
  'packages that look for files beside their own are named as those that stay out of a bundle',
  async (t) => {
    // What a container starts lies beside it wherever it is: `packages/engine/programs/programs.ts`.
    const loaders = sourcesIn(['lib', 'adapters', 'packages']).filter(
      (file) =>
        !file.startsWith('packages/engine/container/') &&
        // A program, and nobody's part.
        !file.startsWith('packages/server/') &&
        // Makes the pages, and is not in the package.
        file !== 'packages/console/vite.config.ts' &&
        /(?<!as )\bimport\.meta\b|__dirname/.test(readFileSync(join(root, file), 'utf8')),
    );
    const owners = new Set(loaders.map((file) => /^packages\/\w+/.exec(file)?.[0] ?? 'headgate'));
    t.strictSame([...owners].sort(), ['packages/console', 'packages/containers', 'packages/directory']);
    const line = /^\*\*Outside of it.*$/m.exec(page)?.[0] ?? '';
    for (const owner of owners) t.ok(line.includes(`\`@headgate/${owner.split('/')[1]}\``), owner);
  },
);
