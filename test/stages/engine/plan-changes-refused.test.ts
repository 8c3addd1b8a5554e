import { join } from 'node:path';
import t from 'tap';
import type { ChangeRequest } from '../../../lib/driver-kit.js';
import { untilState } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { op, stream } from '../../helpers/local-cluster.js';
import { as } from '../../helpers/people.js';
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

// Changes of a plan that must not happen, or not yet: the old plan goes on as if nobody had asked.

const flow = (folder: string, properties = {}) => ({
  operators: [
    source(folder),
    op('journal', 'Journal', { file: join(folder, 'journal') }),
    op('totals', 'Totals', { file: join(folder, 'totals'), ...properties }),
  ],
  streams: [
    { ...stream('source.out -> journal.in'), name: 'numbers' },
    { ...stream('journal.out -> totals.in'), name: 'seen' },
  ],
});

/** Its last operator does a fourth of what comes. */
function lagging(folder: string) {
  const slow = flow(folder, { slowMillis: 20 });
  return {
    ...slow,
    attributes: { HEARTBEAT_TIMEOUT_MILLIS: 60_000 },
    operators: [source(folder, { perSecond: 200 }), ...slow.operators.slice(1)],
  };
}

/** What the slow operator at the end of the flow came to. */
const countIn = (folder: string): number => Number(totalsIn(join(folder, 'totals'))?.['count'] ?? 0);

const untilBehind = (folder: string, tuples: number) =>
  until(
    async () => numbersIn(join(folder, 'journal')).length - countIn(folder),
    (behind) => behind > tuples,
  );

t.test('a refusal names the request and changes nothing', async (t) => {
  const folder = testFolder(t);
  const { client, newClient, launch, change, finish } = await planStage(t);
  const appid = await launch('refused', flow(folder));
  const params = { appid };
  const plan = await client.getLogicalPlan({ params });
  const pids = async () => (await client.listContainers({ params })).containers.map(({ jvmName }) => jvmName);
  const before = await pids();
  const invalid = { status: 400, code: 'INVALID_INPUT' };

  const cases: [string, ChangeRequest[], string, RegExp][] = [
    ['an unknown operator', [remove('nobody')], 'requests.0.operatorName', /no operator "nobody"/],
    ['an unknown stream', [cut('nothing')], 'requests.0.streamName', /no stream "nothing"/],
    ['an unknown class', [create('a', 'Nothing')], 'requests.0.operatorFQCN', /no operator class/],
    ['a name that is taken', [create('totals', 'Totals')], 'requests.0.operatorName', /already an operator/],
    [
      'a port that there is not',
      [sink('seen', 'totals.no')],
      'requests.0.sinkOperatorPortName',
      /no input port/,
    ],
    [
      'a port that is taken',
      [connect('a', 'source.out -> totals.other')],
      'requests.0.sourceOperatorPortName',
      /belongs/,
    ],
    ['a wrong property', [give('source', 'speed', '1')], 'requests.0.propertyName', /no property "speed"/],
    ['a wrong value', [give('source', 'total', 'many')], 'requests.0.propertyValue', /expected number/],
    [
      'a file out of reach',
      [create('out', 'headgate.io.FileOutput'), give('out', 'directory', '/etc'), sink('seen', 'out.input')],
      'requests.1',
      /files.write/,
    ],
    ['a port left alone', [cut('numbers')], 'requests.0', /input port "in" of journal is not connected/],
    ['a new port left alone', [create('a', 'Totals')], 'requests.0', /input port "in" of a is not connected/],
    [
      'a circle',
      [create('a', 'Trouble'), sink('seen', 'a.in'), cut('numbers'), connect('back', 'a.out -> journal.in')],
      'requests.3',
      /circle: /,
    ],
    [
      'the second of two',
      [create('a', 'Totals'), sink('nothing', 'a.in')],
      'requests.1.streamName',
      /no stream/,
    ],
    [
      'too many operators',
      Array.from({ length: 998 }, (_, index) => create(`a${index}`, 'Talker')),
      'requests.997',
      /1000/,
    ],
  ];
  for (const [name, requests, path, message] of cases)
    await t.rejects(change(appid, ...requests), { ...invalid, details: [{ path, message }] }, name);

  const post = (body: unknown) =>
    client.changeLogicalPlan({ params, body: body as { requests: ChangeRequest[] } });
  const edges: [unknown, RegExp][] = [
    [{ requests: [{ requestType: 'ExplodeRequest' }] }, /requests\.0\.requestType/],
    [{ requests: [{ requestType: 'RemoveOperatorRequest' }] }, /requests\.0\.operatorName/],
    [{ requests: [create('a.b', 'Totals')] }, /no dots/],
    [{ requests: [] }, /requests/],
    [{ requests: Array.from({ length: 1001 }, () => remove('totals')) }, /requests/],
    [{}, /requests/],
    [[], /./],
  ];
  for (const [body, message] of edges) await t.rejects(post(body), { status: 400, message }, String(message));

  const notFound = { status: 404, code: 'NOT_FOUND' };
  await t.rejects(change('application_0_0', remove('totals')), notFound);
  const eve = newClient(as('eve'));
  await t.rejects(eve.changeLogicalPlan({ params, body: { requests: [remove('totals')] } }), notFound);

  t.strictSame(await client.getLogicalPlan({ params }), plan);
  t.strictSame(await pids(), before, 'no container came or went');
  const { events } = await client.listEvents({ params, query: { limit: '1000' } });
  t.notOk(events.some(({ type }) => type === 'ChangeLogicalPlan'));
  await finish(appid);
  t.strictSame(gapsIn(numbersIn(join(folder, 'journal')), counted(folder)), []);
  await t.rejects(change(appid, remove('totals')), {
    status: 409,
    code: 'APPLICATION_ENDED',
    message: /ended/,
  });
});

