import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import type { Client } from '../../../lib/client.js';
import { maxStatsItems } from '../../../lib/model/containers.js';
import { openPartWriter } from '../../../packages/history/part-files/writer.js';
import {
  containerLine,
  operatorLine,
  statsFormat,
} from '../../../packages/history/statistics/stats-lines.js';
import { engineGateway, untilItRuns, untilState, words } from '../../helpers/applications.js';
import { newGateway } from '../../helpers/gateway.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// What a gateway tells of the past of an application: events, statistics over time, deployments.

const everyMillis = 100;
const badInput = { status: 400, code: 'INVALID_INPUT' };
const notFound = { status: 404, code: 'NOT_FOUND' };

function newDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-history-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An application that runs, on a host with a directory of its own. */
async function running(t: Test, directory = newDirectory(t)) {
  const { gateway, newClient, baseUrl } = await engineGateway(t, {
    directory,
    statsIntervalMillis: everyMillis,
  });
  const client = newClient(as('ada'));
  const appid = await gateway.launch(words());
  await untilItRuns(client, appid);
  return { gateway, newClient, baseUrl, client, appid, params: { appid }, directory };
}

const streaming = async (client: Client, appid: string) =>
  (await client.listContainers({ params: { appid }, query: { states: 'ACTIVE' } })).containers.filter(
    ({ containerType }) => containerType === 'STREAMING',
  );

const stats = (client: Client, appid: string, opName: string, query = {}) =>
  client.listOperatorStats({ params: { appid, opName }, query }).then(({ operatorStats }) => operatorStats);

/** Asks as a client that is not typed would. */
const status = async (baseUrl: string, path: string): Promise<number> => {
  const response = await fetch(`${baseUrl}${path}`, as('ada'));
  await response.text();
  return response.status;
};

t.test('events by range, offset and limit', async (t) => {
  const { client, params, baseUrl, appid } = await running(t);
  const list = async (query: Parameters<Client['listEvents']>[0]['query'] = {}) =>
    (await client.listEvents({ params, query })).events;
  const all = await list({ limit: 1000 });
  t.strictSame(
    all.map(({ id }) => Number(id)),
    all.map((_, index) => index + 1),
    'numbered from 1',
  );
  t.ok(all.every(({ data }) => Object.values(data).every((value) => typeof value === 'string')));
  t.strictSame(await list({ limit: 2 }), all.slice(-2), 'the newest, in the order of time');
  t.strictSame(await list({ limit: 2, offset: 1 }), all.slice(-3, -1));
  t.strictSame(await list({ offset: all.length }), []);

  const from = all[2]?.timestamp ?? 0;
  const to = all.at(-2)?.timestamp ?? 0;
  const within = all.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
  t.ok(within.length >= 2);
  t.strictSame(await list({ from, to, limit: 1000 }), within, 'both ends included');
  t.strictSame(await list({ from, to, offset: 1, limit: 1 }), within.slice(1, 2));
  t.strictSame(await list({ to: from - 1 }), all.filter(({ timestamp }) => timestamp < from).slice(0, 100));
  t.strictSame(await list({ from: Date.now() + 60_000 }), []);

  for (const query of [{ from: 2, to: 1 }, { limit: 0 }, { limit: 1001 }, { offset: -1 }, { limit: 1.5 }])
    await t.rejects(list(query), badInput, JSON.stringify(query));
  for (const query of ['from=yesterday', 'to=', 'limit=x', 'from=1&from=2'])
    t.equal(await status(baseUrl, `/ws/v2/applications/${appid}/events?${query}`), 400, query);
  t.equal(await status(baseUrl, '/ws/v2/applications/application_1_0001/events'), 404);
});

