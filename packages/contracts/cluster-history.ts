import assert from 'node:assert/strict';
import { BadRequest, NotFound, undefinedIfUnknown } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { ended, eventually } from './cluster-waiting.js';
import { offered } from './skipping.js';

/** What events of a type tell; unknown types may tell anything. */
const eventMembers: Readonly<Record<string, readonly string[]>> = {
  CreateOperator: ['operatorName', 'operatorId'],
  RemoveOperator: ['operatorName', 'operatorId'],
  StartOperator: ['operatorName', 'operatorId', 'containerId'],
  StopOperator: ['operatorName', 'operatorId', 'containerId'],
  StartContainer: ['containerId', 'containerNodeId'],
  StopContainer: ['containerId', 'exitStatus'],
  OperatorError: ['operatorName', 'operatorId', 'containerId', 'errorMessage'],
  ContainerError: ['containerId', 'errorMessage'],
};

/** Facets that tell of the past: events, statistics over time, deployments. */
export function clusterHistory(test: ClusterTest): void {
  eventTests(test);
  statsTests(test);
  deployTests(test);
}

function eventTests(test: ClusterTest): void {
  test('events: in the order of time, by range, offset and limit', async ({ launch, timeoutMillis }) => {
    const { master } = await launch();
    const events = offered('master.events', master.events);
    await eventually(timeoutMillis, async () => (await events.read({ offset: 0, limit: 100 })).length >= 4);
    const all = await events.read({ offset: 0, limit: 100 });
    assert.ok(all.every((event, index) => event.timestamp >= (all[index - 1]?.timestamp ?? 0)));
    assert.ok(all.some(({ type }) => type === 'StartContainer'));
    const newest = await events.read({ offset: 0, limit: 2 });
    assert.equal(newest.length, 2);
    const from = all[1]?.timestamp ?? 0;
    const since = await events.read({ from, offset: 0, limit: 100 });
    assert.ok(since.every(({ timestamp }) => timestamp >= from));
    const to = all[3]?.timestamp ?? 0;
    const within = all.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
    assert.deepEqual(await events.read({ from, to, offset: 0, limit: 100 }), within);
    assert.deepEqual(await events.read({ from, to, offset: 1, limit: 1 }), within.slice(1, 2));
    assert.deepEqual(await events.read({ to: 1, offset: 0, limit: 100 }), []);
    const known = new Map(Object.entries(eventMembers));
    for (const { type, data } of all) {
      for (const member of known.get(type) ?? [])
        assert.equal(typeof data[member], 'string', `${type}.${member}`);
    }
  });

  test('events: those of an ended application', async ({ driver, launch, timeoutMillis }) => {
    const { id, master } = await launch();
    const events = offered('master.events', master.events);
    const [first] = await events.read({ from: 0, offset: 0, limit: 1 });
    await driver.resourceManager.kill(id);
    await ended(driver, id, timeoutMillis);
    const afterwards = (await driver.master(id)).events;
    assert.deepEqual((await afterwards?.read({ from: 0, offset: 0, limit: 1 }))?.[0], first);
  });
}

function statsTests(test: ClusterTest): void {
  test('stats: of operators and containers, by time', async ({ launch, timeoutMillis, request }) => {
    const { id, master } = await launch();
    const stats = offered('master.stats', master.stats);
    const operatorName = request.application.operators[0]?.name ?? '';
    // Nothing is kept at first.
    const count = async () => (await stats.operatorMeta(operatorName).catch(undefinedIfUnknown))?.count ?? 0;
    await eventually(timeoutMillis, async () => (await count()) >= 3);
    const meta = await stats.operatorMeta(operatorName);
    assert.deepEqual([meta.appId, meta.operatorName, meta.ended], [id, operatorName, false]);
    const all = await stats.operator(operatorName, { limit: 10_000 });
    assert.ok(all.length >= meta.count && all[0]?.timestamp === meta.startTime);
    assert.ok(all.every(({ operatorId }) => meta.operatorIds.includes(operatorId)));
    const at = all[1]?.timestamp ?? 0;
    const then = all.filter(({ timestamp }) => timestamp === at);
    const range = { startTime: at, endTime: at };
    assert.deepEqual(await stats.operator(operatorName, { ...range, limit: then.length }), then);
    assert.deepEqual(await stats.operator(operatorName, { startTime: 0, endTime: 1, limit: 10 }), []);
    assert.deepEqual((await stats.operator(operatorName, { limit: 2 })).length, 2);
    await assert.rejects(stats.operator(operatorName, { startTime: 0, limit: 1 }), BadRequest);
    await assert.rejects(stats.operator('nobody', { limit: 1 }), NotFound);
    await assert.rejects(stats.operatorMeta('nobody'), NotFound);

    await eventually(timeoutMillis, async () => (await stats.containersMeta()).count >= 2);
    const { containers } = await stats.containersMeta();
    const items = await stats.containers({ limit: 10_000 });
    assert.ok(items.length >= 2 && items.every(({ containerId }) => containers[containerId]));
    await assert.rejects(stats.containers({ startTime: 0, limit: 1 }), BadRequest);
  });
}

function deployTests(test: ClusterTest): void {
  test('deployHistory: where each operator ran, over the end of a container', async ({
    launch,
    timeoutMillis,
  }) => {
    const { master } = await launch();
    const deployHistory = offered('master.deployHistory', master.deployHistory);
    await assert.rejects(deployHistory.read('999999'), NotFound);
    const { operators } = await master.physicalPlan();
    for (const { id, name, container } of operators) {
      const history = await deployHistory.read(id);
      assert.deepEqual([history.name, history.containers.at(-1)?.container], [name, container]);
    }
    const [victim] = operators;
    const { containerControl } = master;
    if (!containerControl || !victim?.container) return;
    const before = await deployHistory.read(victim.id);
    await containerControl.kill(victim.container);
    await eventually(timeoutMillis, async () => {
      const { containers } = await deployHistory.read(victim.id);
      return containers.length === before.containers.length + 1;
    });
    const after = await deployHistory.read(victim.id);
    assert.deepEqual(after.containers.slice(0, -1), before.containers);
  });
}