t.test('no room for another container', async (t) => {
  const folder = testFolder(t);
  const { launch, change, finish } = await planStage(t, { limits: { containers: 3 } });
  const appid = await launch('full', flow(folder));
  const more = [create('a', 'Totals'), sink('seen', 'a.in')];
  await t.rejects(change(appid, ...more), { status: 409, message: /limits\.containers/ });
  await change(appid, remove('totals'));
  await change(appid, create('a', 'Totals'), connect('seen', 'journal.out -> a.in'));
  await finish(appid);
});

t.test('changes of two plans share the room that there is', async (t) => {
  const folder = testFolder(t, { one: {}, other: {} });
  const { launch, change, finish } = await planStage(t, { limits: { containers: 14 } });
  const appids = [
    await launch('one', flow(join(folder, 'one'))),
    await launch('other', flow(join(folder, 'other'))),
  ];
  const names = ['a', 'b', 'c', 'd', 'e'];
  const more = names.flatMap((name) => [create(name, 'Totals'), sink('seen', `${name}.in`)]);
  const results = await Promise.allSettled(appids.map((appid) => change(appid, ...more)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.match(
    refused,
    [{ status: 409, code: 'NO_CAPACITY', message: /limits\.containers/ }],
    'room for one of them',
  );
  for (const appid of appids) await finish(appid);
});

t.test('two batches at once: one after the other, the second on what the first made', async (t) => {
  const folder = testFolder(t);
  const { client, launch, change, finish } = await planStage(t);
  const appid = await launch('two', flow(folder));
  const batch = (name: string) =>
    change(
      appid,
      create(name, 'Journal'),
      give(name, 'file', join(folder, name)),
      sink('numbers', `${name}.in`),
    );
  const results = await Promise.allSettled([batch('a'), batch('b'), batch('a'), change(appid, remove('a'))]);
  t.match(results, [
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { status: 'rejected', reason: { status: 400, message: /already an operator "a"/ } },
    { status: 'fulfilled' },
  ]);
  const { operators } = await client.getLogicalPlan({ params: { appid } });
  t.strictSame(
    operators.map(({ name }) => name),
    ['source', 'journal', 'totals', 'b'],
  );
  await untilMore(join(folder, 'b'));
  await finish(appid);
  const total = counted(folder);
  t.strictSame(gapsIn(numbersIn(join(folder, 'journal')), total), []);
  t.strictSame(gapsIn(numbersIn(join(folder, 'b')), total), []);
});

t.test('an operator that is far behind: refused in time, the old plan goes on', async (t) => {
  const folder = testFolder(t);
  const { client, launch, change } = await planStage(t, { limits: { changeMillis: 3000 } });
  const appid = await launch('slow', lagging(folder));
  const params = { appid };
  // What waits for it takes it more than twice as long as a change may wait.
  await untilBehind(folder, 350);
  const plan = await client.getLogicalPlan({ params });
  await t.rejects(change(appid, remove('totals')), {
    status: 504,
    code: 'TIMED_OUT',
    message: /totals/,
  });
  t.strictSame(await client.getLogicalPlan({ params }), plan);
  const before = countIn(folder);
  await until(
    async () => countIn(folder),
    (now) => now > before,
  );
  await untilMore(join(folder, 'journal'));
  await client.killApplication({ params });
  await untilState(client, appid, 'KILLED');
});

t.test('while it is shut down there is nothing to change', async (t) => {
  const folder = testFolder(t);
  const { client, launch, change } = await planStage(t);
  const appid = await launch('draining', lagging(folder));
  // What is under way when it is shut down takes it seconds.
  await untilBehind(folder, 150);
  await client.shutdownApplication({ params: { appid } });
  await t.rejects(change(appid, remove('totals')), {
    status: 409,
    code: 'APPLICATION_ENDED',
    message: /shut down/,
  });
  await untilState(client, appid, 'FINISHED');
  const journal = numbersIn(join(folder, 'journal'));
  t.strictSame(gapsIn(journal, counted(folder)), []);
  t.equal(totalsIn(join(folder, 'totals'))?.['count'], journal.length);
});

t.test('while a container is being replaced a change waits', async (t) => {
  const folder = testFolder(t);
  const { client, launch, change, finish } = await planStage(t);
  const appid = await launch('replaced', flow(folder));
  const victim = await containerOf(client, appid, 'totals');
  process.kill(pidOf(victim), 'SIGKILL');
  await until(
    () => client.listContainers({ params: { appid } }),
    ({ containers }) => containers.some(({ id, state }) => id === victim.id && state === 'KILLED'),
  );
  await change(appid, create('a', 'Journal'), give('a', 'file', join(folder, 'a')), sink('numbers', 'a.in'));
  await untilMore(join(folder, 'a'));
  await finish(appid);
  const total = counted(folder);
  t.match(totalsIn(join(folder, 'totals')), { count: total, sum: sumOf(0, total) });
  t.strictSame(gapsIn(numbersIn(join(folder, 'a')), total), []);
});

t.test('an existing operator gets a property with the change, between two windows', async (t) => {
  const folder = testFolder(t);
  const { client, launch, change, finish } = await planStage(t);
  const appid = await launch('property', flow(folder));
  const params = { appid };
  await untilMore(join(folder, 'journal'));
  await change(appid, give('journal', 'file', join(folder, 'other')), give('source', 'perSecond', '4000'));
  await untilMore(join(folder, 'other'));
  t.match((await client.getLogicalPlan({ params })).operators, [{ properties: { perSecond: 4000 } }]);
  await finish(appid);
  const total = counted(folder);
  const first = numbersIn(join(folder, 'journal'));
  const second = numbersIn(join(folder, 'other'));
  t.strictSame(gapsIn([...first, ...second], total), [], 'one file goes on where the other ends');
  t.match(totalsIn(join(folder, 'totals')), { count: total, sum: sumOf(0, total) });
});

t.test('a restart goes on with the changed plan', async (t) => {
  const folder = testFolder(t);
  const { client, launch, change, finish, restart } = await planStage(t);
  const appid = await launch('restarted', flow(folder));
  await change(
    appid,
    remove('totals'),
    create('late', 'Totals'),
    give('late', 'file', join(folder, 'late')),
    connect('new', 'journal.out -> late.in'),
  );
  await until(
    async () => Number(totalsIn(join(folder, 'late'))?.['count'] ?? 0),
    (count) => count > 200,
  );
  const { streams: left } = await finish(appid);
  t.equal(left.length, 2);
  const plan = await client.getLogicalPlan({ params: { appid } });
  t.strictSame(
    plan.operators.map(({ name }) => name),
    ['source', 'journal', 'late'],
    'the plan as it last was',
  );
  const again = await restart(appid);
  const { operators, streams } = await client.getLogicalPlan({ params: { appid: again } });
  t.strictSame({ operators, streams }, plan);
  await untilMore(join(folder, 'journal'));
  await client.shutdownApplication({ params: { appid: again } });
  await untilState(client, again, 'FINISHED');
  const total = counted(folder);
  t.strictSame(gapsIn(numbersIn(join(folder, 'journal')), total), []);
  const late = Number(totalsIn(join(folder, 'late'))?.['count']);
  t.match(totalsIn(join(folder, 'late')), { sum: sumOf(total - late, total) });
});

t.test('a new operator that can not be set up: refused, and the old plan is back', async (t) => {
  const folder = testFolder(t);
  const { client, launch, change, finish } = await planStage(t);
  const appid = await launch('unsound', { ...flow(folder), attributes: { MAX_CONTAINER_FAILURES: 0 } });
  const params = { appid };
  const plan = await client.getLogicalPlan({ params });
  const add = (file: string) =>
    change(appid, create('a', 'Journal'), give('a', 'file', file), sink('seen', 'a.in'));
  await untilMore(join(folder, 'journal'));
  await t.rejects(add(join(folder, 'no', 'such')), {
    status: 400,
    message: /operator a .*ENOENT.*the plan is as it was/,
  });
  t.strictSame(await client.getLogicalPlan({ params }), plan);
  await untilMore(join(folder, 'journal'));
  await add(join(folder, 'a'));
  await untilMore(join(folder, 'a'));
  const { operators } = await finish(appid);
  const total = counted(folder);
  t.strictSame(gapsIn(numbersIn(join(folder, 'journal')), total), [], 'nothing came twice');
  t.strictSame(gapsIn(numbersIn(join(folder, 'a')), total), []);
  t.match(totalsIn(join(folder, 'totals')), { count: total, sum: sumOf(0, total) });
  t.match(operators, [
    { totalTuplesEmitted: total },
    { totalTuplesProcessed: total },
    { totalTuplesProcessed: total },
  ]);
  const { events } = await client.listEvents({ params, query: { limit: '1000' } });
  t.equal(events.filter(({ type }) => type === 'ChangeLogicalPlan').length, 3, 'the first batch was none');
});
