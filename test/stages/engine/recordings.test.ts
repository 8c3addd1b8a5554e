import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Client } from '../../../lib/client.js';
import type { Recording, TupleBatch } from '../../../lib/driver-kit.js';
import type { HostLaunch } from '../../../lib/index.js';
import type { LocalClusterOptions } from '../../../packages/engine/index.js';
import { engineGateway, untilItRuns, untilState } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { fixtures, linesOf, op, stream } from '../../helpers/local-cluster.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

const notFound = { status: 404, code: 'NOT_FOUND' };
const over = { status: 409, code: 'APPLICATION_ENDED' };
const active = { status: 409, code: 'RECORDING_ACTIVE' };
const invalid = { status: 400, code: 'INVALID_INPUT' };

/** Numbers from 0 on, which `totals` counts window by window in a file of its own. */
const numbers = (file: string, properties: Record<string, unknown> = {}, slowMillis = 0): HostLaunch => ({
  user: 'ada',
  name: 'numbers',
  application: {
    attributes: {
      STREAMING_WINDOW_SIZE_MILLIS: 100,
      CHECKPOINT_WINDOW_COUNT: 5,
      HEARTBEAT_INTERVAL_MILLIS: 100,
    },
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 2000, ...properties }),
      op('word', 'ToWord'),
      op('totals', 'Totals', { file, slowMillis }),
    ],
    streams: [stream('source.out -> totals.in, word.in')],
  },
});

async function running(t: Test, options: Partial<LocalClusterOptions> = {}, properties = {}, slowMillis = 0) {
  const folder = testFolder(t);
  const file = join(folder, 'totals');
  const { gateway, newClient } = await engineGateway(t, { operators: [fixtures], ...options });
  const client = newClient(as('ada'));
  const appid = await gateway.launch(numbers(file, properties, slowMillis));
  const { operators } = await untilItRuns(client, appid);
  const idOf = (name: string) => operators.find((operator) => operator.name === name)?.id ?? '';
  return {
    gateway,
    client,
    newClient,
    appid,
    file,
    source: idOf('source'),
    word: idOf('word'),
    totals: idOf('totals'),
  };
}

interface Place {
  readonly appid: string;
  readonly opid: string;
  readonly id: string;
}

const untilEnded = (client: Client, params: Place) =>
  until(
    () => client.getRecording({ params }),
    ({ ended }) => ended,
  );

/** All tuples, page by page. */
async function everything(
  client: Client,
  params: Place,
  query: { limit?: number; ports?: string; executeEmptyWindow?: boolean } = {},
) {
  const windows = new Map<string, TupleBatch['tuples'][number]['tuples']>();
  let offset = 0;
  for (;;) {
    const batch = await client.getRecordedTuples({ params, query: { ...query, offset } });
    let count = 0;
    for (const { windowId, tuples } of batch.tuples) {
      windows.set(windowId, [...(windows.get(windowId) ?? []), ...tuples]);
      count += tuples.length;
    }
    if (count === 0) return windows;
    if (batch.startOffset !== String(offset)) throw new Error(`${batch.startOffset} is not ${offset}`);
    offset += count;
  }
}

/** What `totals` saw in each window, by its own count. */
function counted(file: string): Map<string, number[]> {
  const seen = new Map<string, number[]>();
  let before = 0;
  for (const line of linesOf(file)) {
    const count = Number(line['count']);
    seen.set(
      String(line['window']),
      Array.from({ length: count - before }, (_, index) => before + index),
    );
    before = count;
  }
  return seen;
}

const dataOf = (tuples: readonly { readonly data: unknown }[] | undefined) => tuples?.map(({ data }) => data);

