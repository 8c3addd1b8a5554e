import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { untilItRuns } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { op, stream } from '../../helpers/local-cluster.js';
import {
  connect,
  containerOf,
  counted,
  create,
  cut,
  gapsIn,
  give,
  numbersIn,
  pidOf,
  planStage,
  remove,
  sink,
  source,
  sumOf,
  totalsIn,
  untilMore,
} from '../../helpers/plan-changes.js';
import { until } from '../../helpers/waiting.js';

// The plan changes while tuples flow. What each operator really got is in files of its own: a journal is written at
// once and never taken back, so a tuple that comes twice is there twice.

t.test('operators and streams come and go while tuples flow, in containers of their own', async (t) => {
  const folder = testFolder(t);
  const file = (name: string) => join(folder, name);
  const { client, launch, change, finish } = await planStage(t);
  const appid = await launch('across', {
    operators: [
      source(folder),
      op('journal', 'Journal', { file: file('journal') }),
      op('totals', 'Totals', { file: file('totals') }),
    ],
    streams: [
      { ...stream('source.out -> journal.in'), name: 'numbers' },
      { ...stream('journal.out -> totals.in'), name: 'seen' },
    ],
  });
  const params = { appid };
  const physical = async () => (await client.listPhysicalOperators({ params })).operators;
  const idOf = async (name: string) => (await physical()).find((one) => one.name === name)?.id;
  const before = await physical();

  await t.test('an operator joins a stream that flows', async (t) => {
    await untilMore(file('journal'));
    await change(
      appid,
      create('late', 'Journal'),
      give('late', 'file', file('late')),
      sink('numbers', 'late.in'),
    );
    await untilMore(file('late'));
    const now = await physical();
    t.equal(now.find(({ name }) => name === 'late')?.id, '4', 'a number of its own');
    for (const { id, name, container, totalTuplesEmitted } of before) {
      const after = now.find((one) => one.id === id);
      t.match(after, { name, container }, 'what was there keeps its id and its process');
      t.ok((after?.totalTuplesEmitted ?? 0) >= (totalTuplesEmitted ?? 0), 'and what was counted of it');
    }
  });

  await t.test('a chain of new operators and streams', async (t) => {
    await change(
      appid,
      create('second', 'Journal'),
      create('third', 'Totals'),
      give('third', 'file', file('third')),
      give('second', 'file', file('second')),
      connect('more', 'late.out -> second.in'),
      connect('most', 'second.out -> third.in'),
    );
    await untilMore(file('second'));
    const { streams } = await client.getLogicalPlan({ params });
    t.strictSame(streams.map(({ name }) => name).sort(), ['more', 'most', 'numbers', 'seen']);
    const { operators } = await client.listLogicalOperators({ params });
    t.match(
      operators.find(({ name }) => name === 'third'),
      { className: 'test.Totals', status: { ACTIVE: 1 }, partitions: [await idOf('third')] },
    );
  });

  await t.test('a stream leaves, and another takes its place between two windows', async (t) => {
    await change(appid, cut('most'), connect('other', 'second.out -> third.in'));
    const { streams } = await client.getLogicalPlan({ params });
    t.strictSame(streams.map(({ name }) => name).sort(), ['more', 'numbers', 'other', 'seen']);
    const before = Number(totalsIn(file('third'))?.['count'] ?? 0);
    await until(
      async () => Number(totalsIn(file('third'))?.['count'] ?? 0),
      (count) => count > before + 200,
    );
  });

  await t.test('operators leave, and their containers end', async (t) => {
    const gone = await containerOf(client, appid, 'late');
    await change(appid, remove('late'), connect('direct', 'source.out -> second.in')).then(
      () => t.fail('the port is taken'),
      () => {},
    );
    await change(appid, remove('late'), sink('numbers', 'second.in'));
    t.equal(await idOf('late'), undefined);
    const { containers } = await until(
      () => client.listContainers({ params }),
      ({ containers }) => containers.some(({ id, state }) => id === gone.id && state === 'KILLED'),
    );
    t.ok(containers.every(({ operators }) => !Object.values(operators).includes('late')));
    t.throws(() => process.kill(pidOf(gone), 0), { code: 'ESRCH' });
    await untilMore(file('second'));
  });

  await t.test('a name that is used again is another operator', async (t) => {
    const id = await idOf('third');
    await change(
      appid,
      remove('third'),
      create('third', 'Totals'),
      give('third', 'file', file('again')),
      connect('most', 'second.out -> third.in'),
    );
    t.not(await idOf('third'), id);
    await until(
      async () => Number(totalsIn(file('again'))?.['count'] ?? 0),
      (count) => count > 200,
    );
  });

  await t.test(
    'nothing was lost and nothing doubled, and the API counted what the operators did',
    async (t) => {
      const { operators } = await finish(appid);
      const total = counted(folder);
      t.strictSame(gapsIn(numbersIn(file('journal')), total), []);
      t.equal(numbersIn(file('journal'))[0], 0);
      t.match(totalsIn(file('totals')), { count: total, sum: sumOf(0, total) });
      const [first = 0] = numbersIn(file('second'));
      t.ok(first > 0);
      t.strictSame(
        gapsIn(numbersIn(file('second')), total),
        [],
        'also where it changed from one stream to another',
      );
      const late = numbersIn(file('late'));
      t.strictSame(gapsIn(late, (late.at(-1) ?? 0) + 1), []);
      const again = total - Number(totalsIn(file('again'))?.['count']);
      t.match(totalsIn(file('again')), { sum: sumOf(again, total) }, 'it began with nothing');
      t.match(totalsIn(file('third')), { sum: sumOf(first, again) }, 'where the other one ended');

      const metricsOf = (name: string) => operators.find((one) => one.name === name);
      t.match(metricsOf('source'), { totalTuplesEmitted: total, totalTuplesProcessed: 0 });
      t.match(metricsOf('journal'), { totalTuplesProcessed: total, totalTuplesEmitted: total });
      t.match(metricsOf('totals'), { totalTuplesProcessed: total });
      t.match(metricsOf('second'), {
        totalTuplesProcessed: total - first,
        counters: { seen: total - first },
      });
      t.match(metricsOf('third'), { totalTuplesProcessed: total - again });
    },
  );

  await t.test('events tell it', async (t) => {
    const { events } = await client.listEvents({ params, query: { limit: '1000' } });
    const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
    t.strictSame(JSON.parse(String(of('ChangeLogicalPlan')[0]?.['request'])), create('late', 'Journal'));
    t.equal(of('ChangeLogicalPlan').length, 3 + 6 + 2 + 2 + 4, 'those that were refused are not among them');
    t.match(
      of('CreateOperator').map(({ operatorName }) => operatorName),
      ['source', 'journal', 'totals', 'late', 'second', 'third', 'third'],
    );
    t.match(of('RemoveOperator'), [
      { operatorName: 'late', operatorId: '4' },
      { operatorName: 'third', operatorId: '6' },
    ]);
    t.ok(of('StopOperator').some(({ operatorName }) => operatorName === 'late'));
    t.ok(of('StopContainer').some(({ reason }) => reason === 'Its operators left the plan'));
  });
});

