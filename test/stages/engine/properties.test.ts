import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import type { Client } from '../../../lib/client.js';
import type { HostLaunch } from '../../../lib/index.js';
import { engineGateway, untilItRuns, untilState } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

const operators = [
  new URL('./property-operators.js', import.meta.url),
  new URL('../../fixtures/local-operators.js', import.meta.url),
];
const attributes = {
  STREAMING_WINDOW_SIZE_MILLIS: 100,
  CHECKPOINT_WINDOW_COUNT: 5,
  HEARTBEAT_INTERVAL_MILLIS: 200,
};

/** `from.port -> to.port` */
const link = (text: string) => {
  const [source = '', sink = ''] = text.split(' -> ');
  const end = (place: string) => {
    const [operatorName = '', portName = ''] = place.split('.');
    return { operatorName, portName };
  };
  return { source: end(source), sinks: [end(sink)] };
};

/** Whole numbers below 100, of which two filters pass some on, to a topic window by window. */
const numbers = (condition: string): HostLaunch => ({
  user: 'ada',
  name: 'numbers',
  application: {
    attributes,
    operators: [
      {
        name: 'source',
        class: 'headgate.io.RandomGenerator',
        properties: { integers: true, max: 100, tuplesPerSecond: 2000 },
      },
      {
        name: 'filter',
        class: 'headgate.transform.Filter',
        properties: { condition },
        attributes: { PARTITIONER: 2 },
      },
      { name: 'hub', class: 'headgate.io.HubOutput', properties: { topic: 'test.numbers', mode: 'window' } },
    ],
    streams: [link('source.output -> filter.input'), link('filter.output -> hub.input')],
  },
});

/** Records with the fields `a` and `b`, dealt to two partitions by the one that their property names. */
const dealt = (file: string, more: Record<string, unknown> = {}): HostLaunch => ({
  user: 'ada',
  name: 'dealt',
  application: {
    attributes: { ...attributes, ...more },
    operators: [
      {
        name: 'source',
        class: 'headgate.io.RandomGenerator',
        properties: { kind: 'records', tuplesPerSecond: 2000 },
      },
      {
        name: 'map',
        class: 'headgate.transform.Map',
        properties: { compute: { a: 'word', b: 'floor(value * 10)' } },
      },
      { name: 'dealt', class: 'test.Dealt', properties: { file }, attributes: { PARTITIONER: 2 } },
    ],
    streams: [link('source.output -> map.input'), link('map.output -> dealt.in')],
  },
});

const Line = z.object({
  window: z.string(),
  partition: z.number(),
  key: z.string(),
  label: z.string().nullable(),
  keys: z.array(z.string()),
  count: z.number(),
  changes: z.number(),
  pid: z.number(),
});
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => Line.parse(JSON.parse(line)));

const idsOf = async (client: Client, appid: string, name: string) =>
  (await client.listPhysicalOperators({ params: { appid } })).operators
    .filter((operator) => operator.logicalName === name && !operator.isUnifier)
    .map(({ id }) => id);

const propertyEvents = async (client: Client, appid: string) =>
  (await client.listEvents({ params: { appid }, query: { limit: 1000 } })).events.filter(({ type }) =>
    type.endsWith('OperatorProperty'),
  );

