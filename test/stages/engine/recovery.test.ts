import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import t from 'tap';
import { Conflict, NotFound } from '../../../lib/index.js';
import { testFolder } from '../../helpers/folder.js';
import { fixtures, linesOf, op, openCluster, stream } from '../../helpers/local-cluster.js';
import { eventually } from '../../helpers/waiting.js';

// What happens when containers, operators or the host end the wrong way.

const quick = {
  STREAMING_WINDOW_SIZE_MILLIS: 50,
  CHECKPOINT_WINDOW_COUNT: 4,
  HEARTBEAT_INTERVAL_MILLIS: 200,
};

const total = 60_000;
const sumOf = (count: number) => (count * (count - 1)) / 2;

for (const victim of ['source', 'middle', 'totals'])
  t.test(
    `kill -9 of the ${victim}'s container loses nothing and counts nothing twice in the state`,
    async (t) => {
      const cluster = await openCluster(t);
      const file = join(testFolder(t), 'totals');
      const id = await cluster.launch({
        attributes: quick,
        operators: [
          op('source', 'Sequence', { total, perSecond: 20_000 }),
          op('middle', 'Trouble', { at: -1 }),
          op('totals', 'Totals', { file }),
        ],
        streams: [stream('source.out -> middle.in'), stream('middle.out -> totals.in')],
      });
      const master = await cluster.driver.master(id);
      // After a checkpoint, and in the middle of the stream.
      await eventually(async () => {
        const [source] = (await master.physicalPlan()).operators;
        return source && source.recoveryWindowId !== '0' && (source.totalTuplesEmitted ?? 0) > 5000
          ? true
          : undefined;
      });
      const container = (await master.containers()).find(({ operators }) =>
        Object.values(operators).includes(victim),
      );
      const pid = Number.parseInt(container?.jvmName ?? '', 10);
      process.kill(pid, 'SIGKILL');
      t.match(await cluster.reached(id, 'FINISHED'), { finalStatus: 'SUCCEEDED' });
      // The state rolls back with the stream: what is replayed is counted once.
      t.match(linesOf(file).at(-1), { count: total, sum: sumOf(total) });
      const ended = await cluster.driver.master(id);
      const operators = (await ended.physicalPlan()).operators;
      t.equal(operators.find(({ name }) => name === victim)?.failureCount, 1);
      const events = (await ended.events?.read({ offset: 0, limit: 1000 })) ?? [];
      const stop = events.find(
        ({ type, data }) => type === 'StopContainer' && data['exitStatus'] === 'SIGKILL',
      );
      t.equal(stop?.data['containerId'], container?.id);
      t.equal(events.filter(({ type }) => type === 'StartContainer').length, 4);
      const starts = events.filter(
        ({ type, data }) => type === 'StartOperator' && data['operatorName'] === 'source',
      );
      t.equal(starts.length, victim === 'source' ? 2 : 1, 'what is upstream of the failure goes on');
    },
  );

t.test('a replay buffer that fills up asks for a checkpoint before its time', async (t) => {
  const cluster = await openCluster(t, { limits: { replayBytes: 4 * 1024 * 1024 } });
  const id = await cluster.launch({
    attributes: { ...quick, CHECKPOINT_WINDOW_COUNT: 100_000 },
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 2000, width: 1000 }),
      op('totals', 'Totals'),
    ],
    streams: [stream('source.out -> totals.in')],
  });
  const master = await cluster.driver.master(id);
  await eventually(async () => {
    const { operators } = await master.physicalPlan();
    return operators.every(({ recoveryWindowId }) => recoveryWindowId !== '0') ? true : undefined;
  });
  const events = (await master.events?.read({ offset: 0, limit: 1000 })) ?? [];
  t.notOk(
    events.some(({ type }) => type === 'OperatorError'),
    'nothing was dropped',
  );
});