t.test('a number of windows of an operator', async (t) => {
  const { client, appid, file, totals } = await running(t);
  const asked = Date.now();
  const { id } = await client.startOperatorRecording({
    params: { appid, opid: totals },
    body: { numWindows: 5 },
  });
  t.match(id, /^\d{12}-[\w-]{6}$/);
  const params = { appid, opid: totals, id };
  const recording = await untilEnded(client, params);
  const containers = (await client.listContainers({ params: { appid } })).containers;
  const container = containers.find(({ operators }) => totals in operators)?.id ?? '';
  t.match(recording, {
    id,
    appId: appid,
    operatorId: totals,
    containerId: container,
    ended: true,
    skippedTuples: 0,
    properties: { file, slowMillis: 0 },
    ports: [{ id: '0', name: 'in', type: 'input', streamName: 'source-out' }],
  });
  t.equal(recording.ports.length, 1, 'ports that are not connected are not recorded');
  t.equal(recording.ports[0]?.tupleCount, recording.totalTuples);

  const windows = await everything(client, params);
  t.equal(windows.size, 5);
  const expected = counted(file);
  for (const [windowId, tuples] of windows)
    t.strictSame(dataOf(tuples), expected.get(windowId), `each tuple of ${windowId} once`);
  const ids = [...windows.keys()].map(BigInt);
  t.strictSame(
    ids,
    ids.map((_, index) => (ids[0] ?? 0n) + BigInt(index)),
    'window after window',
  );
  t.strictSame(recording.windowIdRanges, [{ low: String(ids[0]), high: String(ids.at(-1)) }]);
  t.equal(recording.totalTuples, [...windows.values()].flat().length);
  t.ok(recording.startTime >= asked && recording.startTime <= Date.now());
});

t.test('operator and ports exclude each other; stop; delete', async (t) => {
  const { client, appid, source, word, file } = await running(t);
  const operator = { appid, opid: word };
  const input = { ...operator, portName: 'in' };
  const output = { ...operator, portName: 'out' };
  const { id: first } = await client.startPortRecording({ params: input });
  const { id: second } = await client.startPortRecording({ params: output, body: {} });

  const taken = (id: string) => ({ ...active, details: { id } });
  await t.rejects(client.startPortRecording({ params: input }), taken(first));
  await t.rejects(client.startPortRecording({ params: output }), taken(second));
  await t.rejects(client.startOperatorRecording({ params: operator }), taken(first));
  const shown = await client.getPhysicalOperator({ params: operator });
  t.match(shown, { recordingId: null, recordingStartTime: -1 });
  const starts = shown.ports.map(({ name, recordingId, recordingStartTime = -1 }) => [
    name,
    recordingId,
    recordingStartTime > 0,
  ]);
  t.strictSame(starts, [
    ['in', first, true],
    ['out', second, true],
  ]);

  await until(
    () => client.listOperatorRecordings({ params: operator }),
    ({ recordings }) => recordings.every(({ totalTuples, ended }) => totalTuples > 100 && !ended),
  );
  await t.rejects(client.deleteRecording({ params: { ...operator, id: first } }), taken(first));
  await client.stopPortRecording({ params: input });
  await t.rejects(client.stopPortRecording({ params: input }), notFound);
  await client.stopOperatorRecording({ params: operator });
  await t.rejects(client.stopOperatorRecording({ params: operator }), notFound);
  const { recordings } = await client.listOperatorRecordings({ params: operator });
  t.strictSame(
    recordings.map(({ id, ended }) => [id, ended]),
    [
      [first, true],
      [second, true],
    ],
    'the operator stops those of its ports',
  );
  const words = await everything(client, { ...operator, id: second });
  const counts = counted(file);
  for (const [windowId, tuples] of words)
    t.equal(tuples.length, counts.get(windowId)?.length ?? tuples.length, 'whole windows');

  const { id: third } = await client.startOperatorRecording({ params: operator });
  t.match(await client.getPhysicalOperator({ params: operator }), { recordingId: third });
  await t.rejects(client.startPortRecording({ params: output }), taken(third));
  await t.rejects(client.stopPortRecording({ params: output }), notFound, 'it is none of the port');
  const { id: other } = await client.startOperatorRecording({ params: { appid, opid: source } });
  await client.stopOperatorRecording({ params: operator });
  await client.stopOperatorRecording({ params: { appid, opid: source } });
  const both = await client.getRecording({ params: { ...operator, id: third } });
  t.strictSame(
    both.ports.map(({ id, name, type }) => [id, name, type]),
    [
      ['0', 'in', 'input'],
      ['1', 'out', 'output'],
    ],
  );
  t.equal(both.ports[0]?.tupleCount, both.ports[1]?.tupleCount, 'one word for each number');

  const all = await client.listApplicationRecordings({ params: { appid } });
  t.strictSame(
    all.recordings.map(({ id }) => id),
    [first, second, third, other],
    'in the order of their start',
  );
  await client.deleteRecording({ params: { ...operator, id: first } });
  await t.rejects(client.getRecording({ params: { ...operator, id: first } }), notFound);
  await t.rejects(client.getRecordedTuples({ params: { ...operator, id: first } }), notFound);
  await t.rejects(client.deleteRecording({ params: { ...operator, id: first } }), notFound);
  const left = await client.listOperatorRecordings({ params: operator });
  t.strictSame(
    left.recordings.map(({ id }) => id),
    [second, third],
  );
});