t.test(
  'a threshold that changes while tuples flow holds from one window on, in all partitions',
  async (t) => {
    const { gateway, newClient } = await engineGateway(t);
    const client = newClient(as('ada'));
    const windows: { windowId: string; tuples: number[] }[] = [];
    await new Promise<void>((resolve, reject) => {
      client.subscribe(
        'test.numbers',
        (data) => {
          const { windowId, tuples } = z
            .object({ windowId: z.string(), tuples: z.array(z.number()) })
            .parse(data);
          windows.push({ windowId, tuples });
        },
        reject,
      );
      resolve();
    });
    const live: unknown[] = [];
    const appid = await gateway.launch(numbers('$ < 50'));
    client.subscribe(`applications.${appid}.events`, (event) => live.push(event));
    const params = { appid, opName: 'filter' };
    await untilItRuns(client, appid);
    const seen = (fits: (tuple: number) => boolean) =>
      until(
        async () => windows.at(-1)?.tuples ?? [],
        (tuples) => tuples.length > 20 && tuples.every(fits),
      );
    await seen((tuple) => tuple < 50);

    await client.setOperatorProperties({ params, body: { condition: '$ >= 50' } });
    t.same(await client.getOperatorProperties({ params }), {
      class: 'headgate.transform.Filter',
      condition: '$ >= 50',
    });
    for (const opid of await idsOf(client, appid, 'filter'))
      t.same(
        await client.getPhysicalOperatorProperties({ params: { appid, opid } }),
        { condition: '$ >= 50' },
        'asked where it runs',
      );
    await seen((tuple) => tuple >= 50);

    const kinds = windows
      .filter(({ tuples }) => tuples.length > 0)
      .map(({ tuples }) =>
        tuples.every((tuple) => tuple < 50) ? 'low' : tuples.every((tuple) => tuple >= 50) ? 'high' : 'mixed',
      );
    t.notOk(
      kinds.includes('mixed'),
      'no window has some of both: both partitions switched before the same one',
    );
    t.equal(kinds.lastIndexOf('low'), kinds.indexOf('high') - 1, 'it switched once');

    const event = {
      type: 'SetOperatorProperty',
      data: { operatorName: 'filter', propertyName: 'condition', propertyValue: '$ >= 50' },
    };
    t.match(await propertyEvents(client, appid), [event]);
    t.match(
      await until(
        async () => live.filter((one) => JSON.stringify(one).includes('SetOperatorProperty')),
        (found) => found.length > 0,
      ),
      [event],
      'live too',
    );
  },
);

t.test(
  'the key that deals tuples to partitions changes for source and readers with the same window',
  async (t) => {
    const { gateway, newClient } = await engineGateway(t, { operators });
    const client = newClient(as('ada'));
    const file = join(testFolder(t), 'dealt');
    const appid = await gateway.launch(dealt(file));
    const params = { appid, opName: 'dealt' };
    await untilItRuns(client, appid);
    const untilKey = (key: string) =>
      until(
        async () => linesOf(file),
        (lines) =>
          [0, 1].every(
            (index) =>
              lines.filter((line) => line.partition === index && line.key === key && line.count > 0).length >
              5,
          ),
      );
    await untilKey('a');
    // One of the readers lags behind: what it is told now it must not obey before its windows are as far.
    const [, slow = ''] = await idsOf(client, appid, 'dealt');
    await client.setPhysicalOperatorProperties({
      params: { appid, opid: slow },
      body: { slowMillis: 2 },
    });
    await until(
      async () => [0, 1].map((index) => linesOf(file).filter(({ partition }) => partition === index).length),
      ([first = 0, second = 0]) => first - second > 5,
    );
    await client.setOperatorProperties({ params, body: { key: 'b' } });
    await untilKey('b');
    await client.killApplication({ params });

    const byWindow = new Map<string, z.output<typeof Line>[]>();
    for (const line of linesOf(file)) byWindow.set(line.window, [...(byWindow.get(line.window) ?? []), line]);
    let both = 0;
    for (const [window, lines] of byWindow) {
      const [one, other] = lines;
      if (!one || !other) continue;
      both++;
      t.equal(one.key, other.key, `both partitions have the same properties in ${window}`);
      const shared = one.keys.filter((key) => other.keys.includes(key));
      t.strictSame(shared, [], `no key is in two partitions in ${window}`);
    }
    t.ok(both > 20);
    t.ok(
      linesOf(file).every(({ changes }) => changes <= 2),
      'each was told once',
    );
  },
);

