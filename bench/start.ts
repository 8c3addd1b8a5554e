import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../test/helpers/sources.js';
import { median, report } from './report.js';

// What a start costs: a process each, of the bundles as users get them (`npm run build` first), with Node's own flags. Memory is
// the resident set, as `ps` shows it, two seconds after the last step; what an import adds is told beside the bare process.
//
// Of a running gateway the floor is what `floor` below measures: 54.6 MB on Node 20, where Node itself has 44.6 and a listening
// server with an open database of LevelDB the other 10. So a goal of 70 MB leaves 15 for the core, the engine and the storage;
// `usual` is what a host takes that does nothing yet with the libraries that most would take for the same.
// The gateway is started twice and the second start measured, since the first one writes the programs of containers.

const rounds = 3;
const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-start-'));

/** Packages as they are shipped: of this repository only what its `exports` can reach. */
function install(): void {
  const modules = join(folder, 'node_modules');
  for (const name of ['express', 'koa', 'zod', 'ws', 're2js', 'sax', 'acorn', 'classic-level']) link(name);
  copy('.', 'headgate');
  for (const name of ['engine', 'history', 'operators', 'level'])
    copy(join('packages', name), `@headgate/${name}`);

  function link(name: string): void {
    mkdirSync(modules, { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  function copy(from: string, name: string): void {
    const to = join(modules, name);
    mkdirSync(dirname(to), { recursive: true });
    for (const part of ['package.json', 'dist'])
      cpSync(join(root, from, part), join(to, part), { recursive: true });
  }
}

/** Prints milliseconds and the resident set in bytes. */
const program = (body: string) => `
  import { readFileSync } from 'node:fs';
  const startedAt = performance.now();
  ${body}
  const millis = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const [, kilobytes] = /VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'));
  console.log(JSON.stringify({ millis, megabytes: (kilobytes * 1024) / 1e6 }));
  process.exit();`;

const gateway = `
  const { createServer } = await import('node:http');
  const { createGateway } = await import('headgate');
  const { attachWebSocket, httpHandler } = await import('headgate/http');
  const { passwordSessions } = await import('headgate/auth/password');
  const { localCluster } = await import('@headgate/engine');
  const { filesystemStorage } = await import('@headgate/level');
  const gateway = await createGateway({
    storage: await filesystemStorage({ directory: 'data/storage' }),
    cluster: localCluster({ directory: 'data/engine' }),
    auth: passwordSessions(),
  });
  const handle = httpHandler(gateway);
  const server = createServer((request, response) => handle(request, response, () => response.end()));
  attachWebSocket(server, gateway);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));`;

const programs = {
  bare: '',
  floor: `
    const { createServer } = await import('node:http');
    await new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve));
    const { ClassicLevel } = await import('classic-level');
    await new ClassicLevel('data/floor').open();`,
  usual: `
    const { createServer } = await import('node:http');
    const { default: express } = await import('express');
    const { WebSocketServer } = await import('ws');
    await import('zod');
    const server = createServer(express());
    new WebSocketServer({ server });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { ClassicLevel } = await import('classic-level');
    await new ClassicLevel('data/usual').open();`,
  express: `await import('express');`,
  koa: `await import('koa');`,
  headgate: `await import('headgate');`,
  gateway,
};
type Name = keyof typeof programs;
const names: readonly Name[] = ['bare', 'floor', 'usual', 'express', 'koa', 'headgate', 'gateway'];

interface Measured {
  readonly millis: number;
  readonly megabytes: number;
}

function run(name: Name): Measured {
  const printed = execFileSync(process.execPath, [`${name}.mjs`], { cwd: folder, encoding: 'utf8' });
  return JSON.parse(printed);
}

install();
for (const name of names) writeFileSync(join(folder, `${name}.mjs`), program(programs[name]));
mkdirSync(join(folder, 'data'));
run('gateway');
const measured = new Map<Name, Measured[]>(names.map((name) => [name, []]));
// In turns, so that a busy moment of the machine meets all of them.
for (let round = 0; round < rounds; round++) for (const name of names) measured.get(name)?.push(run(name));
rmSync(folder, { recursive: true, force: true });

const millisOf = (name: Name) => median(measured.get(name)?.map(({ millis }) => millis) ?? []);
const megabytesOf = (name: Name) => median(measured.get(name)?.map(({ megabytes }) => megabytes) ?? []);
const added = (name: Name) => megabytesOf(name) - megabytesOf('bare');

const isGood = report('Start', [
  { what: 'import of the core', figure: millisOf('headgate') / 1000, unit: 's', goal: { atMost: 0.25 } },
  { what: 'import of Express', figure: millisOf('express') / 1000, unit: 's' },
  { what: 'import of Koa', figure: millisOf('koa') / 1000, unit: 's' },
  { what: 'memory of that import', figure: added('headgate'), unit: 'MB', goal: { atMost: 25 } },
  { what: 'memory of Express', figure: added('express'), unit: 'MB' },
  { what: 'memory of Koa', figure: added('koa'), unit: 'MB' },
  {
    what: 'a gateway with engine and level, ready',
    figure: millisOf('gateway') / 1000,
    unit: 's',
    goal: { atMost: 1 },
  },
  { what: 'its memory, idle', figure: megabytesOf('gateway'), unit: 'MB', goal: { atMost: 70 } },
  { what: 'memory of a server with an open database', figure: megabytesOf('floor'), unit: 'MB' },
  { what: 'memory of one with Express, ws and zod besides', figure: megabytesOf('usual'), unit: 'MB' },
  { what: 'memory of a bare process', figure: megabytesOf('bare'), unit: 'MB' },
]);
process.exitCode = isGood ? 0 : 1;