t.test('while it grows', async (t) => {
  const { client, newClient, appid, totals } = await running(t);
  const operator = { appid, opid: totals };
  const { id } = await client.startOperatorRecording({ params: operator });
  const params = { ...operator, id };
  const early = await until(
    () => client.getRecordedTuples({ params, query: { limit: 50 } }),
    ({ tuples }) => tuples.flatMap((window) => window.tuples).length === 50,
  );
  const before = await client.getRecording({ params });
  t.match(before, { ended: false });
  await until(
    () => client.getRecording({ params }),
    ({ totalTuples, ended }) => !ended && totalTuples > before.totalTuples + 1000,
  );
  t.strictSame(
    await client.getRecordedTuples({ params, query: { limit: 50 } }),
    early,
    'what was read stays',
  );

  const { recordingStartTime } = await client.getPhysicalOperator({ params: operator });
  const live = new Promise<{ tupleCount: number; data: number }[]>((resolve, reject) => {
    const heard: { tupleCount: number; data: number }[] = [];
    const stop = newClient(as('ada')).subscribe(
      `applications.${appid}.tupleRecorder.${recordingStartTime}`,
      (tuple) => {
        t.match(tuple, { portId: '0', windowId: /^\d+$/, tupleCount: Number, data: Number });
        if (heard.push(tuple as { tupleCount: number; data: number }) < 20) return;
        stop();
        resolve(heard);
      },
      reject,
    );
  });
  const heard = await live;
  await client.stopOperatorRecording({ params: operator });
  for (const { tupleCount, data } of heard.slice(0, 3)) {
    const { tuples } = await client.getRecordedTuples({
      params,
      query: { offset: tupleCount - 1, limit: 1 },
    });
    t.strictSame(dataOf(tuples[0]?.tuples), [data], 'its number is its place');
  }
  const stranger = newClient(as('eve'));
  const refused = new Promise((resolve, reject) => {
    stranger.subscribe(`applications.${appid}.tupleRecorder.${recordingStartTime}`, reject, resolve);
  });
  t.ok(await refused, 'others hear nothing');
});

t.test('pages', async (t) => {
  const { client, appid, word } = await running(
    t,
    { limits: { recordingPartBytes: 1024 } },
    { perSecond: 100 },
  );
  const operator = { appid, opid: word };
  const { id } = await client.startOperatorRecording({ params: operator, body: { numWindows: 12 } });
  const params = { ...operator, id };
  const { totalTuples, windowIdRanges } = await untilEnded(client, params);
  const whole = await everything(client, params);
  t.equal([...whole.values()].flat().length, totalTuples);
  // In a window in which the machine had other things to do there may be none.
  t.ok(whole.size > 1 && whole.size <= 12, `${whole.size} windows`);
  for (const limit of [1, 7, 100, 333])
    t.strictSame(await everything(client, params, { limit }), whole, `pages of ${limit}`);
  for (const port of ['0', '1'])
    t.strictSame(
      [...(await everything(client, params, { limit: 41, ports: port })).values()].flat(),
      [...whole.values()].flat().filter(({ portId }) => portId === port),
      `port ${port}`,
    );
  let offset = 0;
  for (const [startWindow, tuples] of whole) {
    const query = { startWindow, limit: tuples.length };
    t.strictSame(await client.getRecordedTuples({ params, query }), {
      startOffset: String(offset),
      tuples: [{ windowId: startWindow, tuples }],
    });
    offset += tuples.length;
  }
  const last = windowIdRanges.at(-1)?.high ?? '';
  const none = { startOffset: '-1', tuples: [] };
  t.strictSame(
    await client.getRecordedTuples({ params, query: { startWindow: String(BigInt(last) + 1n) } }),
    none,
  );
  t.strictSame(await client.getRecordedTuples({ params, query: { offset: totalTuples } }), none);
  t.strictSame(
    await client.getRecordedTuples({ params, query: { offset: '999999' as unknown as number } }),
    none,
  );
});