t.test('a partition has values of its own, until all are given the same', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators });
  const client = newClient(as('ada', 'developer'));
  const file = join(testFolder(t), 'dealt');
  const appid = await gateway.launch(dealt(file));
  const params = { appid, opName: 'dealt' };
  await untilItRuns(client, appid);
  const [first = '', second = ''] = await idsOf(client, appid, 'dealt');
  const labels = async (id = appid) =>
    Promise.all(
      (await idsOf(client, id, 'dealt')).map(
        async (opid) =>
          (await client.getPhysicalOperatorProperties({ params: { appid: id, opid } }))['label'],
      ),
    );
  const write = (opid: string, label: string | null) =>
    client.setPhysicalOperatorProperties({ params: { appid, opid }, body: { label } });

  await write(second, 'mine');
  t.strictSame(await labels(), [null, 'mine']);
  t.match(await client.getOperatorProperties({ params }), { label: null }, 'the others keep theirs');
  t.match(await propertyEvents(client, appid), [
    {
      type: 'SetPhysicalOperatorProperty',
      data: { operatorName: 'dealt', operatorId: second, propertyName: 'label', propertyValue: 'mine' },
    },
  ]);
  await client.setOperatorProperties({ params, body: { key: 'b' } });
  t.strictSame(await labels(), [null, 'mine'], 'another property of all leaves it alone');
  await client.setOperatorProperties({ params, body: { label: 'ours' } });
  t.strictSame(await labels(), ['ours', 'ours']);
  await write(first, 'mine');
  await write(second, 'other');
  await write(first, null);
  t.strictSame(await labels(), ['ours', 'other'], 'null: what the operator has');
  t.equal((await propertyEvents(client, appid)).length, 6);
  await write(second, 'other');
  t.equal((await propertyEvents(client, appid)).length, 6, 'what is the same already is no event');

  await t.test('both survive a killed container', async (t) => {
    const { container } = await client.getPhysicalOperator({ params: { appid, opid: second } });
    const { pid } = linesOf(file).findLast(({ partition }) => partition === 1) ?? { pid: 0 };
    await client.killContainer({ params: { appid, containerId: container ?? '' } });
    await until(
      () => client.getPhysicalOperator({ params: { appid, opid: second } }),
      (operator) => operator.status === 'ACTIVE' && operator.container !== container,
    );
    t.strictSame(await labels(), ['ours', 'other']);
    const after = await until(
      async () => linesOf(file).filter((line) => line.partition === 1 && line.pid !== pid),
      (lines) => lines.length > 3,
    );
    t.ok(
      after.every(({ label, key }) => label === 'other' && key === 'b'),
      'from its first window on',
    );
  });

  await t.test('and a restart, and can be read in between', async (t) => {
    await client.shutdownApplication({ params });
    await untilState(client, appid, 'FINISHED');
    t.match(await client.getOperatorProperties({ params }), { class: 'test.Dealt', key: 'b', label: 'ours' });
    t.strictSame(await labels(), ['ours', 'other']);
    const refused = { status: 409, code: 'APPLICATION_ENDED' };
    await t.rejects(write(second, 'late'), refused);
    await t.rejects(client.setOperatorProperties({ params, body: { label: 'late' } }), refused);

    const { appId } = await client.restartApplication({ params });
    await untilItRuns(client, appId);
    t.strictSame(await labels(appId), ['ours', 'other']);
    await client.setOperatorProperties({ params: { appid: appId, opName: 'dealt' }, body: { label: null } });
    t.strictSame(await labels(appId), [null, null], 'null: the default');
  });
});

t.test(
  'state is restored under the properties that it was kept with, and then told of the change',
  async (t) => {
    const { gateway, newClient } = await engineGateway(t, { operators });
    const client = newClient(as('ada'));
    const file = join(testFolder(t), 'dealt');
    // Only the first checkpoint, taken before anything was changed.
    const appid = await gateway.launch(dealt(file, { CHECKPOINT_WINDOW_COUNT: 100_000 }));
    await untilItRuns(client, appid);
    await client.setOperatorProperties({ params: { appid, opName: 'dealt' }, body: { key: 'b' } });
    const [opid = ''] = await idsOf(client, appid, 'dealt');
    const { container } = await client.getPhysicalOperator({ params: { appid, opid } });
    const pids = new Set(linesOf(file).map(({ pid }) => pid));
    await client.killContainer({ params: { appid, containerId: container ?? '' } });
    const after = await until(
      async () => linesOf(file).filter(({ pid }) => !pids.has(pid)),
      (lines) => lines.length > 3,
    );
    t.ok(after.every(({ key, changes }) => key === 'b' && changes === 1));
    t.match(await client.getPhysicalOperator({ params: { appid, opid } }), { failureCount: 1 });
  },
);