t.test('a replay buffer that is too small says so, and the reader goes on from what is there', async (t) => {
  const cluster = await openCluster(t, { limits: { replayBytes: 20_000 } });
  const file = join(testFolder(t), 'totals');
  const id = await cluster.launch({
    attributes: { ...quick, CHECKPOINT_WINDOW_COUNT: 100_000 },
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 5000, width: 1000 }),
      op('totals', 'Totals', { file }),
    ],
    streams: [stream('source.out -> totals.in')],
  });
  const master = await cluster.driver.master(id);
  const errors = async () =>
    ((await master.events?.read({ offset: 0, limit: 1000 })) ?? [])
      .filter(({ type }) => type === 'OperatorError')
      .map(({ data }) => String(data['errorMessage']));
  await eventually(async () =>
    (await errors()).some((text) => /replay buffer is full/.test(text)) ? true : undefined,
  );
  const reader = (await master.containers()).find(({ operators }) =>
    Object.values(operators).includes('totals'),
  );
  process.kill(Number.parseInt(reader?.jvmName ?? '', 10), 'SIGKILL');
  await eventually(async () =>
    (await errors()).some((text) => /asked for again/.test(text)) ? true : undefined,
  );
  const pid = await eventually(async () => {
    const last = linesOf(file).at(-1);
    return last && `${last['pid']}@` !== reader?.jvmName.replace(/@.*/, '@') && Number(last['count']) > 0
      ? last['pid']
      : undefined;
  });
  t.ok(pid, 'another process goes on');
});

t.test('an operator that throws once is redeployed; its error is told with place and stack', async (t) => {
  const cluster = await openCluster(t);
  const directory = testFolder(t);
  const file = join(directory, 'totals');
  const id = await cluster.launch({
    attributes: quick,
    operators: [
      op('source', 'Sequence', { total: 10_000, perSecond: 10_000 }),
      op('trouble', 'Trouble', { at: 5000, once: join(directory, 'happened') }),
      op('totals', 'Totals', { file }),
    ],
    streams: [stream('source.out -> trouble.in', 'CONTAINER_LOCAL'), stream('trouble.out -> totals.in')],
  });
  await cluster.reached(id, 'FINISHED');
  t.match(linesOf(file).at(-1), { count: 10_000, sum: sumOf(10_000) });
  const events = (await (await cluster.driver.master(id)).events?.read({ offset: 0, limit: 1000 })) ?? [];
  const error = events.find(({ type }) => type === 'OperatorError');
  t.match(error?.data, { operatorName: 'trouble', operatorId: '2', logFileName: 'headgate.log' });
  t.match(error?.data['errorMessage'], /Trouble at tuple 5000[\s\S]*local-operators\.js/);
  const log = readFileSync(
    join(cluster.directory, 'apps', id, 'containers', String(error?.data['containerId']), 'headgate.log'),
  );
  t.match(log.subarray(Number(error?.data['logFileOffset'])).toString(), /^.*ERROR .* Operator 2 failed/);
});

t.test('an endless loop is ended by the heartbeat timeout', async (t) => {
  const cluster = await openCluster(t);
  const directory = testFolder(t);
  const file = join(directory, 'totals');
  const id = await cluster.launch({
    attributes: { ...quick, HEARTBEAT_TIMEOUT_MILLIS: 2000, HEARTBEAT_INTERVAL_MILLIS: 100 },
    operators: [
      op('source', 'Sequence', { total: 5000, perSecond: 5000 }),
      op('trouble', 'Trouble', { at: 2000, how: 'loop', once: join(directory, 'happened') }),
      op('totals', 'Totals', { file }),
    ],
    streams: [stream('source.out -> trouble.in'), stream('trouble.out -> totals.in')],
  });
  await cluster.reached(id, 'FINISHED');
  t.match(linesOf(file).at(-1), { count: 5000, sum: sumOf(5000) });
  const events = (await (await cluster.driver.master(id)).events?.read({ offset: 0, limit: 1000 })) ?? [];
  t.ok(
    events.some(({ type, data }) => type === 'StopContainer' && /No heartbeat/.test(String(data['reason']))),
  );
});

