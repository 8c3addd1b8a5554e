import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { checkReplies } from '../../../lib/client/replies.js';
import { type Client, createClient } from '../../../lib/client.js';
import { isAlive, type ProcessIdentity, startOf } from '../../../packages/containers/process/identity.js';
import { readRun } from '../../../packages/containers/process/record.js';
import { until } from '../../helpers/waiting.js';

// kill -9 of the host: programs go on, the next gateway goes on with them, and there are never two of one service.

const directory = mkdtempSync(join(tmpdir(), 'headgate-crash-'));
t.teardown(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));

/** A gateway in a process of its own. */
async function startHost() {
  const child = fork(new URL('./services-worker.js', import.meta.url), [directory], { execArgv: [] });
  t.teardown(() => child.kill('SIGKILL'));
  const [baseUrl] = await once(child, 'message');
  const client = createClient({ baseUrl: String(baseUrl), checkReplies });
  t.teardown(() => client.close());
  return {
    client,
    async crash() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      client.close();
    },
  };
}

const params = { name: 'one' };
const untilState = (client: Client, state: string) =>
  until(
    () => client.getService({ params }),
    (service) => service.state === state,
  );
const home = () => join(directory, 'programs', readdirSync(join(directory, 'programs'))[0] ?? '', 'one');

/** All that was ever started of the service and lives: each program notes its number when it begins. */
async function living(): Promise<ProcessIdentity[]> {
  const text = await readFile(join(home(), 'data', 'pids'), 'utf8').catch(() => '');
  const found: ProcessIdentity[] = [];
  for (const line of text.trim().split('\n')) {
    const [pid = '', mark = ''] = line.split(' ');
    const started = pid === '' ? undefined : await startOf(Number(pid));
    // A number that belongs to another process by now is none of ours.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (started !== undefined && mark !== '' && command.includes(mark))
      found.push({ pid: Number(pid), started });
  }
  return found;
}

const mark = `headgate-crash-${process.pid}`;
const run = `sh -c 'echo $$ ${mark} >> $SERVICE_DATA/pids; trap "exit 0" TERM; while true; do sleep 0.05; done'`;
const onlyLinux = process.platform === 'linux' ? {} : { skip: 'it looks into /proc' };

t.test('a program outlives its gateway, and the next one goes on with it', onlyLinux, async (t) => {
  const first = await startHost();
  await first.client.putService({ params, body: { type: 'container', container: { run } } });
  const { containerId, startedTime } = await untilState(first.client, 'RUNNING');
  const [before] = await until(living, (all) => all.length === 1);
  const { supervisor } = (await readRun(home())) ?? {};
  await first.crash();
  t.strictSame(await living(), [before], 'nobody ended it');
  t.ok(supervisor && (await isAlive(supervisor)), 'nor what looks after it');

  const second = await startHost();
  t.match(await untilState(second.client, 'RUNNING'), { containerId, startedTime });
  t.strictSame(await living(), [before], 'and there is no second one');

  // In the middle of a stop, of a start, and wherever it may be.
  let host = second;
  for (const ask of ['stopService', 'startService'] as const) {
    // Not waited for: it is killed while it works.
    void host.client[ask]({ params }).catch(() => {});
    await wait(Math.random() * 150);
    await host.crash();
    host = await startHost();
    const settled = await until(
      () => host.client.getService({ params }),
      ({ state }) => state === 'RUNNING' || state === 'STOPPED',
    );
    const all = await until(living, ({ length }) => length === (settled.state === 'RUNNING' ? 1 : 0));
    t.equal(settled.enabled, settled.state === 'RUNNING', `${ask}: ${settled.state}`);
    const record = await readRun(home());
    if (settled.state === 'RUNNING')
      t.strictSame([record?.id, record?.program], [settled.containerId, all[0]]);
  }

  await host.client.startService({ params });
  await untilState(host.client, 'RUNNING');
  const last = await readRun(home());
  await host.client.deleteService({ params });
  await until(
    async () => (await host.client.listServices()).services,
    (services) => services.length === 0,
  );
  t.strictSame(readdirSync(join(home(), '..')), [], 'its files are gone');
  for (const one of [last?.program, last?.supervisor])
    await until(
      async () => one !== undefined && (await isAlive(one)),
      (alive) => !alive,
    );
  await host.crash();
});