t.test('inside one container the process goes on', async (t) => {
  const folder = testFolder(t);
  const file = (name: string) => join(folder, name);
  const { client, launch, change, finish } = await planStage(t);
  const appid = await launch('inside', {
    operators: [source(folder), op('journal', 'Journal', { file: file('journal') })],
    streams: [{ ...stream('source.out -> journal.in', 'CONTAINER_LOCAL'), name: 'numbers' }],
  });
  const pid = pidOf(await containerOf(client, appid, 'source'));
  await untilMore(file('journal'));
  await change(
    appid,
    create('late', 'Journal'),
    give('late', 'file', file('late')),
    sink('numbers', 'late.in'),
  );
  await untilMore(file('late'));
  for (const name of ['source', 'journal', 'late'])
    t.equal(pidOf(await containerOf(client, appid, name)), pid, `${name} is in the same process`);
  await change(appid, remove('journal'));
  await untilMore(file('late'));
  t.equal(pidOf(await containerOf(client, appid, 'late')), pid);
  const { operators } = await finish(appid);
  const total = counted(folder);
  const journal = numbersIn(file('journal'));
  t.strictSame(gapsIn(journal, journal.length), []);
  t.strictSame(gapsIn(numbersIn(file('late')), total), []);
  t.match(operators, [
    { totalTuplesEmitted: total },
    { totalTuplesProcessed: numbersIn(file('late')).length },
  ]);
});

t.test('partitions and their unifiers stay what they are', async (t) => {
  const folder = testFolder(t);
  const file = (name: string) => join(folder, name);
  const { client, launch, change, finish } = await planStage(t);
  const appid = await launch('partitions', {
    operators: [
      source(folder, {}, { PARTITIONER: 2 }),
      op('journal', 'Journal', { file: file('journal') }, { PARTITIONER: 2 }),
      op('totals', 'Totals', { file: file('totals') }),
    ],
    streams: [
      { ...stream('source.out -> journal.in'), name: 'numbers' },
      { ...stream('journal.out -> totals.in'), name: 'seen' },
    ],
  });
  const params = { appid };
  const before = (await client.listPhysicalOperators({ params })).operators;
  await untilMore(file('journal'));
  await change(
    appid,
    create('late', 'Totals'),
    give('late', 'file', file('late')),
    sink('numbers', 'late.in'),
  );
  await until(
    async () => Number(totalsIn(file('late'))?.['count'] ?? 0),
    (count) => count > 200,
  );
  await change(appid, remove('late'));
  const after = (await client.listPhysicalOperators({ params })).operators;
  t.strictSame(
    after.map(({ id, name, container }) => [id, name, container]),
    before.map(({ id, name, container }) => [id, name, container]),
  );
  const { operators } = await finish(appid);
  const numbers = numbersIn(file('journal')).sort((one, other) => one - other);
  t.equal(new Set(numbers).size, numbers.length, 'none twice');
  const emitted = operators
    .filter(({ name }) => name === 'source')
    .reduce((sum, one) => sum + (one.totalTuplesEmitted ?? 0), 0);
  t.equal(numbers.length, emitted, 'none lost');
  t.match(totalsIn(file('totals')), { count: emitted, sum: numbers.reduce((sum, one) => sum + one, 0) });
});