t.test('windows without tuples', async (t) => {
  const { client, appid, totals } = await running(t, {}, { perSecond: 4 });
  const params = { appid, opid: totals };
  const { id } = await client.startOperatorRecording({ params });
  await until(
    () => client.getRecording({ params: { ...params, id } }),
    ({ totalTuples }) => totalTuples > 1,
  );
  await client.stopOperatorRecording({ params });
  const recording = await untilEnded(client, { ...params, id });
  const some = await everything(client, { ...params, id }, { limit: 1 });
  const all = await client.getRecordedTuples({
    params: { ...params, id },
    query: { executeEmptyWindow: true },
  });
  t.ok(some.size > 0 && some.size < all.tuples.length, `${some.size} of ${all.tuples.length} windows`);
  t.strictSame(
    all.tuples.filter(({ tuples }) => tuples.length > 0).map(({ windowId }) => windowId),
    [...some.keys()],
  );
  const [first] = all.tuples;
  t.equal(recording.windowIdRanges[0]?.low, first?.windowId);
});

t.test('bad input changes nothing', async (t) => {
  const { client, appid, totals } = await running(t);
  const operator = { appid, opid: totals };
  for (const numWindows of [0, -1, 1.5, 'many', null])
    await t.rejects(
      client.startOperatorRecording({ params: operator, body: { numWindows: numWindows as number } }),
      invalid,
    );
  const unknown = { appid, opid: '99' };
  const port = { ...operator, portName: 'none' };
  await t.rejects(client.startOperatorRecording({ params: unknown }), notFound);
  await t.rejects(client.startOperatorRecording({ params: { appid, opid: '../../x' } }), notFound);
  await t.rejects(client.stopOperatorRecording({ params: unknown }), notFound);
  await t.rejects(client.startPortRecording({ params: port }), { ...notFound, message: /port "none"/ });
  await t.rejects(
    client.startPortRecording({ params: { ...operator, portName: 'other' } }),
    notFound,
    'not connected',
  );
  await t.rejects(client.stopPortRecording({ params: port }), notFound);
  await t.rejects(client.listOperatorRecordings({ params: unknown }), notFound);
  await t.rejects(client.listApplicationRecordings({ params: { appid: 'application_1_1' } }), notFound);
  t.strictSame(await client.listApplicationRecordings({ params: { appid } }), { recordings: [] });
  for (const id of ['202001010000-abcdef', '../../checkpoints', 'x']) {
    const params = { ...operator, id };
    await t.rejects(client.getRecording({ params }), notFound);
    await t.rejects(client.deleteRecording({ params }), notFound);
    await t.rejects(client.getRecordedTuples({ params }), notFound);
  }
  const { id } = await client.startOperatorRecording({ params: operator, body: { numWindows: 1 } });
  const params = { ...operator, id };
  await untilEnded(client, params);
  const bad = (query: Record<string, unknown>) =>
    client.getRecordedTuples({ params, query: query as { limit: number } });
  await t.rejects(bad({ offset: 0, startWindow: '1' }), invalid);
  await t.rejects(bad({ offset: -1 }), invalid);
  await t.rejects(bad({ offset: 'x' }), invalid);
  await t.rejects(bad({ startWindow: 'x' }), invalid);
  await t.rejects(bad({ limit: 0 }), invalid);
  await t.rejects(bad({ limit: 1001 }), invalid);
  await t.rejects(bad({ executeEmptyWindow: 'maybe' }), invalid);
  await t.rejects(bad({ ports: '0,7' }), { status: 400, code: 'UNKNOWN_VALUE', message: /no port 7/ });
  await t.rejects(bad({ ports: '' }), { status: 400, code: 'UNKNOWN_VALUE' });
  await t.rejects(client.getRecording({ params: { ...params, opid: '99' } }), notFound);
});

