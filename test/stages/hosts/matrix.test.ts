import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { attachWebSocket } from '../../../adapters/host/http.js';
import { localCluster } from '../../../packages/engine/index.js';
import { adminPassword } from '../../helpers/accounts.js';
import { bareRuntime } from '../../helpers/bare-runtime.js';
import { testFolder } from '../../helpers/folder.js';
import { newGateway } from '../../helpers/gateway.js';
import { makeHashesCheap } from '../../helpers/hashes.js';
import { nginxBefore } from '../../helpers/nginx.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { askProxy, clientAddress } from '../../helpers/tls-proxy.js';
import { admin, type Check, checksWith, events, longLog, type Mounted } from './checks.js';
import { nextHosts } from './next.js';
import { mountOf, type Program, programs } from './programs.js';
import { type Cell, columns, type Row, replaceTable, tableOf } from './table.js';

// Every host with everything that is asked of one, and the table of docs/hosts.md that tells of it. With `--write` the
// table is written, and not compared.

makeHashesCheap();
// nginx has a certificate that signed itself.
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';

const page = join(root, 'docs/hosts.md');
const conf = snippetsOf(join(root, 'docs/embedding.md')).find(({ attributes }) => 'conf' in attributes);

interface Host {
  readonly name: string;
  readonly log: string;
  /** At the root of one server, and at a prefix of the same or of another. */
  readonly atRoot: Mounted;
  readonly atPrefix: Mounted;
  /** What it can't, and the number of the note that says why. */
  readonly cannot?: { readonly note: number; readonly columns: readonly string[]; readonly proof: Check };
}

/** As a subtest, so that what a check opened goes with it. */
async function cell(t: Test, name: string, run: (t: Test) => Promise<void>): Promise<Cell> {
  let error: unknown;
  await t.test(name, async (t) => {
    await run(t).catch((reason: unknown) => {
      error = reason;
      t.error(reason);
    });
  });
  return error === undefined ? 'yes' : 'fails';
}

async function rowOf(t: Test, host: Host): Promise<Row> {
  const checks: Readonly<Record<string, Check>> = checksWith(host.log);
  const { atRoot, atPrefix, cannot } = host;
  const isLeftOut = (column: string) => cannot?.columns.includes(column) ?? false;
  const both = Object.entries(checks).filter(([name]) => !isLeftOut(name));
  const cells = new Map<string, Cell>();
  for (const [name, check] of both) cells.set(name, await cell(t, name, (t) => check(t, atRoot)));
  for (const column of cannot?.columns ?? []) cells.set(column, { note: cannot?.note ?? 0 });
  if (cannot) await t.test('what it has no way to do', (t) => cannot.proof(t, atRoot));
  const prefixed = await cell(t, 'Prefix', async (t) => {
    const isHosts = await fetch(`${atPrefix.origin}/console-of-others/ws/v2/about`);
    assert.equal(isHosts.status, 404);
    for (const [, check] of both) await check(t, atPrefix);
  });
  const proxied = await cell(t, 'nginx', async (t) => {
    const port = await nginxBefore(t, conf?.text ?? '', atRoot.origin);
    const login = JSON.stringify({ userName: 'admin', password: adminPassword });
    const { status, cookies } = await askProxy(port, 'POST', '/ws/v2/login', {}, login);
    assert.equal(status, 200);
    for (const cookie of cookies) assert.match(cookie, /; Secure$/);
    const behind = { origin: `https://127.0.0.1:${port}`, prefix: '' };
    const client = await admin(t, behind);
    const { records } = await client.listAudit({ query: { operation: 'login' } });
    assert.ok(records.some(({ remoteAddress }) => remoteAddress === clientAddress));
    for (const [, check] of both) await check(t, behind);
  });
  cells.set('Prefix', prefixed).set('nginx, TLS', proxied);
  return { name: host.name, cells };
}

const { gateway, client } = await newGateway(t, {
  auth: passwordSessions(),
  initialAdmin: { password: adminPassword },
  trustProxy: 'loopback',
  cluster: localCluster(inFolder(testFolder(t))),
});

function inFolder(directory: string) {
  return { directory, execPath: bareRuntime(directory) };
}

await client.login({ body: { userName: 'admin', password: adminPassword } });
const log = await longLog(client);

async function programHost(t: Test, { name, start }: Program): Promise<Host> {
  const at = async (prefix: string, order: 'before' | 'after'): Promise<Mounted> => {
    let detach = () => {};
    const { server, close } = await start({
      order,
      mount: mountOf(gateway, prefix),
      attach(server) {
        detach = attachWebSocket(server, gateway, { prefix });
      },
    });
    t.teardown(async () => {
      detach();
      await close();
    });
    return { origin: `http://127.0.0.1:${Object(server.address()).port}`, prefix };
  };
  return { name, log, atRoot: await at('', 'before'), atPrefix: await at('/console', 'after') };
}

/** It stays without an answer for as long as it takes to get what is there in its place. */
const opensNoWebSocket: Check = async (t, at) => {
  const socket = new WebSocket(`${at.origin.replace('http', 'ws')}${at.prefix}/pubsub`);
  socket.on('error', () => {});
  const opened = once(socket, 'open').then(() => 'open');
  assert.equal(await Promise.race([opened, events(t, at).then(() => 'events')]), 'events');
  socket.terminate();
};

const rows = new Map<string, Row>();
const built = nextHosts(t);
for (const program of await programs()) {
  await t.test(program.name, async (t) => {
    rows.set(program.name, await rowOf(t, await programHost(t, program)));
  });
}
// Without a subtest that runs, tap would take the file for ended, and tear down what is being built.
await t.test('Next.js has built', async () => void (await built));
const { customServer, routeHandler } = await built;
const noSockets = {
  note: 1,
  columns: ['WebSocket', 'WebSocket beside another'],
  proof: opensNoWebSocket,
};
for (const { name, start, ...more } of [
  { name: 'Next.js 16, custom server', start: customServer },
  { name: 'Next.js 16, route handler', start: routeHandler, cannot: noSockets },
]) {
  await t.test(name, async (t) => {
    const origin = await start();
    const log = await longLog(await admin(t, { origin, prefix: '' }));
    const host = { name, log, atRoot: { origin, prefix: '' }, atPrefix: { origin, prefix: '/console' } };
    rows.set(name, await rowOf(t, { ...host, ...more }));
  });
}

const table = tableOf([...rows.values()]);
const text = readFileSync(page, 'utf8');
if (process.argv.includes('--write')) writeFileSync(page, replaceTable(text, table));
else t.equal(replaceTable(text, table), text, 'the table of docs/hosts.md is that of this run');
t.equal(rows.size, 11);
for (const { name, cells } of rows.values()) t.equal(cells.size, columns.length, name);