t.test('a container that is killed right after a change is recovered in the new plan', async (t) => {
  const folder = testFolder(t);
  const file = (name: string) => join(folder, name);
  const { client, launch, change, finish } = await planStage(t, { files: { write: [folder] } });
  const appid = await launch('killed-after', {
    operators: [source(folder), op('totals', 'Totals', { file: file('totals') })],
    streams: [{ ...stream('source.out -> totals.in'), name: 'numbers' }],
  });
  for (const [index, victim] of ['source', 'lines', 'totals'].entries()) {
    const name = `lines${index}`;
    await change(
      appid,
      create(name, 'headgate.io.FileOutput'),
      give(name, 'directory', join(folder, name)),
      sink('numbers', `${name}.input`),
    );
    const { containers } = await client.listContainers({ params: { appid } });
    const killed = containers.find(
      ({ state, operators }) =>
        state !== 'KILLED' && Object.values(operators).some((one) => one.startsWith(victim)),
    );
    process.kill(pidOf(killed), 'SIGKILL');
    await until(
      () => client.listPhysicalOperators({ params: { appid } }),
      ({ operators }) =>
        operators.every(({ status, container }) => status === 'ACTIVE' && container !== killed?.id) &&
        operators.some((one) => one.name === name && (one.totalTuplesProcessed ?? 0) > 500),
    );
  }
  await finish(appid);
  const total = counted(folder);
  t.match(totalsIn(file('totals')), { count: total, sum: sumOf(0, total) });
  for (const index of [0, 1, 2]) {
    const directory = join(folder, `lines${index}`);
    const numbers = readdirSync(directory).flatMap((name) => numbersIn(join(directory, name)));
    t.ok(numbers.length > 500);
    t.strictSame(gapsIn(numbers, total), [], 'the files hold every number once');
  }
});

t.test('a container that is killed during a change leaves the old plan or the new one', async (t) => {
  const folder = testFolder(t);
  const file = (name: string) => join(folder, name);
  const { client, launch, change, finish } = await planStage(t);
  const appid = await launch('killed-during', {
    attributes: { MAX_CONTAINER_FAILURES: 100 },
    operators: [source(folder), op('totals', 'Totals', { file: file('totals') })],
    streams: [{ ...stream('source.out -> totals.in'), name: 'numbers' }],
  });
  const params = { appid };
  const outcomes: string[] = [];
  for (const [index, victim] of ['source', 'totals', 'source', 'totals', 'source'].entries()) {
    const name = `late${index}`;
    await untilItRuns(client, appid);
    const pid = pidOf(await containerOf(client, appid, victim));
    const changing = change(
      appid,
      create(name, 'Totals'),
      give(name, 'file', file(name)),
      sink('numbers', `${name}.in`),
    ).then(
      () => 'changed',
      (error: { status?: number; code?: string }) => {
        t.match(error, { status: 409, code: 'PLAN_CHANGE_INTERRUPTED' });
        return 'refused';
      },
    );
    // At once, when the new container is there, and when the new plan is.
    const isDue = [
      async () => true,
      async () =>
        (await client.listContainers({ params })).containers.some(({ state }) => state === 'ALLOCATED'),
      async () => (await client.getLogicalPlan({ params })).operators.some((one) => one.name === name),
    ][index % 3];
    await until(async () => isDue?.(), Boolean);
    process.kill(pid, 'SIGKILL');
    const outcome = await changing;
    outcomes.push(outcome);
    const { operators } = await client.getLogicalPlan({ params });
    t.equal(
      operators.some((one) => one.name === name),
      outcome === 'changed',
      outcome,
    );
    const physical = (await client.listPhysicalOperators({ params })).operators;
    t.strictSame(physical.map((one) => one.name).sort(), operators.map((one) => one.name).sort());
  }
  t.comment(outcomes.join(', '));
  await untilItRuns(client, appid);
  await finish(appid);
  const total = counted(folder);
  t.match(totalsIn(file('totals')), { count: total, sum: sumOf(0, total) });
  for (const [index, outcome] of outcomes.entries()) {
    const last = totalsIn(file(`late${index}`));
    if (outcome === 'refused') t.equal(last, undefined);
    else t.match(last, { sum: sumOf(total - Number(last?.['count']), total) });
  }
});