t.test('rights', async (t) => {
  const { client, newClient, appid, totals } = await running(t);
  const params = { appid, opid: totals };
  const { id } = await client.startOperatorRecording({ params });
  const eve = newClient(as('eve'));
  await t.rejects(eve.listApplicationRecordings({ params: { appid } }), notFound);
  await t.rejects(eve.getRecordedTuples({ params: { ...params, id } }), notFound);
  await client.putApplicationPermissions({ params: { appid }, body: { readOnly: { users: ['eve'] } } });
  t.match(await eve.getRecording({ params: { ...params, id } }), { id });
  const forbidden = { status: 403, code: 'FORBIDDEN' };
  await t.rejects(eve.stopOperatorRecording({ params }), forbidden);
  await t.rejects(eve.startOperatorRecording({ params }), forbidden);
  await t.rejects(eve.deleteRecording({ params: { ...params, id } }), forbidden);
  t.match(await client.getRecording({ params: { ...params, id } }), { ended: false });
});

t.test('a container that is killed, and the end of the application', async (t) => {
  const { client, appid, file, totals, word } = await running(t);
  const operator = { appid, opid: totals };
  const { id } = await client.startOperatorRecording({ params: operator });
  const params = { ...operator, id };
  const { containerId } = await until(
    () => client.getRecording({ params }),
    ({ totalTuples }) => totalTuples > 500,
  );
  await client.killContainer({ params: { appid, containerId } });
  const ended = await untilEnded(client, params);
  const windows = await everything(client, params);
  t.equal([...windows.values()].flat().length, ended.totalTuples);
  const numbers = [...windows.values()].flat().map(({ data }) => Number(data));
  t.strictSame(
    numbers,
    numbers.map((_, index) => (numbers[0] ?? 0) + index),
    'all that was written is there, each tuple once',
  );
  t.ok(readFileSync(file, 'utf8'));
  await until(
    () => client.getPhysicalOperator({ params: operator }),
    ({ status, container, recordingId }) =>
      status === 'ACTIVE' && container !== containerId && recordingId === null,
  );
  const { id: next } = await client.startOperatorRecording({ params: operator });
  const { id: other } = await client.startPortRecording({ params: { appid, opid: word, portName: 'out' } });
  await until(
    () => client.listApplicationRecordings({ params: { appid } }),
    ({ recordings }) => recordings.every(({ totalTuples }) => totalTuples > 100),
  );
  await client.shutdownApplication({ params: { appid } });
  await untilState(client, appid, 'FINISHED');
  const { recordings } = await client.listApplicationRecordings({ params: { appid } });
  t.strictSame(
    recordings.map((recording) => [recording.id, recording.ended]),
    [
      [id, true],
      [next, true],
      [other, true],
    ],
  );
  const drained = await everything(client, { ...operator, id: next });
  t.strictSame(
    dataOf([...drained.values()].at(-1)),
    counted(file).get([...drained.keys()].at(-1) ?? ''),
    'to the last tuple',
  );
  await t.rejects(client.startOperatorRecording({ params: operator }), over);
  await t.rejects(client.stopOperatorRecording({ params: operator }), over);
  t.match(await client.getPhysicalOperator({ params: operator }), {
    recordingId: null,
    recordingStartTime: -1,
  });
  await client.deleteRecording({ params: { ...operator, id: next } });
  await t.rejects(client.getRecording({ params: { ...operator, id: next } }), notFound);
});

t.test('after the host was started again', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-recordings-'));
  t.teardown(() => rm(directory, { recursive: true }));
  let place: Place | undefined;
  let kept: { recording: Recording; windows: unknown } | undefined;
  await t.test('before', async (t) => {
    const { client, appid, totals } = await running(t, { directory });
    const { id } = await client.startOperatorRecording({
      params: { appid, opid: totals },
      body: { numWindows: 3 },
    });
    place = { appid, opid: totals, id };
    kept = { recording: await untilEnded(client, place), windows: await everything(client, place) };
    await client.startOperatorRecording({ params: { appid, opid: totals } });
  });
  const { newClient } = await engineGateway(t, { operators: [fixtures], directory });
  const client = newClient(as('ada'));
  if (!place || !kept) throw new Error('nothing was recorded');
  t.strictSame(await client.getRecording({ params: place }), kept.recording);
  t.strictSame(await everything(client, place), kept.windows);
  const { recordings } = await client.listOperatorRecordings({ params: place });
  t.strictSame(
    recordings.map(({ ended }) => ended),
    [true, true],
    'what was going on has ended',
  );
  t.match(await client.getPhysicalOperator({ params: place }), { recordingId: null });
  await t.rejects(client.startOperatorRecording({ params: place }), over);
  await client.deleteRecording({ params: place });
});