t.test('an application whose containers keep failing ends with its root cause', async (t) => {
  const cluster = await openCluster(t);
  const ways = [
    {
      how: 'throw',
      failure: { code: 'OPERATOR_ERROR', operatorName: 'trouble', message: 'Error: Trouble at tuple 100' },
    },
    { how: 'async', failure: { code: 'OPERATOR_ERROR', message: 'Error: Trouble later' } },
    { how: 'exit', failure: { code: 'CONTAINER_EXIT', message: 'The container exited with status 3' } },
    { how: 'memory', failure: { code: 'OUT_OF_MEMORY' } },
  ];
  for (const { how, failure } of ways) {
    const id = await cluster.launch(
      {
        attributes: { ...quick, MAX_CONTAINER_FAILURES: how === 'memory' ? 0 : 2 },
        operators: [
          op('source', 'Sequence', { total: -1, perSecond: 2000 }),
          op('trouble', 'Trouble', { at: 100, how }),
        ],
        streams: [stream('source.out -> trouble.in')],
      },
      { name: how },
    );
    const report = await cluster.reached(id, 'FAILED');
    t.match(report, { finalStatus: 'FAILED', failure }, how);
    t.ok(report.failure?.containerId && report.failure.at && Array.isArray(report.failure.log), how);
    t.match(report.diagnostics, /container failures within 600000 ms; the first in trouble: /, how);
    if (how === 'throw') t.match(report.failure?.stackTrace, /local-operators\.js/);
    await t.rejects(cluster.driver.resourceManager.kill(id), Conflict);
  }
});

t.test('a container can be killed by request: it comes back, and that is no failure', async (t) => {
  const cluster = await openCluster(t);
  const id = await cluster.launch({
    attributes: { ...quick, MAX_CONTAINER_FAILURES: 0 },
    operators: [op('source', 'Sequence', { total: -1, perSecond: 1000 }), op('totals', 'Totals')],
    streams: [stream('source.out -> totals.in')],
  });
  await cluster.reached(id, 'RUNNING');
  const master = await cluster.driver.master(id);
  const [first, container] = await master.containers();
  await t.rejects(master.containerControl?.kill('container_1_0001_01_000009') ?? Promise.resolve(), NotFound);
  await t.rejects(master.containerControl?.kill(first?.id ?? '') ?? Promise.resolve(), Conflict);
  await master.containerControl?.kill(container?.id ?? '');
  const states = await eventually(async () => {
    const containers = await master.containers();
    const active = containers.filter(({ state }) => state === 'ACTIVE');
    return containers.length === 4 && active.length === 3 ? containers : undefined;
  });
  t.equal(states.find(({ id }) => id === container?.id)?.state, 'KILLED');
  await t.rejects(master.containerControl?.kill(container?.id ?? '') ?? Promise.resolve(), Conflict);
  t.match((await master.info()).stats, { failedContainers: 0, allocatedContainers: 2 });
});

t.test('a container that takes longer to start than it may be silent later', async (t) => {
  // In containers only: the host reads the module too.
  const slow = join(
    testFolder(t, {
      'slow.mjs': `
        export * from ${JSON.stringify(fixtures.href)};
        if (process.argv[1]?.includes('container')) await new Promise((go) => setTimeout(go, 3000));
      `,
    }),
    'slow.mjs',
  );
  const cluster = await openCluster(t, { operators: [pathToFileURL(slow)] });
  const id = await cluster.launch({
    attributes: { ...quick, HEARTBEAT_TIMEOUT_MILLIS: 1500 },
    operators: [op('source', 'Sequence', { total: -1, perSecond: 100 }), op('totals', 'Totals')],
    streams: [stream('source.out -> totals.in', 'CONTAINER_LOCAL')],
  });
  const master = await cluster.driver.master(id);
  const containerOf = async (type: string) => {
    const events = (await master.events?.read({ offset: 0, limit: 1000 })) ?? [];
    const found = events.filter((event) => event.type === type);
    return found.sort((one, other) => Number(one.id) - Number(other.id))[0]?.data['containerId'];
  };
  const deployed = await eventually(() => containerOf('StartOperator'));
  t.equal(deployed, await containerOf('StartContainer'), 'the first one was waited for');
});