t.test('a change is kept before it is answered, and one that can not be kept is none', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-kept-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const files = testFolder(t);
  const gatewayHere = (t: Parameters<typeof engineGateway>[0]) => engineGateway(t, { operators, directory });
  const params = { appid: '', opName: 'dealt' };
  let opid = '';

  await t.test('in the running host', async (t) => {
    const { gateway, newClient } = await gatewayHere(t);
    const client = newClient(as('ada'));
    params.appid = await gateway.launch(dealt(join(files, 'dealt')));
    await untilItRuns(client, params.appid);
    [opid = ''] = await idsOf(client, params.appid, 'dealt');
    await client.setOperatorProperties({ params, body: { label: 'kept' } });
    const own = { params: { appid: params.appid, opid }, body: { slowMillis: 0.1 } };
    await client.setPhysicalOperatorProperties(own);
    const record = join(directory, 'apps', params.appid, 'application.json');
    t.match(JSON.parse(readFileSync(record, 'utf8')), {
      application: { operators: [{}, {}, { name: 'dealt', properties: { label: 'kept' } }] },
      partitionProperties: { 'dealt/0': { slowMillis: 0.1 } },
    });

    // A directory that is not empty can't be replaced by a file.
    await rename(record, `${record}.moved`);
    await mkdir(join(record, 'in the way'), { recursive: true });
    const lost = { status: 500, code: 'STORAGE_FAILED' };
    await t.rejects(client.setOperatorProperties({ params, body: { label: 'lost', key: 'b' } }), lost);
    await t.rejects(client.setPhysicalOperatorProperties({ ...own, body: { label: 'lost' } }), lost);
    await rm(record, { recursive: true });
    await rename(`${record}.moved`, record);
    // As if the write had been made before it failed.
    const kept = await readFile(record, 'utf8');
    await writeFile(record, kept.replace('"label":"kept"', '"label":"lost"'));
    await client.setOperatorProperties({ params, body: { label: 'kept' } });
    t.match(
      JSON.parse(await readFile(record, 'utf8')),
      { application: { operators: [{}, {}, { properties: { label: 'kept' } }] } },
      'what memory went back to is not taken for kept',
    );
    t.match(await client.getOperatorProperties({ params }), { label: 'kept', key: 'a' });
    t.match(await client.getPhysicalOperatorProperties({ params: own.params }), {
      label: 'kept',
      key: 'a',
      slowMillis: 0.1,
    });
    t.notOk(linesOf(join(files, 'dealt')).some(({ label }) => label === 'lost'));
    t.equal((await propertyEvents(client, params.appid)).length, 2);
  });

  await t.test('in the next one', async (t) => {
    const { newClient } = await gatewayHere(t);
    const client = newClient(as('ada', 'developer'));
    t.match(await client.getOperatorProperties({ params }), { label: 'kept' });
    t.match(await client.getPhysicalOperatorProperties({ params: { appid: params.appid, opid } }), {
      slowMillis: 0.1,
    });
    const { appId: appid } = await client.restartApplication({ params });
    await untilItRuns(client, appid);
    const slow = await Promise.all(
      (await idsOf(client, appid, 'dealt')).map((id) =>
        client.getPhysicalOperatorProperties({ params: { appid, opid: id } }),
      ),
    );
    t.match(slow, [
      { label: 'kept', slowMillis: 0.1 },
      { label: 'kept', slowMillis: 0 },
    ]);
  });
});

