import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { create } from 'tar';
import type { ContainerRuntime, ContainerSpec } from '../../../lib/index.js';
import { silent } from '../../../lib/options.js';
import { processRuntime } from '../../../packages/containers/index.js';
import { isAlive, signal, startOf } from '../../../packages/containers/process/identity.js';
import { memoryByGroup } from '../../../packages/containers/process/memory.js';
import { readRun } from '../../../packages/containers/process/record.js';
import { containerRuntimeContract } from '../../../packages/contracts/index.js';
import { until } from '../../helpers/waiting.js';

const directory = await mkdtemp(join(tmpdir(), 'headgate-process-'));
t.teardown(() => rm(directory, { recursive: true, force: true }));
const owner = randomBytes(12).toString('hex');

const lasting = 'trap "exit 0" TERM; while true; do sleep 0.05; done';
await mkdir(join(directory, 'source', 'bin'), { recursive: true });
await writeFile(join(directory, 'source', 'bin', 'serve'), `#!/bin/sh\n${lasting}\n`, { mode: 0o755 });
await create({ file: join(directory, 'serve.tgz'), gzip: true, cwd: join(directory, 'source') }, ['bin']);

await containerRuntimeContract(t, {
  create: () => processRuntime({ directory: join(directory, 'contract') }),
  script: (script) => ({ run: ['sh', '-c', script] }),
  limited: (script, megabytes) => ({ run: ['--memory', `${megabytes}m`, 'sh', '-c', script] }),
  exec: (code) => ['sh', '-c', `exit ${code}`],
  refused: { run: ['--privileged', 'sh'], names: '--privileged' },
  missing: { srcUrl: 'file:///nowhere/program.tgz', run: ['program'] },
  fetched: { srcUrl: pathToFileURL(join(directory, 'serve.tgz')).href, run: ['bin/serve'] },
});

async function opened(
  t: { teardown(end: () => Promise<void>): unknown },
  options: { readonly execPath?: string } = {},
): Promise<ContainerRuntime> {
  const runtime = processRuntime({ directory, ...options });
  await runtime.open({ owner, logger: silent, clock: { now: Date.now, monotonic: () => performance.now() } });
  t.teardown(async () => {
    for (const { name } of await runtime.list()) await runtime.remove(name);
  });
  return runtime;
}
const specOf = (name: string, ...run: string[]): ContainerSpec => ({ name, revision: 'r', run });
const reportOf = async (runtime: ContainerRuntime, name: string) =>
  (await runtime.list()).find((report) => report.name === name);
const untilEnded = (runtime: ContainerRuntime, name: string) =>
  until(
    () => reportOf(runtime, name),
    (report) => report?.state === 'ended',
  );

t.test('one that takes more memory than its limit is ended, and says so', async (t) => {
  const runtime = await opened(t);
  const greedy = 'c=$(head -c 4000000 /dev/zero | tr "\\0" x); while true; do x="$x$c"; sleep 0.05; done';
  await runtime.start(await installed(runtime, specOf('greedy', '-m', '64m', 'sh', '-c', greedy)));
  t.match((await untilEnded(runtime, 'greedy'))?.reason, /more than its limit of 64 MB/);
});

t.test('its environment is its own, and its port a free one', async (t) => {
  const runtime = await opened(t);
  const spec = specOf('env', '-e', 'A=b c', '-p', '0', 'sh', '-c', 'env; sleep 60');
  const report = await runtime.start(await installed(runtime, spec));
  const log = join(directory, owner, 'env', 'logs', 'output.log');
  const text = await until(
    () => readFile(log, 'utf8').catch(() => ''),
    (text) => text.includes('PORT='),
  );
  const names = text.split('\n').map((line) => line.split('=')[0] ?? '');
  t.match(text, `PORT=${report.metadata?.['port']}\n`);
  t.match(text, 'A=b c\n');
  t.strictSame(
    names.filter((name) => !/^(A|PATH|LANG|HOME|SERVICE_DATA|PORTS?|PWD|OLDPWD|SHLVL|_|)$/.test(name)),
    [],
    'nothing of the host goes along',
  );
  t.equal(report.state, 'starting', 'nobody listens on the port yet');
});

t.test('a port that is taken is said to be', async (t) => {
  const runtime = await opened(t);
  const listen = 'require("net").createServer().listen(process.env.PORT, "127.0.0.1")';
  const first = await runtime.start(
    await installed(runtime, specOf('first', '-p', '0', process.execPath, '-e', listen)),
  );
  const port = first.metadata?.['port'] ?? '';
  await until(
    () => reportOf(runtime, 'first'),
    (report) => report?.state === 'running',
  );
  const second = await installed(runtime, specOf('second', '-p', port, process.execPath, '-e', listen));
  await t.rejects(runtime.start(second), { code: 'CONTAINER_FAILED', message: `Port ${port} is taken` });
});

