import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { type Client, createClient } from '../lib/client.js';
import type { HostLaunch } from '../lib/index.js';
import { localCluster } from '../packages/engine/index.js';
import { gatewayWithPasswords, passwordOf } from './helpers/accounts.js';
import { untilItRuns } from './helpers/applications.js';
import { until } from './helpers/waiting.js';

// What a WebSocket client is promised, on the real engine and through the public door alone.

const topic = 'test.counted';

/** Counts everything that it made since its start, and says so in each window. */
const counting: HostLaunch = {
  user: 'ada',
  name: 'counting',
  application: {
    attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, CHECKPOINT_WINDOW_COUNT: 5 },
    operators: [
      {
        name: 'source',
        class: 'headgate.io.RandomGenerator',
        properties: { kind: 'records', tuplesPerSecond: 200 },
      },
      { name: 'count', class: 'headgate.aggregate.Count', properties: { windows: 3600 } },
      { name: 'hub', class: 'headgate.io.HubOutput', properties: { topic } },
    ],
    streams: [
      {
        name: 'records',
        source: { operatorName: 'source', portName: 'output' },
        sinks: [{ operatorName: 'count', portName: 'input' }],
      },
      {
        name: 'counts',
        source: { operatorName: 'count', portName: 'output' },
        sinks: [{ operatorName: 'hub', portName: 'input' }],
      },
    ],
  },
};

async function stage(t: { teardown(close: () => Promise<void>): unknown }) {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-live-'));
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      await rm(directory, { recursive: true });
    });
  const living = await gatewayWithPasswords({ teardown }, { cluster: localCluster({ directory }) });
  const ada = await living.user('ada', 'developer');
  const appid = await living.gateway.launch(counting);
  await untilItRuns(ada, appid);
  return { ...living, ada, appid };
}

interface Heard {
  readonly messages: unknown[];
  readonly refusals: string[];
  stop(): void;
}

function listen(client: Client, name: string): Heard {
  const messages: unknown[] = [];
  const refusals: string[] = [];
  const stop = client.subscribe(
    name,
    (data) => messages.push(data),
    ({ code }) => refusals.push(code),
  );
  return { messages, refusals, stop };
}

const distinct = ({ messages }: Heard) => new Set(messages.map((message) => JSON.stringify(message))).size;

const topicsOf = (appid: string) => [
  'applications',
  'cluster.metrics',
  ...['', '.containers', '.physicalOperators', '.logicalOperators'].map(
    (part) => `applications.${appid}${part}`,
  ),
];

t.test('everything moves', async (t) => {
  const { ada, appid } = await stage(t);
  const names = [...topicsOf(appid), topic];
  const heard = names.map((name) => listen(ada, name));
  await until(
    async () => heard.map(distinct),
    (counts) => counts.every((count) => count >= 3),
  );
  t.strictSame(
    heard.flatMap(({ refusals }) => refusals),
    [],
  );
  await ada.killApplication({ params: { appid } });
});

const Counted = z.object({ windowId: z.string(), count: z.number() });
const Event = z.object({ id: z.string(), type: z.string(), data: z.record(z.string(), z.unknown()) });