t.test('what does not fit changes nothing, and says where', async (t) => {
  const { gateway, newClient, baseUrl } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch({
    user: 'ada',
    name: 'bad',
    application: {
      attributes,
      operators: [
        { name: 'source', class: 'headgate.io.FileLines', properties: { path: 'words.txt' } },
        { name: 'count', class: 'headgate.aggregate.Count', attributes: { PARTITIONER: 2 } },
        { name: 'out', class: 'headgate.io.ConsoleOutput' },
      ],
      streams: [link('source.output -> count.input'), link('count.output -> out.input')],
    },
  });
  await untilItRuns(client, appid);
  const params = { appid, opName: 'count' };
  const before = await client.getOperatorProperties({ params });
  t.strictSame(before, {
    class: 'headgate.aggregate.Count',
    key: null,
    windows: 1,
    emit: 'key',
    maxKeys: 10_000,
  });
  const [first = ''] = await idsOf(client, appid, 'count');

  const bad: [values: Record<string, unknown>, path: string][] = [
    [{ windows: 0 }, 'body.windows'],
    [{ windows: 'many' }, 'body.windows'],
    [{ windows: 2, emit: 'never' }, 'body.emit'],
    [{ key: 'floor(' }, 'body.key'],
    [{ key: { a: 1 } }, 'body.key'],
    [{ class: 'headgate.aggregate.Sum' }, 'body.class'],
  ];
  for (const [body, path] of bad) {
    const refused = { status: 400, code: 'INVALID_INPUT', details: [{ path }] };
    await t.rejects(client.setOperatorProperties({ params, body }), refused, JSON.stringify(body));
    const physical = client.setPhysicalOperatorProperties({ params: { appid, opid: first }, body });
    await t.rejects(physical, refused, `one partition: ${JSON.stringify(body)}`);
  }
  await t.rejects(
    client.setOperatorProperties({ params: { appid, opName: 'source' }, body: { path: '/etc/passwd' } }),
    { status: 400, code: 'INVALID_INPUT', details: [{ path: 'body.path', message: /may not be read/ }] },
    'out of reach',
  );
  const notFound = { status: 404, code: 'NOT_FOUND' };
  for (const name of ['no', 'constructor', 'toString', 'hasOwnProperty'])
    await t.rejects(
      client.setOperatorProperties({ params, body: { windows: 2, [name]: 1 } }),
      notFound,
      name,
    );
  for (const opName of ['no', '__proto__', 'COUNT'])
    await t.rejects(client.setOperatorProperties({ params: { appid, opName }, body: {} }), notFound, opName);
  for (const opid of ['0', '99', '__proto__', '1.0'])
    await t.rejects(
      client.setPhysicalOperatorProperties({ params: { appid, opid }, body: {} }),
      notFound,
      opid,
    );
  const post = async (text: string) => {
    const response = await fetch(
      `${baseUrl}/ws/v2/applications/${appid}/logicalPlan/operators/count/properties`,
      {
        method: 'POST',
        headers: { ...as('ada').headers, 'content-type': 'application/json' },
        body: text,
      },
    );
    return response.status;
  };
  for (const text of ['', '7', '[]', 'null', '"windows"', '{"__proto__":{"windows":2}}', '{"windows":2'])
    t.equal(await post(text), 400, text);
  t.equal(await post(`{"key":"${'x'.repeat(2 * 1024 * 1024)}"}`), 413);

  t.strictSame(await client.getOperatorProperties({ params }), before);
  const { class: _class, ...values } = before;
  t.strictSame(await client.getPhysicalOperatorProperties({ params: { appid, opid: first } }), values);
  t.strictSame(await propertyEvents(client, appid), []);

  await t.test('text is read as what the property is, and what was read can be written back', async (t) => {
    await client.setOperatorProperties({ params, body: { windows: '5', key: 'word', maxKeys: '100' } });
    const after = await client.getOperatorProperties({ params });
    t.match(after, { windows: 5, key: 'word', maxKeys: 100 });
    await client.setOperatorProperties({ params, body: after });
    t.strictSame(await client.getOperatorProperties({ params }), after);
    t.equal((await propertyEvents(client, appid)).length, 3);
    await client.setOperatorProperties({ params, body: { ...before } });
    t.strictSame(await client.getOperatorProperties({ params }), before);
  });

  await t.test('one property by its name', async (t) => {
    const one = (propertyName: string) => client.getOperatorProperties({ params, query: { propertyName } });
    t.strictSame(await one('windows'), { windows: 1 });
    t.strictSame(await one('class'), { class: 'headgate.aggregate.Count' });
    await t.rejects(one('no'), notFound);
    await t.rejects(one('constructor'), notFound);
    const physical = { params: { appid, opid: first }, query: { propertyName: 'emit' } };
    t.strictSame(await client.getPhysicalOperatorProperties(physical), { emit: 'key' });
    await t.rejects(
      client.getPhysicalOperatorProperties({ ...physical, query: { propertyName: 'no' } }),
      notFound,
    );
  });
});

t.test('writes at the same time come one after the other, each whole', async (t) => {
  // The last one waits for all the others.
  const { gateway, newClient } = await engineGateway(
    t,
    { operators },
    { timeouts: { masterMillis: 60_000 } },
  );
  const client = newClient(as('ada'));
  const file = join(testFolder(t), 'dealt');
  const appid = await gateway.launch(dealt(file));
  const params = { appid, opName: 'dealt' };
  await untilItRuns(client, appid);
  const labels = Array.from({ length: 20 }, (_, index) => `label ${index}`);
  await Promise.all(
    labels.map((label, index) =>
      client.setOperatorProperties({ params, body: { label, key: index % 2 ? 'a' : 'b' } }),
    ),
  );
  const events = await propertyEvents(client, appid);
  const last = (name: string) =>
    events.findLast(({ data }) => data['propertyName'] === name)?.data['propertyValue'];
  const now = await client.getOperatorProperties({ params });
  t.equal(now['label'], last('label'), 'the last event tells what holds');
  t.equal(
    now['key'],
    Number(String(now['label']).slice(6)) % 2 ? 'a' : 'b',
    'no write is mixed with another',
  );
  for (const opid of await idsOf(client, appid, 'dealt'))
    t.match(await client.getPhysicalOperatorProperties({ params: { appid, opid } }), {
      label: now['label'],
      key: now['key'],
    });
  await until(
    async () => linesOf(file).slice(-2),
    (lines) => lines.every(({ label }) => label === now['label']),
  );
});