t.test('a killed container: each event tells what it should, and the deployments grow', async (t) => {
  const { client, params, appid } = await running(t);
  const { operators } = await client.getPhysicalPlan({ params });
  const [victim] = await streaming(client, appid);
  const [opid = ''] = Object.keys(victim?.operators ?? {});
  const containerId = victim?.id ?? '';
  const history = () => client.getDeployHistory({ params: { appid, opid } });
  const before = await history();
  t.match(before, { name: victim?.operators[opid], containers: [{ container: containerId }] });
  t.ok((before.containers[0]?.startTime ?? 0) >= (victim?.startedTime ?? Infinity));

  await client.killContainer({ params: { appid, containerId } });
  const after = await until(history, ({ containers }) => containers.length === 2);
  const next = after.containers[1]?.container;
  t.not(next, containerId);
  t.strictSame(after.containers[0], before.containers[0]);
  await until(
    () => client.getPhysicalOperator({ params: { appid, opid } }),
    ({ status, container }) => status === 'ACTIVE' && container === next,
  );
  for (const { id, name, container } of operators) {
    if (id === opid) continue;
    const other = await client.getDeployHistory({ params: { appid, opid: id } });
    t.match(other, { name, containers: [{ container }] });
    t.equal(other.containers.length, 1, 'those that were only rolled back stay where they are');
  }

  const { events } = await client.listEvents({ params, query: { limit: 1000 } });
  /** Whether there is an event that tells exactly this. */
  const told = (type: string, data: Readonly<Record<string, unknown>>): boolean =>
    events.some((event) => event.type === type && isDeepStrictEqual(event.data, data));
  const operator = { operatorName: victim?.operators[opid], operatorId: opid };
  const info = { logLevel: 'INFO' };
  t.ok(told('CreateOperator', { ...operator, ...info }));
  t.ok(told('StartContainer', { containerId, containerNodeId: victim?.host, ...info }));
  t.ok(told('StartOperator', { ...operator, containerId, ...info }));
  const killed = { logLevel: 'WARN', reason: 'Killed on request' };
  t.ok(told('StopContainer', { containerId, exitStatus: 'SIGKILL', ...killed }));
  t.ok(told('StopOperator', { ...operator, containerId, ...killed }));
  t.ok(told('StartOperator', { ...operator, containerId: next, ...info }));
});

t.test('statistics of operators and containers', async (t) => {
  const { client, appid, params, baseUrl } = await running(t);
  const opName = 'source';
  const meta = () => client.getOperatorStatsMeta({ params: { appid, opName } });
  const first = await until(meta, ({ count }) => count >= 5);
  const [partition] = (await client.getLogicalOperator({ params: { appid, opName } })).partitions;
  t.match(first, { operatorName: opName, operatorIds: [partition], ended: false });
  t.equal(first.appId, appid);

  // What was written before the first tuple says nothing.
  const all = await until(
    () => stats(client, appid, opName),
    (items) => (items.at(-1)?.stats.tuplesEmittedPSMA ?? 0) > 0,
  );
  t.equal(all[0]?.timestamp, first.startTime);
  t.ok(all.every((item, index) => item.timestamp >= (all[index - 1]?.timestamp ?? 0)));
  t.ok(all.every(({ operatorId }) => operatorId === partition));
  const totals = all.map(({ stats }) => stats.totalTuplesEmitted);
  t.ok(
    totals.every((total = 0, index) => total >= (totals[index - 1] ?? 0)),
    'totals grow',
  );
  t.match(all.at(-1)?.stats, { ports: [{ name: 'output', type: 'output' }], container: /^container_/ });
  const last = all.at(-1)?.stats;
  t.ok((totals.at(-1) ?? 0) > 0);
  // How much, depends on how busy the machine is: what is made up for comes in bursts.
  t.ok((last?.tuplesEmittedPSMA ?? 0) > 0);
  t.ok((last?.cpuPercentageMA ?? -1) >= 0 && (last?.cpuPercentageMA ?? 0) <= 100);
  t.equal(last?.totalTuplesProcessed, 0, 'it reads nothing');
  const shown = (await client.getPhysicalPlan({ params })).operators.find(({ name }) => name === opName);
  t.equal(last?.container, shown?.container);
  t.ok(
    (shown?.totalTuplesEmitted ?? 0) >= (last?.totalTuplesEmitted ?? Infinity),
    'the plan is not behind it',
  );

  const range = { startTime: all[1]?.timestamp ?? 0, endTime: all[3]?.timestamp ?? 0 };
  t.strictSame(await stats(client, appid, opName, range), all.slice(1, 4), 'both ends included');
  t.strictSame(await stats(client, appid, opName, { endTime: range.startTime - 1 }), all.slice(0, 1));
  t.strictSame(await stats(client, appid, opName, { startTime: Date.now() + 60_000 }), []);

  const ofContainers = await client.getContainerStatsMeta({ params });
  const containers = await streaming(client, appid);
  t.strictSame(Object.keys(ofContainers.containers).sort(), containers.map(({ id }) => id).sort());
  const [some] = containers;
  t.match(ofContainers.containers[some?.id ?? ''], {
    id: some?.id ?? '',
    jvmName: some?.jvmName ?? '',
    host: some?.host ?? '',
    memoryMBAllocated: some?.memoryMBAllocated ?? -1,
  });
  const { containerStats } = await client.listContainerStats({ params, query: {} });
  t.ok(containerStats.length >= ofContainers.count);
  t.ok(containerStats.every(({ containerId }) => Object.hasOwn(ofContainers.containers, containerId)));
  t.ok(containerStats.some(({ stats }) => stats.numOperators === 1 && (stats.memoryMBFree ?? 0) > 0));

  await t.rejects(stats(client, appid, opName, { startTime: 2, endTime: 1 }), badInput);
  await t.rejects(client.listContainerStats({ params, query: { startTime: 2, endTime: 1 } }), badInput);
  await t.rejects(stats(client, appid, 'nobody'), notFound);
  await t.rejects(client.getOperatorStatsMeta({ params: { appid, opName: 'nobody' } }), notFound);
  await t.rejects(client.getDeployHistory({ params: { appid, opid: '99' } }), notFound);
  const base = `/ws/v2/applications/${appid}`;
  for (const query of ['startTime=now', 'endTime=', 'endTime=1e3', 'startTime=NaN']) {
    t.equal(await status(baseUrl, `${base}/physicalPlan/containers/stats?${query}`), 400, query);
    t.equal(await status(baseUrl, `${base}/logicalPlan/operators/source/stats?${query}`), 400, query);
  }
  t.equal(await status(baseUrl, `${base}/logicalPlan/operators/..%2F..%2Fcontainers/stats/meta`), 404);
});