t.test('a container that is killed comes back from its checkpoint, for all to see', async (t) => {
  const { ada, appid } = await stage(t);
  const params = { appid };
  const counts = listen(ada, topic);
  const events = listen(ada, `applications.${appid}.events`);
  const containers = listen(ada, `applications.${appid}.containers`);
  const counted = () => counts.messages.map((message) => Counted.parse(message));

  const counter = async () => {
    const { operators } = await ada.getPhysicalPlan({ params });
    const found = operators.find(({ name }) => name === 'count');
    if (!found) throw new Error('The operator is gone');
    return found;
  };
  await until(counter, ({ recoveryWindowId }) => {
    const windows = counted().map(({ windowId }) => BigInt(windowId));
    return windows.some((windowId) => windowId === BigInt(recoveryWindowId ?? 0));
  });
  const before = await counter();
  const saved = counted().find(({ windowId }) => windowId === before.recoveryWindowId);
  const containerId = before.container ?? '';
  const { containers: listed } = await ada.listContainers({ params, query: { states: 'ACTIVE' } });
  const operators = Object.keys(listed.find(({ id }) => id === containerId)?.operators ?? {});
  t.ok(operators.includes(before.id));

  const heardBefore = counts.messages.length;
  await ada.killContainer({ params: { appid, containerId } });
  const after = await until(
    counter,
    ({ container, status }) => container !== containerId && status === 'ACTIVE',
  );
  t.equal(after.id, before.id, 'the same operator');
  const newer = await until(
    async () => counted().slice(heardBefore),
    (messages) =>
      messages.some(({ windowId }) => BigInt(windowId) > BigInt(before.currentWindowId ?? 0) + 5n),
  );
  const lowest = Math.min(...newer.map(({ count }) => count));
  t.ok(saved && lowest >= saved.count, `it went on with ${lowest}, from ${saved?.count}`);

  const seen = await until(
    async () => events.messages.map((message) => Event.parse(message)),
    (all) =>
      all.some(({ type, data }) => type === 'StartContainer' && data['containerId'] === after.container),
  );
  const stopped = seen.findIndex(
    ({ type, data }) => type === 'StopContainer' && data['containerId'] === containerId,
  );
  const started = seen.findIndex(
    ({ type, data }) => type === 'StartContainer' && data['containerId'] === after.container,
  );
  t.ok(stopped >= 0 && stopped < started, 'its end is told, then the start of another');
  t.equal(new Set(seen.map(({ id }) => id)).size, seen.length, 'each event once');
  await until(
    async () => JSON.stringify(containers.messages.at(-1)),
    (last) => last.includes(`"${after.container}"`),
  );
  const { containers: now } = await ada.listContainers({ params, query: { states: 'ACTIVE' } });
  t.strictSame(
    Object.keys(now.find(({ id }) => id === after.container)?.operators ?? {}).sort(),
    [...operators].sort(),
    'with the same operators',
  );
  t.match(await ada.getApplication({ params }), { state: 'RUNNING' });
  await ada.killApplication({ params });
});

// The slowest topic is read every few seconds.
t.test('rights that are revoked while somebody listens', async (t) => {
  const { admin, ada, appid, baseUrl } = await stage(t);
  await admin.putRole({ params: { role: 'visitor' }, body: { permissions: ['VIEW_LICENSES'] } });
  await admin.createUser({
    params: { user: 'rita' },
    body: { password: passwordOf('rita'), roles: ['admin', 'visitor'] },
  });
  const states: { connected: boolean; error?: { code: string; details?: unknown } }[] = [];
  const rita = createClient({ baseUrl, live: { onState: (state) => states.push(state), retryMillis: 10 } });
  t.teardown(() => rita.close());
  await rita.login({ body: { userName: 'rita', password: passwordOf('rita') } });

  const names = topicsOf(appid);
  const heard = names.map((name) => listen(rita, name));
  const witness = names.map((name) => listen(admin, name));
  const everyone = async (all: readonly Heard[], more: number) => {
    const least = all.map(({ messages }) => messages.length + more);
    await until(
      async () => all.map(({ messages }, i) => messages.length - (least[i] ?? 0)),
      (missing) => missing.every((count) => count >= 0),
    );
  };
  await everyone(heard, 1);

  await admin.changeUser({ params: { user: 'rita' }, body: { roles: ['visitor'] } });
  const told = heard.map(({ messages }) => messages.length);
  await everyone(witness, 2);
  t.strictSame(
    heard.map(({ messages }) => messages.length),
    told,
    'nothing comes after the answer to the change, while others go on hearing',
  );
  t.ok(heard.every(({ refusals }) => refusals.length === 1 && refusals[0] === 'FORBIDDEN'));
  t.strictSame(
    states.map(({ connected }) => connected),
    [true],
    'the socket stays',
  );

  const own = listen(rita, 'test.counted');
  await everyone([own], 1);
  await admin.deleteUser({ params: { user: 'rita' } });
  await until(
    async () => states,
    (all) => all.some(({ error }) => error?.code === 'NOT_LOGGED_IN'),
  );
  t.match(states[1], { connected: false, error: { details: { code: 1008 } } }, 'its socket is closed');
  t.notOk(
    states.slice(1).some(({ connected }) => connected),
    'and there is no other',
  );
  await ada.killApplication({ params: { appid } });
});