t.test('an operator that does not return costs the reader a deadline, and no more', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators }, { timeouts: { masterMillis: 700 } });
  const client = newClient(as('ada'));
  const appid = await gateway.launch({
    user: 'ada',
    name: 'stuck',
    application: {
      attributes,
      operators: [
        { name: 'source', class: 'test.Sequence', properties: { total: -1, perSecond: 100 } },
        { name: 'stuck', class: 'test.Trouble', properties: { at: 20, how: 'loop' } },
      ],
      streams: [link('source.out -> stuck.in')],
    },
  });
  const [opid = ''] = await until(
    () => idsOf(client, appid, 'stuck'),
    (ids) => ids.length > 0,
  );
  const params = { appid, opid };
  await until(
    () =>
      client.getPhysicalOperatorProperties({ params }).then(
        () => 'answered',
        (error) => error.status,
      ),
    (outcome) => outcome === 504,
  );
  const params2 = { appid, opName: 'stuck' };
  t.match(
    await client.getOperatorProperties({ params: params2 }),
    { how: 'loop' },
    'the plan is told all the same',
  );
  // Kept now, and told to the container that replaces the stuck one.
  await client.setOperatorProperties({ params: params2, body: { at: -1 } });
  const { container } = await client.getPhysicalOperator({ params });
  await client.killContainer({ params: { appid, containerId: container ?? '' } });
  const operator = await until(
    () => client.getPhysicalOperator({ params }),
    ({ totalTuplesProcessed }) => (totalTuplesProcessed ?? 0) > 40,
  );
  t.not(operator.container, container);
  t.match(await client.getPhysicalOperatorProperties({ params }), { at: -1 });
});

t.test('attributes that are in force', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch(numbers('true'));
  await untilItRuns(client, appid);
  const params = { appid };
  const check = async () => {
    const all = await client.getApplicationAttributes({ params });
    t.match(all, {
      APPLICATION_NAME: 'numbers',
      APPLICATION_ID: appid,
      STREAMING_WINDOW_SIZE_MILLIS: 100,
      MAX_CONTAINER_FAILURES: 5,
    });
    t.strictSame(all, (await client.getApplication({ params })).attributes);
    const attributeName = 'CHECKPOINT_WINDOW_COUNT';
    t.strictSame(await client.getApplicationAttributes({ params, query: { attributeName } }), {
      CHECKPOINT_WINDOW_COUNT: 5,
    });
    const filter = { appid, opName: 'filter' };
    t.strictSame(await client.getOperatorAttributes({ params: filter }), { PARTITIONER: 2 });
    const port = { ...filter, portName: 'input' };
    t.strictSame(await client.getPortAttributes({ params: port }), { QUEUE_CAPACITY: 16_384 });
    t.strictSame(
      await client.getPortAttributes({ params: { ...filter, portName: 'rejected' } }),
      { QUEUE_CAPACITY: 16_384 },
      'of a port that is not connected',
    );

    const notFound = { status: 404, code: 'NOT_FOUND' };
    const query = { attributeName: 'NO_SUCH' };
    await t.rejects(client.getApplicationAttributes({ params, query }), notFound);
    await t.rejects(client.getOperatorAttributes({ params: filter, query }), notFound);
    await t.rejects(
      client.getPortAttributes({ params: port, query: { attributeName: '__proto__' } }),
      notFound,
    );
    await t.rejects(client.getOperatorAttributes({ params: { appid, opName: 'no' } }), notFound);
    await t.rejects(client.getPortAttributes({ params: { ...port, portName: 'no' } }), notFound);
    await t.rejects(client.getPortAttributes({ params: { ...port, opName: 'no' } }), notFound);
  };
  await check();
  await client.killApplication({ params });
  await untilState(client, appid, 'KILLED');
  await check();
});