t.test('the past is the same after the end, and after a new start of the host', async (t) => {
  const directory = newDirectory(t);
  const first = await running(t, directory);
  const { appid, params } = first;
  const { operators } = await first.client.getPhysicalPlan({ params });
  await first.client.shutdownApplication({ params });
  await untilState(first.client, appid, 'FINISHED');

  const past = async (client: Client) => ({
    events: (await client.listEvents({ params, query: { limit: 1000 } })).events,
    containers: await client.getContainerStatsMeta({ params }),
    containerStats: (await client.listContainerStats({ params, query: {} })).containerStats,
    sources: await client.getOperatorStatsMeta({ params: { appid, opName: 'source' } }),
    sourceStats: await stats(client, appid, 'source'),
    deployments: await Promise.all(
      operators.map(({ id }) => client.getDeployHistory({ params: { appid, opid: id } })),
    ),
  });
  const before = await past(first.client);
  t.match(before, { containers: { ended: true }, sources: { ended: true } });
  t.equal(before.sources.count, before.sourceStats.length);
  t.equal(before.containers.count, before.containerStats.length);
  const source = (await first.client.getPhysicalPlan({ params })).operators.find(
    ({ name }) => name === 'source',
  );
  t.ok((source?.totalTuplesEmitted ?? 0) > 0);
  t.equal(
    before.sourceStats.at(-1)?.stats.totalTuplesEmitted,
    source?.totalTuplesEmitted,
    'the last record has the final count',
  );
  const stopped = before.events
    .filter(({ type }) => type === 'StopOperator')
    .map(({ data }) => data['operatorId']);
  t.strictSame(stopped.sort(), operators.map(({ id }) => id).sort());

  await first.gateway.close();
  const second = await engineGateway(t, { directory });
  const client = second.newClient(as('ada'));
  t.strictSame(await past(client), before);
  await t.rejects(client.getDeployHistory({ params: { appid, opid: '99' } }), notFound);

  const operator = second.newClient(as('ada', 'developer'));
  const restarted = (await operator.restartApplication({ params })).appId;
  const own = async () => (await client.listEvents({ params: { appid: restarted }, query: {} })).events;
  t.match((await until(own, (events) => events.length > 0))[0], { id: '1', type: 'CreateOperator' });
  t.strictSame(await past(client), before, 'a restart has a past of its own');
});

t.test('what nobody recorded is not there, and says so', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { statsIntervalMillis: everyMillis });
  const client = newClient(as('ada'));
  const request = words();
  const attributes = { ...request.application.attributes, ENABLE_STATS_RECORDING: 'false' };
  const appid = await gateway.launch({ ...request, application: { ...request.application, attributes } });
  await untilItRuns(client, appid);
  for (const opName of ['source', 'nobody'])
    await t.rejects(stats(client, appid, opName), { ...notFound, message: /recorded statistics/ });
  await t.rejects(client.getContainerStatsMeta({ params: { appid } }), notFound);
  await t.rejects(client.listContainerStats({ params: { appid }, query: {} }), notFound);
});

