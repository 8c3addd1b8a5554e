import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { HostLaunch } from '../../../lib/index.js';
import { engineGateway, untilItRuns } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { fixtures, op, stream } from '../../helpers/local-cluster.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

const { gateway, newClient } = await engineGateway(t, { operators: [fixtures] });
const client = newClient(as('ada'));
const folder = testFolder(t);

const application = (name: string, operator: ReturnType<typeof op>): HostLaunch => ({
  user: 'ada',
  name,
  application: {
    attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, HEARTBEAT_INTERVAL_MILLIS: 200 },
    operators: [op('source', 'Sequence', { total: -1, perSecond: 100 }), operator],
    streams: [stream(`source.out -> ${operator.name}.in`)],
  },
});

/** The container of the operator, once it is deployed. */
async function containerOf(appid: string, name: string): Promise<string> {
  const { operators } = await until(
    () => client.getPhysicalPlan({ params: { appid } }),
    ({ operators }) => operators.length > 0 && operators.every(({ status }) => status === 'ACTIVE'),
  );
  return operators.find((operator) => operator.name === name)?.container ?? '';
}

const mainOf = async (appid: string, containerId: string) => {
  const { threads } = await client.getStackTrace({ params: { appid, containerId } });
  return threads.find(({ name }) => name === 'main') ?? { state: '', stackTraceElements: [] };
};

t.test('of a container in an endless loop, while it goes on', async (t) => {
  const appid = await gateway.launch(application('loop', op('sink', 'Trouble', { how: 'loop' })));
  const containerId = await containerOf(appid, 'sink');
  const main = await until(
    () => mainOf(appid, containerId),
    ({ stackTraceElements: [first = ''] }) => first.includes('#happen'),
  );
  t.equal(main.state, 'RUNNABLE');
  t.match(main.stackTraceElements[0], /^#happen \(.*local-operators\.js:\d+:\d+\)$/);
  t.match(main.stackTraceElements[1], /^Trouble\.process /);
  const { threads } = await client.getStackTrace({ params: { appid, containerId } });
  t.ok(
    threads.some(({ name, id }) => name === 'watchdog' && id !== '0'),
    'its other thread is told',
  );
  const several = await Promise.all([1, 2, 3, 4, 5].map(() => mainOf(appid, containerId)));
  t.ok(
    several.every(({ stackTraceElements }) => stackTraceElements.length > 1),
    'many may ask at once',
  );
  await client.killApplication({ params: { appid } });
});

t.test('however deep the stack is, and whoever prepares it', async (t) => {
  for (const { depth, ownStacks } of [
    { depth: 0, ownStacks: false },
    { depth: 200, ownStacks: true },
    { depth: 5000, ownStacks: false },
  ]) {
    const file = join(folder, `ground-${depth}`);
    const grinder = op('sink', 'Grinder', { file, depth, ownStacks });
    const appid = await gateway.launch(application('grind', grinder));
    const containerId = await containerOf(appid, 'sink');
    const main = await until(
      () => mainOf(appid, containerId),
      ({ stackTraceElements: [, ...below] }) =>
        below.some((frame) => frame.includes('grind')) || below.length > 100,
    );
    t.ok(main.stackTraceElements.length <= 257, 'and no more of it than can be read');
    if (depth === 5000) t.equal(main.stackTraceElements.at(-1), '... more than 256 calls');
    else t.match(main.stackTraceElements.at(-1), /^(node:|.*\()/, 'whole');
    writeFileSync(file, '');
    const text = await until(
      async () => readFileSync(file, 'utf8'),
      (text) => text !== '',
    );
    const { longest, stack } = JSON.parse(text);
    if (ownStacks) t.equal(stack, '3 frames, prepared', 'the operator finds everything as it was');
    t.comment(
      `${depth} calls deep: stood ${Number(longest).toFixed(1)} ms at the longest, whatever the reason`,
    );
    await client.killApplication({ params: { appid } });
  }
});

t.test('of a container that waits for tuples', async (t) => {
  const appid = await gateway.launch(application('idle', op('sink', 'Totals')));
  await untilItRuns(client, appid);
  const { state, stackTraceElements } = await mainOf(appid, await containerOf(appid, 'sink'));
  t.match(state, /^(RUNNABLE|WAITING)$/);
  t.equal(stackTraceElements[0] === '<waiting for events>', state === 'WAITING');
  t.ok(stackTraceElements.length > 0, 'never empty');

  const params = { appid, containerId: 'container_0' };
  await t.rejects(client.getStackTrace({ params }), { status: 404, code: 'NOT_FOUND' });
  const { containers } = await client.listContainers({ params: { appid }, query: { types: 'appmaster' } });
  const master = { appid, containerId: containers[0]?.id ?? '' };
  await t.rejects(client.getStackTrace({ params: master }), { status: 501, code: 'NOT_SUPPORTED' });
  await t.rejects(newClient(as('eve')).getStackTrace({ params: master }), { status: 404, code: 'NOT_FOUND' });

  const dead = { appid, containerId: await containerOf(appid, 'sink') };
  await client.killContainer({ params: dead });
  await until(
    () => client.getContainer({ params: dead }),
    ({ state }) => state === 'KILLED',
  );
  await t.rejects(client.getStackTrace({ params: dead }), { status: 404, message: /active container/ });
  await client.killApplication({ params: { appid } });
});

t.test('of a thread that is outside of JavaScript there is none, and the answer comes in time', async (t) => {
  const appid = await gateway.launch(application('native', op('sink', 'Trouble', { how: 'native', at: 1 })));
  const containerId = await containerOf(appid, 'sink');
  await until(
    () =>
      client.getStackTrace({ params: { appid, containerId } }).then(
        () => undefined,
        (error: unknown) => error,
      ),
    (error) => error !== undefined && String(error).includes('did not answer in time'),
  );
  const ended = client.getStackTrace({ params: { appid, containerId } }).catch((error: unknown) => error);
  await client.killApplication({ params: { appid } });
  t.match(await ended, { code: /^(UNREACHABLE|NOT_FOUND|TIMED_OUT)$/ }, 'one that ends meanwhile');
});