t.test(
  'a supervisor that was killed is noticed, and what it left is ended before the next start',
  async (t) => {
    const runtime = await opened(t);
    const spec = await installed(
      runtime,
      specOf('orphan', 'sh', '-c', 'trap "" PIPE; while true; do sleep 0.05; done'),
    );
    await runtime.start(spec);
    const run = await readRun(join(directory, owner, 'orphan'));
    if (!run?.program) throw new Error('It does not run');
    process.kill(run.supervisor.pid, 'SIGKILL');
    await until(
      () => isAlive(run.supervisor),
      (alive) => !alive,
    );
    t.equal((await reportOf(runtime, 'orphan'))?.state, 'running', 'the program itself goes on');
    await t.rejects(runtime.start(spec), { code: 'CONTAINER_RUNNING' });
    await runtime.stop('orphan', { graceMillis: 5000 });
    t.notOk(await isAlive(run.program));
    t.match(await reportOf(runtime, 'orphan'), { state: 'ended', reason: /together with its supervisor/ });
  },
);

t.test('a stop before the supervisor has begun leaves nothing that starts later', async (t) => {
  const slow = join(directory, 'slow-node');
  const gate = join(directory, 'gate');
  const pidFile = join(directory, 'slow.pid');
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  const wait = `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; while [ ! -e ${gate} ]; do sleep 0.02; done`;
  await writeFile(slow, `#!/bin/sh\n${wait}; exec ${process.execPath} "$@"\n`, { mode: 0o755 });
  const runtime = await opened(t, { execPath: slow });
  for (const how of ['given up', 'by the next gateway'] as const) {
    await rm(gate, { force: true });
    await rm(pidFile, { force: true });
    const spec = await installed(runtime, specOf('late', 'sh', '-c', 'echo > $SERVICE_DATA/ran'));
    const abort = new AbortController();
    const starting = runtime.start(spec, { signal: abort.signal }).then(
      () => 'started',
      () => 'refused',
    );
    await until(() => isThere(pidFile), Boolean);
    const pid = Number(await readFile(pidFile, 'utf8'));
    const stop = (by: ContainerRuntime) => by.stop('late', { graceMillis: 1000 });
    if (how === 'given up') {
      abort.abort();
      t.equal(await starting, 'refused');
      await stop(runtime);
    } else await stop(await opened(t));
    await writeFile(gate, '');
    await until(
      () => startOf(pid),
      (started) => started === undefined,
    );
    t.notOk(await isThere(join(directory, owner, 'late', 'data', 'ran')), how);
    t.not((await reportOf(runtime, 'late'))?.state ?? 'ended', 'running');
    abort.abort();
    await starting;
  }
});

t.test('a number that belongs to another process by now is never signalled', async (t) => {
  const started = await startOf(process.pid);
  t.ok(started);
  t.ok(await isAlive({ pid: process.pid, started: started ?? '' }));
  t.notOk(await signal({ pid: process.pid, started: `${started}0` }, 'SIGKILL'), 'we would not be here');
});

t.test('an archive that leads out of its directory is refused, and leaves nothing', async (t) => {
  const runtime = await opened(t);
  const evil = join(directory, 'evil');
  await mkdir(evil);
  await symlink('/etc', join(evil, 'out'));
  await writeFile(join(evil, 'x'), 'x');
  const file = join(directory, 'evil.tar');
  await create({ file, cwd: evil, prefix: '../up', preservePaths: true }, ['x']);
  const spec = { ...specOf('evil', 'x'), srcUrl: pathToFileURL(file).href };
  await t.rejects(runtime.install(spec), { code: 'CONTAINER_FAILED', message: /leads out of its directory/ });
  t.strictSame(await readdir(join(directory, owner, 'evil', 'program')), []);
});

t.test('a program is taken for that of a URL only as long as it is whole', async (t) => {
  const runtime = await opened(t);
  const home = join(directory, owner, 'two');
  const from = async (name: string) => {
    const file = join(directory, name);
    await writeFile(file, `#!/bin/sh\n# ${name}\n`);
    return { ...specOf('two', name), srcUrl: pathToFileURL(file).href };
  };
  const [one, other] = [await from('one'), await from('other')];
  await runtime.install(one);
  // Nothing can be written under this name: it fails where a crash might come, with the other program in place.
  const draft = join(home, `program.json.${process.pid}.tmp`);
  await mkdir(draft);
  await t.rejects(runtime.install(other));
  await rm(draft, { recursive: true });
  await runtime.install(one);
  t.strictSame(await readdir(join(home, 'program')), ['one']);
});

