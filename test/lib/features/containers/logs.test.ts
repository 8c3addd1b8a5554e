import { appendFileSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import t from 'tap';
import { engineGateway, untilItRuns, untilState, words } from '../../../helpers/applications.js';
import { testFolder } from '../../../helpers/folder.js';
import { as } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

const directory = testFolder(t);
const began = Date.now();
const { gateway, newClient, baseUrl } = await engineGateway(t, { directory });
const client = newClient(as('ada', 'developer'));
const appid = await gateway.launch(words());
await untilItRuns(client, appid);
const streaming = (await client.listContainers({ params: { appid } })).containers.filter(
  ({ containerType }) => containerType === 'STREAMING',
);
const containerId = streaming[0]?.id ?? '';
const folder = (id: string) => join(directory, 'apps', appid, 'containers', id);
const place = (name: string) => join(folder(containerId), name);

type Query = NonNullable<Parameters<typeof client.readLog>[0]>['query'];

async function read(logName: string, query: Query = {}, id = containerId): Promise<string> {
  const answer = await client.readLog({ params: { appid, containerId: id, logName }, query });
  if (!(answer instanceof Response)) throw new Error('text was expected');
  t.match(answer.headers.get('content-type'), /^text\/plain/);
  return answer.text();
}
async function lines(logName: string, query: Query = {}) {
  const params = { appid, containerId, logName };
  const answer = await client.readLog({ params, query: { ...query, includeOffset: true } });
  if (answer instanceof Response) throw new Error('JSON was expected');
  return answer.lines.map(({ byteOffset, line }) => [byteOffset, line]);
}

t.test('the logs of a container are listed', async (t) => {
  const { logs } = await client.listLogs({ params: { appid, containerId } });
  t.strictSame(
    logs.map(({ name }) => name),
    ['gc.log', 'headgate.log', 'stderr', 'stdout'],
  );
  t.ok((logs.find(({ name }) => name === 'headgate.log')?.length ?? 0) > 0);
  const master = (await client.listContainers({ params: { appid }, query: { types: 'appmaster' } }))
    .containers[0];
  const own = { appid, containerId: master?.id ?? '' };
  t.match((await client.listLogs({ params: own })).logs, [{ name: 'headgate.log' }]);
  const answer = await client.readLog({ params: { ...own, logName: 'headgate.log' } });
  t.match(await (answer instanceof Response ? answer.text() : ''), /was launched by /);
});

t.test('as text: the bytes as they are; parts of them', async (t) => {
  const text = 'one\ntwo ü\nthree\r\nfour';
  writeFileSync(place('parts.log'), text);
  t.equal(await read('parts.log'), text);
  t.equal(await read('parts.log', { includeOffset: false }), text);
  t.equal(await read('parts.log', { start: 4 }), text.slice(4));
  t.equal(await read('parts.log', { start: '4', end: '8' }), 'two ');
  t.equal(await read('parts.log', { end: 999 }), text);
  t.equal(await read('parts.log', { start: 500, end: 999 }), '', 'beyond the end there is nothing');
  t.equal(await read('parts.log', { lastNBytes: 8 }), 'four', 'the partial first line is dropped');
  t.equal(await read('parts.log', { lastNbytes: 11 }), 'three\r\nfour', 'a whole one is not');
  t.equal(await read('parts.log', { lastNBytes: 5, lastNbytes: 5 }), 'four', 'both spellings of one number');
  t.equal(await read('parts.log', { lastNBytes: 2 }), 'ur', 'no line begins there');
  t.equal(await read('parts.log', { grep: 't(wo|hr)' }), 'two ü\nthree\n', 'lines that match');
  t.equal(await read('parts.log', { grep: 'nothing' }), '');
  writeFileSync(place('empty.log'), '');
  t.equal(await read('empty.log'), '');
  t.strictSame(await lines('empty.log'), []);
});

t.test('as JSON: lines with their offsets in bytes', async (t) => {
  t.strictSame(await lines('parts.log'), [
    ['0', 'one'],
    ['4', 'two ü'],
    ['11', 'three'],
    ['18', 'four'],
  ]);
  t.strictSame(await lines('parts.log', { start: 11, end: 18 }), [['11', 'three']]);
  t.strictSame(await lines('parts.log', { lastNBytes: 8, grep: '^f' }), [['18', 'four']]);
  t.strictSame(await lines('parts.log', { grep: 'e$' }), [
    ['0', 'one'],
    ['11', 'three'],
  ]);
  const [, [offset = ''] = []] = await lines('parts.log');
  t.equal(
    (await read('parts.log', { start: offset })).split('\n')[0],
    'two ü',
    'an offset is where to read on',
  );
});

t.test('while it grows', async (t) => {
  appendFileSync(place('growing.log'), 'first\n');
  t.equal(await read('growing.log'), 'first\n');
  appendFileSync(place('growing.log'), 'second\n');
  t.equal(await read('growing.log', { start: 6 }), 'second\n');
  const debug = { loggers: [{ target: 'headgate.*', logLevel: 'DEBUG' as const }] };
  await client.setLoggers({ params: { appid }, body: debug });
  const length = (await read('headgate.log')).length;
  await client.setLoggers({
    params: { appid },
    body: { loggers: [{ target: 'headgate.*', logLevel: 'INFO' }] },
  });
  t.ok((await read('headgate.log')).length >= length);
});

t.test('a download has any length, and its name', async (t) => {
  const length = 17 * 1024 * 1024;
  writeFileSync(place('whole.log'), Buffer.alloc(length, 'a line of the log\n'));
  await t.rejects(read('whole.log'), { status: 400, code: 'ANSWER_TOO_LARGE' });
  const params = { appid, containerId, logName: 'whole.log' };
  const answer = await client.readLog({ params, query: { download: true } });
  if (!(answer instanceof Response)) throw new Error('text was expected');
  t.equal(answer.headers.get('content-length'), String(length));
  t.match(answer.headers.get('content-disposition'), /^attachment; filename="whole.log"/);
  t.equal((await answer.arrayBuffer()).byteLength, length);
  t.equal(await read('parts.log', { download: true, start: 4, end: 7 }), 'two');
});

t.test('bad input names its place', async (t) => {
  const refused: [Query, RegExp][] = [
    [{ start: 5, end: 4 }, /query\.end: lies before start/],
    [{ start: 5, lastNBytes: 4 }, /query\.lastNBytes: excludes/],
    [{ end: 5, lastNbytes: 4 }, /query\.lastNBytes: excludes/],
    [{ lastNBytes: 4, lastNbytes: 5 }, /query\.lastNBytes/],
    [{ start: -1 }, /query\.start/],
    [{ start: '1.5' }, /query\.start/],
    [{ end: 'x' }, /query\.end/],
    [{ download: true, grep: 'a' }, /query\.download/],
    [{ download: true, includeOffset: true }, /query\.download/],
    [{ grep: '(' }, /query\.grep/],
    [{ grep: '(?=a)' }, /query\.grep/],
    [{ grep: 'a'.repeat(300) }, /query\.grep/],
  ];
  for (const [query, message] of refused)
    await t.rejects(read('parts.log', query), { status: 400, message }, JSON.stringify(query));
});

t.test('nothing but the files of the container', async (t) => {
  writeFileSync(join(directory, 'secret.log'), 'secret');
  writeFileSync(join(directory, 'apps', appid, 'secret.log'), 'secret');
  symlinkSync(join(directory, 'secret.log'), place('link.log'));
  mkdirSync(place('folder.log'));
  const { logs } = await client.listLogs({ params: { appid, containerId } });
  t.notOk(logs.some(({ name }) => ['link.log', 'folder.log'].includes(name)));
  for (const name of [
    'none.log',
    'link.log',
    'folder.log',
    '../../secret.log',
    '..\\secret.log',
    '/etc/passwd',
    '.hidden',
    'x'.repeat(500),
  ])
    await t.rejects(read(name), { status: 404, code: 'NOT_FOUND' }, name);
  for (const id of ['container_1_0001_01_000099', '..', `../containers/${containerId}`, '']) {
    const path = `${baseUrl}/ws/v2/applications/${appid}/physicalPlan/containers/${encodeURIComponent(id)}/logs`;
    t.equal((await fetch(path, as('ada', 'developer'))).status, 404, id);
  }
});

t.test('logs are for those who may see the application, and logs', async (t) => {
  const params = { appid, containerId, logName: 'parts.log' };
  const owner = newClient(as('ada'));
  const calls: Promise<unknown>[] = [
    owner.listLogs({ params }),
    owner.readLog({ params }),
    owner.listCollections({ params }),
    owner.listOperatorCollections({ params: { ...params, operatorName: 'count' } }),
  ];
  for (const refused of calls) await t.rejects(refused, { status: 403, message: /VIEW_LOGS/ });
  const stranger = newClient(as('eve', 'developer'));
  await t.rejects(stranger.readLog({ params }), { status: 404, message: new RegExp(appid) });
  await t.resolves(newClient(as('olga', 'operator')).readLog({ params }), 'a reader with the permission');
});

t.test('a log of 100 MB: others are answered while it is searched', async (t) => {
  const line = `${'2026-11-21 12:00:00,000 [main] INFO  org.example.Parser - a line like any other, of some length'}\n`;
  const block = line.repeat(10_000);
  const fd = openSync(place('large.log'), 'w');
  while (writeSync(fd, block) > 0 && (await size()) < 100_000_000);
  writeSync(fd, 'the ERROR is here\n');
  async function size() {
    const { logs } = await client.listLogs({ params: { appid, containerId } });
    return logs.find(({ name }) => name === 'large.log')?.length ?? 0;
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  let isOver = false;
  const searches = Promise.all(
    ['ERROR', '(a|b|[x-z])*ERR[O-Q]R is'].map((grep) => lines('large.log', { grep })),
  ).finally(() => {
    isOver = true;
  });
  let answered = 0;
  while (!isOver) {
    await client.getHealth();
    answered++;
  }
  const found = await searches;
  delay.disable();
  t.comment(
    `two searches at once took ${Math.round(performance.now() - startedAt)} ms; the event loop stood ${(delay.max / 1e6).toFixed(1)} ms at the longest, ${(delay.percentile(99) / 1e6).toFixed(1)} ms in 99 %`,
  );
  for (const one of found) t.match(one, [[/^1\d{8}$/, 'the ERROR is here']]);
  // Who waits for a whole search is answered once for each.
  t.ok(answered > 2, `${answered} other requests were answered meanwhile`);

  await t.rejects(read('large.log'), { status: 400, code: 'ANSWER_TOO_LARGE', message: /lastNBytes/ });
  await t.rejects(lines('large.log'), { status: 400, code: 'ANSWER_TOO_LARGE' }, 'too many lines');
  await t.rejects(read('large.log', { grep: 'line' }), {
    code: 'ANSWER_TOO_LARGE',
    details: { reached: /^\d+$/ },
  });
  t.match(await read('large.log', { lastNBytes: 100 }), /^the ERROR is here\n$/);
  t.equal((await read('large.log', { start: 1_000_000, end: 16_000_000 })).length, 15_000_000);
  t.ok((await lines('large.log', { start: 0, end: 5_000_000 })).length > 50_000);
});

t.test('one line of many megabytes comes in pieces', async (t) => {
  writeFileSync(place('long.log'), `${'x'.repeat(8_000_000)}needle${'y'.repeat(2_000_000)}\nshort\n`);
  const all = await lines('long.log');
  t.equal(all.map(([, text]) => text).join('').length, 10_000_011);
  t.strictSame(all.at(-1), ['10000007', 'short']);
  const [found] = await lines('long.log', { grep: 'x.?needle' });
  t.match(found?.[1], /needle/);
  t.ok(Number(found?.[0]) > 7_900_000);
});

t.test('a client that hangs up is no longer worked for', async (t) => {
  const control = new AbortController();
  const params = { appid, containerId, logName: 'large.log' };
  const search = client.readLog({ params, query: { grep: '(a|b|[x-z])*nothing' }, signal: control.signal });
  setImmediate(() => control.abort());
  await t.rejects(search);
  const download = await client.readLog({ params, query: { end: 16_000_000 } });
  if (download instanceof Response) await download.body?.cancel();
  t.ok(await client.getHealth());
});

t.test('garbage collections of all containers, in the order of time', async (t) => {
  const stamp = (seconds: number) =>
    new Date(Date.UTC(2020, 0, 1, 0, 0, seconds)).toISOString().replace('Z', '+0000');
  const pause = (seconds: number) =>
    `[${stamp(seconds)}][1.0s][info][gc] GC(1) Pause Young (Scavenge) 8M->2M(16M) 1.000ms\n`;
  const [one, two, three] = streaming.map(({ id }) => id);
  writeFileSync(join(folder(one ?? ''), 'test-gc.log'), `noise\n${pause(1)}${pause(4)}`);
  writeFileSync(join(folder(two ?? ''), 'test-gc.log'), `${pause(2)}${'z'.repeat(200_000)}\n${pause(3)}`);
  const params = { appid, logName: 'test-gc.log' };
  const order = async (query: Omit<Query & object, 'start' | 'end'> & { descendingOrder?: boolean } = {}) => {
    const answer = await client.listCollections({ params, query: { ...query, includeOffset: true } });
    if (answer instanceof Response) throw new Error('JSON was expected');
    return answer.lines;
  };
  const up = await order();
  t.strictSame(
    up.map(({ container }) => container),
    [one, two, two, one],
  );
  t.match(up[0], {
    byteOffset: '6',
    line: pause(1).trimEnd(),
    type: 'GC',
    startTime: Date.UTC(2020, 0, 1, 0, 0, 1) - 1,
    occupiedHeapMemoryBefore: 8 * 1024,
    occupiedHeapMemoryAfter: 2 * 1024,
    heapCapacity: 16 * 1024,
    heapReductionPercentage: 75,
    duration: 0.001,
  });
  t.strictSame(await order({ descendingOrder: true }), [...up].reverse());
  t.strictSame(await order({ grep: 'T00:00:04' }), [up[3]]);
  t.strictSame(
    (await order({ lastNBytes: pause(4).length })).map(({ startTime }) => startTime),
    [up[2]?.startTime, up[3]?.startTime],
    'the end of each log',
  );
  const text = await client.listCollections({ params });
  t.equal(text instanceof Response && (await text.text()), [1, 2, 3, 4].map(pause).join(''), 'as text');
  t.strictSame(await order({ grep: 'nothing' }), []);
  const nowhere = { appid, logName: 'no-gc.log' };
  t.strictSame(await client.listCollections({ params: nowhere, query: { includeOffset: true } }), {
    lines: [],
  });
  await t.rejects(order({ grep: '(' }), { status: 400, code: 'PATTERN_NOT_VALID' });
  await t.rejects(order({ lastNBytes: 1, lastNbytes: 2 }), { status: 400, code: 'INVALID_INPUT' });

  const { operators } = await client.listLogicalOperators({ params: { appid } });
  const operator = operators.find(({ containerIds }) => containerIds.includes(two ?? ''));
  const ofOperator = { ...params, operatorName: operator?.name ?? '' };
  const { lines: its } = await client.listOperatorCollections({ params: ofOperator });
  t.strictSame(its, up.slice(1, 3), 'of one operator');
  const bare = await client.listOperatorCollections({ params: ofOperator, query: { includeOffset: false } });
  t.ok(bare.lines.length === 2 && bare.lines.every((event) => !('byteOffset' in event)));
  t.strictSame(
    (await client.listOperatorCollections({ params: ofOperator, query: { descendingOrder: 'true' } })).lines,
    up.slice(1, 3).reverse(),
  );
  await t.rejects(client.listOperatorCollections({ params: { ...ofOperator, operatorName: 'nobody' } }), {
    status: 404,
    code: 'NOT_FOUND',
  });
  t.ok(three, 'the third container has no such log and is left out');
});

t.test('the engine’s own collections can be read', async (t) => {
  const { lines: events } = await until(
    () => client.listOperatorCollections({ params: { appid, operatorName: 'source', logName: 'gc.log' } }),
    ({ lines }) => lines.length > 0,
  );
  const now = Date.now();
  for (const { startTime, occupiedHeapMemoryBefore, heapCapacity, duration } of events) {
    t.ok(startTime <= now && startTime >= began);
    t.ok(
      occupiedHeapMemoryBefore > 0 && heapCapacity > 0 && duration >= 0 && duration <= (now - began) / 1000,
    );
  }
});

t.test('after the container died, and after the application and the engine ended', async (t) => {
  await client.killContainer({ params: { appid, containerId } });
  await until(
    () => client.getContainer({ params: { appid, containerId } }),
    ({ state }) => state === 'KILLED',
  );
  t.equal(await read('parts.log', { start: 18 }), 'four');
  await client.killApplication({ params: { appid } });
  await untilState(client, appid, 'KILLED');
  t.match(await read('headgate.log', { grep: 'Container ' }), new RegExp(containerId));
  t.ok((await client.listLogs({ params: { appid, containerId } })).logs.length >= 4);
  const { lines: events } = await client.listOperatorCollections({
    params: { appid, operatorName: 'source', logName: 'test-gc.log' },
  });
  t.ok(events.length <= 4);
  t.ok((await readFile(place('headgate.log'))).length > 0);
});