t.test('containers beyond the limit are forgotten with their logs', async (t) => {
  const cluster = await openCluster(t, { limits: { keptContainers: 2 } });
  const id = await cluster.launch({
    attributes: quick,
    operators: [op('source', 'Sequence', { total: -1, perSecond: 100 }), op('totals', 'Totals')],
    streams: [stream('source.out -> totals.in', 'CONTAINER_LOCAL')],
  });
  await cluster.reached(id, 'RUNNING');
  const master = await cluster.driver.master(id);
  const streaming = async () =>
    (await master.containers()).filter(({ containerType }) => containerType === 'STREAMING');
  const seen: string[] = [];
  for (let round = 0; round < 4; round++) {
    const active = await eventually(async () =>
      (await streaming()).find((container) => container.state === 'ACTIVE' && !seen.includes(container.id)),
    );
    seen.push(active.id);
    if (round < 3) await master.containerControl?.kill(active.id);
  }
  t.strictSame(
    (await streaming()).map((container) => container.id),
    seen.slice(-2),
  );
  const folder = join(cluster.directory, 'apps', id, 'containers');
  await eventually(() => (readdirSync(folder).length === 3 ? true : undefined));
  const listed = (await master.containers()).map((container) => container.id);
  t.strictSame(readdirSync(folder).sort(), listed.sort(), 'those that are listed have their logs');
  await t.rejects(
    async () => master.logs?.list(seen[0] ?? '', { signal: AbortSignal.timeout(5000) }),
    NotFound,
  );
});

t.test('a restart goes on from the saved state, under a new id', async (t) => {
  const cluster = await openCluster(t);
  const file = join(testFolder(t), 'totals');
  const id = await cluster.launch({
    attributes: quick,
    operators: [op('source', 'Sequence', { total: -1, perSecond: 10_000 }), op('totals', 'Totals', { file })],
    streams: [stream('source.out -> totals.in')],
  });
  await eventually(() =>
    existsSync(file) && Number(linesOf(file).at(-1)?.['count']) > 5000 ? true : undefined,
  );
  await (await cluster.driver.master(id)).shutdown();
  await cluster.reached(id, 'FINISHED');
  const before = Number(linesOf(file).at(-1)?.['count']);
  const total = before + 10_000;
  const launcher = cluster.driver.resourceManager.launcher;
  const properties = { 'dt.operator.source.prop.total': String(total) };
  const next = (await launcher?.restart(id, { user: 'ann', properties })) ?? '';
  t.not(next, id);
  await cluster.reached(next, 'FINISHED');
  const counts = linesOf(file).map((line) => Number(line['count']));
  t.equal(counts.at(-1), total);
  t.ok(
    counts.every((count, index) => index === 0 || count >= (counts[index - 1] ?? 0)),
    'never from the beginning',
  );
  t.match(linesOf(file).at(-1), { sum: sumOf(total) });
  await t.rejects(async () => {
    await launcher?.restart(id, { user: 'ann', properties: { 'dt.operator.totals.attr.NONSENSE': '1' } });
  }, /NONSENSE/);
});

t.test('an application is not forgotten while another takes over its state', async (t) => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
  const cluster = await openCluster(t, {}, { clock });
  const { launcher, listApplications } = cluster.driver.resourceManager;
  const file = join(testFolder(t), 'totals');
  const id = await cluster.launch({
    attributes: quick,
    operators: [op('source', 'Sequence', { total: 1000 }), op('totals', 'Totals', { file })],
    streams: [stream('source.out -> totals.in')],
  });
  await cluster.reached(id, 'FINISHED');
  const listed = async () => (await listApplications()).map((application) => application.id);
  const properties = { 'dt.operator.source.prop.total': '2000' };
  const restarting = launcher?.restart(id, { user: 'ann', properties });
  ahead = 31 * 24 * 3_600_000;
  t.strictSame(await listed(), [id]);
  const next = (await restarting) ?? '';
  await cluster.reached(next, 'FINISHED');
  t.match(linesOf(file).at(-1), { count: 2000, sum: sumOf(2000) });
  t.strictSame(await listed(), [next], 'and then it is');
});