t.test('limits', async (t) => {
  await t.test('bytes: it ends by itself, with a whole window', async (t) => {
    const { client, appid, file, totals } = await running(t, {
      limits: { recordingBytes: 10_000, recordings: 2 },
    });
    const operator = { appid, opid: totals };
    const { id } = await client.startOperatorRecording({ params: operator });
    const recording = await untilEnded(client, { ...operator, id });
    const windows = await everything(client, { ...operator, id }, { executeEmptyWindow: true });
    const expected = [...windows.keys()].flatMap((windowId) => counted(file).get(windowId) ?? []);
    t.equal(recording.totalTuples + (recording.skippedTuples ?? 0), expected.length, 'all are counted');
    t.strictSame(
      dataOf([...windows.values()].flat()),
      expected.slice(0, recording.totalTuples),
      'kept up to the limit',
    );
    t.match(await client.getPhysicalOperator({ params: operator }), { recordingId: null });
    await untilEnded(client, { ...operator, ...(await client.startOperatorRecording({ params: operator })) });
    await t.rejects(client.startOperatorRecording({ params: operator }), {
      status: 409,
      code: 'LIMIT_REACHED',
      message: /delete one/,
    });
    await client.deleteRecording({ params: { ...operator, id } });
    t.ok(await client.startOperatorRecording({ params: operator }));
  });

  await t.test('time: it ends by itself', async (t) => {
    const { client, appid, totals } = await running(t, { limits: { recordingMillis: 300 } });
    const operator = { appid, opid: totals };
    const { id } = await client.startOperatorRecording({ params: operator });
    const { windowIdRanges } = await untilEnded(client, { ...operator, id });
    t.equal(windowIdRanges.length, 1);
  });

  await t.test('its share of a thread that is busy: what is beyond is counted', async (t) => {
    const { client, appid, file, totals } = await running(
      t,
      { limits: { recordingCpuPercent: 0.01 } },
      { perSecond: 40_000 },
      0.05,
    );
    const operator = { appid, opid: totals };
    const { id } = await client.startOperatorRecording({ params: operator, body: { numWindows: 5 } });
    const recording = await untilEnded(client, { ...operator, id });
    t.ok(recording.skippedTuples, 'some are left out');
    t.ok(recording.totalTuples, 'some are kept');
    const windows = await everything(client, { ...operator, id }, { executeEmptyWindow: true });
    t.equal(windows.size, 5);
    const counts = counted(file);
    const all = [...windows.keys()].flatMap((windowId) => counts.get(windowId) ?? []);
    t.equal(recording.totalTuples + (recording.skippedTuples ?? 0), all.length, 'all are counted');
    for (const [windowId, tuples] of windows)
      t.strictSame(dataOf(tuples), counts.get(windowId)?.slice(0, tuples.length), 'the first of the window');
  });
});