t.test('what can not be recorded is not started, and what could not be is recorded later', async (t) => {
  const runtime = await opened(t);
  const home = join(directory, owner, 'full');
  const go = join(directory, 'go');
  const listen = `const { existsSync, writeFileSync } = require('node:fs');
    writeFileSync(process.env.SERVICE_DATA + '/ran', '');
    setInterval(() => existsSync('${go}') && require('node:net').createServer().listen(process.env.PORT, '127.0.0.1'), 50).ref();
    process.on('uncaughtException', () => {});`;
  const spec = await installed(runtime, specOf('full', '-p', '0', 'node', '-e', listen));
  // Nothing can be written under this name.
  const record = join(home, 'run.json');
  const refuse = async () => {
    await rm(record, { force: true });
    await mkdir(record);
  };
  await refuse();
  await t.rejects(runtime.start(spec), { code: 'CONTAINER_FAILED', message: /nothing can be written to/ });
  t.strictSame(await readdir(join(home, 'data')), [], 'it did not run');
  await rm(record, { recursive: true });
  t.match(await runtime.start(spec), { state: 'starting' });
  await refuse();
  await writeFile(go, '');
  const drafts = async () => (await readdir(home)).filter((name) => name.endsWith('.tmp'));
  await until(drafts, (names) => names.length > 0);
  await rm(record, { recursive: true });
  await until(
    () => reportOf(runtime, 'full'),
    (report) => report?.state === 'running',
  );
  t.strictSame(await until(drafts, (names) => names.length === 0), [], 'no part of what failed is left');
});

t.test(
  'a start that a full disk refuses says where to make room',
  { skip: !existsSync('/dev/full') },
  async (t) => {
    const runtime = await opened(t);
    const spec = await installed(runtime, specOf('no-room', 'sh', '-c', 'sleep 60'));
    const root = join(directory, owner, 'no-room');
    // What an order is written to before it takes its name.
    await symlink('/dev/full', join(root, `order.json.${process.pid}.tmp`));
    await t.rejects(runtime.start(spec), {
      code: 'CONTAINER_FAILED',
      message: `can't be written to ${root} (ENOSPC: no space left on device, write): make room on that disk`,
    });
  },
);

t.test('a program is called as its URL ends, where that is a name', async (t) => {
  const source = createServer((_req, res) => res.end('#!/bin/sh\n'));
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  t.teardown(() => source.close());
  const address = source.address();
  const at = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const runtime = await opened(t);
  for (const [path, name] of [
    ['/dir/run%20it', 'run it'],
    ['/a%2f..', 'a_..'],
    ['/..%2f..', '.._..'],
    ['/%zz', 'program'],
    ['/', 'program'],
    [`/${'x'.repeat(300)}`, 'program'],
  ] as const) {
    await runtime.install({ ...specOf('named', name), srcUrl: `${at}${path}` });
    t.strictSame(await readdir(join(directory, owner, 'named', 'program')), [name], path.slice(0, 20));
  }
});

t.test('memory is told of the groups that were asked for', async (t) => {
  const child = spawn('sh', ['-c', 'read x'], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  t.teardown(() => child.stdin.end());
  const used = await memoryByGroup(new Set([child.pid ?? 0]));
  t.strictSame([...used.keys()], [child.pid]);
  t.ok((used.get(child.pid ?? 0) ?? 0) > 10_000);
});

t.test('words of run are read as they are meant', async (t) => {
  const runtime = processRuntime({ directory });
  for (const [run, problem] of [
    [['-m', '1k', 'sh'], /--memory|-m 1k needs at least one megabyte/],
    [['-p', '80:8080', 'sh'], /none is mapped/],
    [['-e', 'HOME', 'sh'], /NAME=VALUE/],
    [['-w', '../..', 'sh'], /own directory/],
    [['../sh'], /own directory/],
    [['-m'], /needs a value/],
    [['-m', '64m'], /names no program/],
    [['--cpus', '2', 'sh'], /--cpus is not offered/],
  ] as const)
    t.match(runtime.check({ name: 'x', revision: 'r', run })[0]?.message, problem, run.join(' '));
  t.match(runtime.check(specOf('x', '-m', '${', 'sh'))[0]?.message, /-m \$\{ needs/, 'that is no variable');
  const open = specOf('x', '-m', '${.memory}', 'sh');
  t.strictSame(runtime.check(open), []);
  const opening = await opened(t);
  const refusal = { code: 'CONTAINER_FAILED', message: /^run: -m \$\{\.memory\} needs/ };
  await t.rejects(opening.install(open), refusal, 'by then the value is known');
  await t.rejects(opening.start(open), refusal);
});

async function installed(runtime: ContainerRuntime, spec: ContainerSpec): Promise<ContainerSpec> {
  await runtime.install(spec);
  return spec;
}