t.test(
  'ended applications are still told after a new start; what ran is FAILED and can be restarted',
  async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'hg-test-'));
    t.teardown(() => rmSync(directory, { recursive: true, force: true }));
    const files = testFolder(t);
    const file = join(files, 'totals');
    const application = (total: number) => ({
      attributes: quick,
      operators: [op('source', 'Sequence', { total, perSecond: 10_000 }), op('totals', 'Totals', { file })],
      streams: [stream('source.out -> totals.in')],
    });
    const first = await openCluster(t, { directory });
    const done = await first.launch(application(1000), { name: 'done' });
    await first.reached(done, 'FINISHED');
    rmSync(file);
    const cut = await first.launch(application(30_000), { name: 'cut' });
    await eventually(() =>
      existsSync(file) && Number(linesOf(file).at(-1)?.['count']) > 8000 ? true : undefined,
    );
    const pids = (await (await first.driver.master(cut)).containers())
      .slice(1)
      .map(({ jvmName }) => Number.parseInt(jvmName, 10));
    await t.rejects(openCluster(t, { directory }), /in use by another engine of this process/);
    await first.driver.close();
    for (const pid of pids) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, 'no container is left');

    const second = await openCluster(t, { directory });
    const listed = await second.driver.resourceManager.listApplications();
    t.match(listed, [
      { id: done, state: 'FINISHED', finalStatus: 'SUCCEEDED' },
      { id: cut, state: 'FAILED', finalStatus: 'FAILED', failure: { code: 'HOST_STOPPED' } },
    ]);
    t.match(listed[1]?.diagnostics, /restart it/);
    const master = await second.driver.master(cut);
    t.equal((await master.physicalPlan()).operators.length, 2);
    t.ok((await master.containers()).every(({ state }) => state === 'KILLED'));
    t.match(await master.logicalPlan(), { operators: [{ name: 'source', class: 'test.Sequence' }, {}] });
    t.ok(((await master.events?.read({ offset: 0, limit: 100 }))?.length ?? 0) > 5);
    const again = (await second.driver.resourceManager.launcher?.restart(cut, { user: 'ann' })) ?? '';
    await second.reached(again, 'FINISHED');
    t.match(linesOf(file).at(-1), { count: 30_000, sum: sumOf(30_000) });
  },
);

t.test('a host that is killed leaves no container, and its applications are reported', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hg-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const host = fork(fileURLToPath(new URL('./local-host.js', import.meta.url)), [directory]);
  t.teardown(() => {
    host.kill('SIGKILL');
  });
  const [told] = await once(host, 'message');
  const { id, pids } = told as { id: string; pids: number[] };
  t.equal(pids.length, 2);
  host.kill('SIGKILL');
  await once(host, 'exit');
  for (const pid of pids)
    await eventually(() => {
      try {
        process.kill(pid, 0);
        return undefined;
      } catch {
        return true;
      }
    });
  const cluster = await openCluster(t, { directory });
  const report = await cluster.driver.resourceManager.getApplication(id);
  t.match(report, { state: 'FAILED', failure: { code: 'HOST_STOPPED' }, name: 'left behind' });
  const master = await cluster.driver.master(id);
  t.equal((await master.physicalPlan()).operators.length, 2);
  const events = (await master.events?.read({ offset: 0, limit: 1000 })) ?? [];
  t.ok(events.every((event, index) => Number(event.id) === index + 1));
  t.match(
    events.slice(-2).map(({ type, data }) => [type, data['reason']]),
    [
      ['StopContainer', 'The host process stopped'],
      ['StopContainer', 'The host process stopped'],
    ],
  );
  const log = await master.logs?.open(`${id.replace('application', 'container')}_01_000001`, 'headgate.log');
  const text = log && Buffer.concat(await log.read(0, log.length).toArray()).toString('utf8');
  await log?.close();
  t.match(text, /ended, exit status unknown: The host process stopped\n.*The application is FAILED.*\n$/s);
  t.equal((await master.stats?.containersMeta())?.ended, true);
  const again = (await cluster.driver.resourceManager.launcher?.restart(id, { user: 'ann' })) ?? '';
  await cluster.reached(again, 'RUNNING');
});