t.test('partitions are told apart, and a unifier has statistics of its own', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { statsIntervalMillis: everyMillis });
  const client = newClient(as('ada'));
  const request = words();
  const [source, count, hub] = request.application.operators;
  if (!source || !count || !hub) return t.fail('the application has three operators');
  const operators = [{ ...source, attributes: { PARTITIONER: 2 } }, count, hub];
  const appid = await gateway.launch({ ...request, application: { ...request.application, operators } });
  await untilItRuns(client, appid);
  const plan = await client.getPhysicalPlan({ params: { appid } });
  const idsOf = (name: string) =>
    plan.operators.filter((operator) => operator.name === name).map(({ id }) => id);
  const meta = await until(
    () => client.getOperatorStatsMeta({ params: { appid, opName: 'source' } }),
    ({ count }) => count >= 4,
  );
  t.strictSame([...meta.operatorIds].sort(), idsOf('source').sort());
  t.equal(meta.operatorIds.length, 2);
  const seen = new Set((await stats(client, appid, 'source')).map(({ operatorId }) => operatorId));
  t.strictSame([...seen].sort(), idsOf('source').sort());
  const unifier = plan.operators.find(({ isUnifier }) => isUnifier)?.name ?? '';
  t.match(unifier, /#unifier$/);
  const own = await client.getOperatorStatsMeta({ params: { appid, opName: unifier } });
  t.strictSame(own.operatorIds, idsOf(unifier));
});

t.test('more than one answer holds: the newest, or a shorter range', async (t) => {
  const directory = newDirectory(t);
  const first = await running(t, directory);
  const { appid, params, client } = first;
  const [container] = await streaming(client, appid);
  const [operator] = (await client.getPhysicalPlan({ params })).operators;
  await client.killApplication({ params });
  await untilState(client, appid, 'KILLED');
  if (!container || !operator) return t.fail('there is something to write of');
  // As if it had run for a day.
  const start = 1_700_000_000_000;
  for (const [folder, line] of [
    ['containers', (at: number) => containerLine(container, at)],
    [`operators/${operator.name}`, (at: number) => operatorLine(operator, at)],
  ] as const) {
    const path = join(directory, 'apps', appid, 'stats', folder);
    rmSync(path, { recursive: true });
    const writer = await openPartWriter(path, {
      format: statsFormat,
      maxPartBytes: 1_000_000,
      maxPartMillis: Infinity,
      maxBytes: 100_000_000,
      maxPendingBytes: 100_000_000,
      onProblem: (error) => t.fail(String(error)),
    });
    writer.setMeta(['1.0']);
    for (let i = 0; i < maxStatsItems + 5; i++) writer.append(line(start + i));
    await writer.end();
  }
  const last = start + maxStatsItems + 4;
  const ofContainers = async (query = {}) =>
    (await client.listContainerStats({ params, query })).containerStats.map(({ timestamp }) => timestamp);
  const ofOperator = async (query = {}) =>
    (await stats(client, appid, operator.name, query)).map(({ timestamp }) => timestamp);
  for (const ask of [ofContainers, ofOperator]) {
    const newest = await ask();
    t.strictSame([newest.length, newest[0], newest.at(-1)], [maxStatsItems, start + 5, last]);
    await t.rejects(ask({ startTime: start }), {
      status: 400,
      message: /more than 10000 items: ask for a shorter/,
    });
    t.equal((await ask({ startTime: start + 5 })).length, maxStatsItems, 'as much as fits');
    t.strictSame(await ask({ startTime: last, endTime: last }), [last]);
  }
  t.equal(
    (await client.getOperatorStatsMeta({ params: { appid, opName: operator.name } })).count,
    maxStatsItems + 5,
  );
});

t.test('hidden applications, and drivers that keep nothing', async (t) => {
  const { newClient, appid } = await running(t);
  const eve = newClient(as('eve'));
  const params = { appid };
  await t.rejects(eve.listEvents({ params, query: {} }), notFound);
  await t.rejects(stats(eve, appid, 'source'), notFound);
  await t.rejects(eve.getContainerStatsMeta({ params }), notFound);
  await t.rejects(eve.getDeployHistory({ params: { appid, opid: '1' } }), notFound);

  const { client } = await newGateway(t);
  const unsupported = { status: 501, code: 'NOT_SUPPORTED' };
  await t.rejects(client.listContainerStats({ params, query: {} }), unsupported);
  await t.rejects(client.getOperatorStatsMeta({ params: { appid, opName: 'a' } }), unsupported);
  await t.rejects(client.getDeployHistory({ params: { appid, opid: '1' } }), unsupported);
});