t.test('a unifier: each partition is a port of its own', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators: [fixtures] });
  const client = newClient(as('ada'));
  const appid = await gateway.launch({
    user: 'ada',
    name: 'partitions',
    application: {
      attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, HEARTBEAT_INTERVAL_MILLIS: 100 },
      operators: [
        op('source', 'Sequence', { total: -1, perSecond: 300 }, { PARTITIONER: 2 }),
        op('totals', 'Totals'),
      ],
      streams: [stream('source.out -> totals.in')],
    },
  });
  const { operators } = await untilItRuns(client, appid);
  const unifier = operators.find(({ isUnifier }) => isUnifier);
  const params = { appid, opid: unifier?.id ?? '' };
  const { id } = await client.startOperatorRecording({ params, body: { numWindows: 5 } });
  const recording = await untilEnded(client, { ...params, id });
  const inputs = recording.ports.filter(({ type }) => type === 'input');
  t.strictSame(
    inputs.map(({ name }) => name),
    unifier?.ports.filter(({ type }) => type === 'input').map(({ name }) => name),
  );
  t.equal(inputs.length, 2);
  const data = async (ports: string) => {
    const windows = await everything(client, { ...params, id }, { ports });
    return [...windows.values()].flat().map(({ data }) => Number(data));
  };
  const [even = [], odd = []] = await Promise.all(inputs.map((port) => data(port.id)));
  t.ok(even.length > 0 && even.every((number) => number % 2 === 0));
  t.ok(odd.length > 0 && odd.every((number) => number % 2 === 1));
  const output = recording.ports.find(({ type }) => type === 'output')?.id ?? '';
  const sorted = (numbers: number[]) => numbers.sort((one, other) => one - other);
  t.strictSame(sorted(await data(output)), sorted([...even, ...odd]), 'what comes in goes out');

  const portName = inputs[1]?.name ?? '';
  const { id: one } = await client.startPortRecording({
    params: { ...params, portName },
    body: { numWindows: 2 },
  });
  const port = await untilEnded(client, { ...params, id: one });
  t.match(port.ports, [{ id: '0', name: portName, type: 'input' }]);
  t.ok(port.totalTuples > 0);
});

t.test('the port attribute AUTO_RECORD', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators: [fixtures], limits: { recordings: 2 } });
  const client = newClient(as('ada'));
  const file = join(testFolder(t), 'totals');
  const launch = numbers(file);
  const [source, word, totals] = launch.application.operators ?? [];
  const withPort = (operator: object | undefined, name: string, value: unknown) =>
    Object.assign(operator ?? {}, { ports: [{ name, attributes: { AUTO_RECORD: value } }] });
  withPort(source, 'out', true);
  withPort(word, 'in', false);
  withPort(totals, 'in', 'true');
  const appid = await gateway.launch(launch);
  const { operators } = await untilItRuns(client, appid);
  const opid = operators.find(({ name }) => name === 'totals')?.id ?? '';
  const containerOf = async () => {
    const { operators } = await client.getPhysicalPlan({ params: { appid } });
    return operators.find(({ id }) => id === opid)?.container ?? '';
  };
  const { recordings } = await until(
    () => client.listApplicationRecordings({ params: { appid } }),
    ({ recordings }) => recordings.length === 2 && recordings.every(({ totalTuples }) => totalTuples > 100),
  );
  t.strictSame(
    recordings.map(({ ports }) => ports.map(({ name, type }) => `${type} ${name}`).join()).sort(),
    ['input in', 'output out'],
  );
  const mine = recordings.find(({ operatorId }) => operatorId === opid);
  t.match(mine, { ended: false });
  await t.rejects(
    client.startPortRecording({ params: { appid, opid, portName: 'in' }, body: {} }),
    { status: 409, code: 'LIMIT_REACHED' },
    'there are as many as may be',
  );
  const params = { appid, opid, id: mine?.id ?? '' };
  await client.killContainer({ params: { appid, containerId: await containerOf() } });
  await untilEnded(client, params);
  const before = await everything(client, params);
  for (const [windowId, tuples] of before)
    t.strictSame(dataOf(tuples), counted(file).get(windowId) ?? dataOf(tuples), windowId);
  await untilItRuns(client, appid);
  t.equal(
    (await client.listApplicationRecordings({ params: { appid } })).recordings.length,
    2,
    'no more than there may be: limits.recordings',
  );

  for (const { id, operatorId } of recordings) {
    if (operatorId !== opid)
      await client.stopPortRecording({ params: { appid, opid: operatorId, portName: 'out' } });
    await client.deleteRecording({ params: { appid, opid: operatorId, id } });
  }
  await client.killContainer({ params: { appid, containerId: await containerOf() } });
  await until(
    () => client.listApplicationRecordings({ params: { appid } }),
    ({ recordings }) => recordings.some(({ operatorId, ended }) => operatorId === opid && !ended),
  );
  t.pass('each deployment begins one');
});
