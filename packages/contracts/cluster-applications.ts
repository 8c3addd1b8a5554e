import assert from 'node:assert/strict';
import { NotFound } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { ended, eventually, runs } from './cluster-waiting.js';
import { offered } from './skipping.js';

/** Applications from their launch to their end. `unknownId`: one that is well formed. */
export function clusterApplications(test: ClusterTest, unknownId: string): void {
  runningTests(test, unknownId);
  endTests(test);
}

function runningTests(test: ClusterTest, unknownId: string): void {
  test('what is unknown is NotFound', async ({ driver }) => {
    const manager = driver.resourceManager;
    await assert.rejects(manager.getApplication(unknownId), NotFound);
    await assert.rejects(manager.kill(unknownId), NotFound);
    await assert.rejects(driver.master(unknownId), NotFound);
  });

  test('what is unknown is not restarted', async ({ launcher, request }) => {
    await assert.rejects(launcher.restart(unknownId, { user: request.user }), NotFound);
  });

  test('a launched application runs, is listed, and tells everything in the shapes of the API', async ({
    driver,
    launch,
    request,
  }) => {
    const { id, master } = await launch();
    const report = await driver.resourceManager.getApplication(id);
    assert.equal(report.name, request.name);
    assert.equal(report.user, request.user);
    assert.equal(report.finalStatus, 'UNDEFINED');
    assert.equal(report.finishedTime, 0);
    assert.ok(report.startedTime > 1e12 && report.elapsedTime >= 0 && report.observedAt > 1e12);
    const listed = await driver.resourceManager.listApplications({ activeOnly: true });
    assert.ok(listed.some((application) => application.id === id));

    assert.ok((await master.info()).stats, 'statistics of what runs');
    const physical = await master.physicalPlan();
    const logical = await master.logicalPlan();
    const operators = await master.logicalOperators();
    const containers = await master.containers();
    const names = request.application.operators.map(({ name }) => name).sort();
    assert.deepEqual(logical.operators.map(({ name }) => name).sort(), names);
    assert.deepEqual(operators.map(({ name }) => name).sort(), names);
    assert.equal(containers.filter(({ containerType }) => containerType === 'APP_MASTER').length, 1);
    for (const operator of physical.operators) {
      assert.match(operator.id, /^\d+$/);
      assert.ok(containers.some((container) => container.id === operator.container));
    }
    for (const { source, sinks } of physical.streams)
      for (const { operatorId } of [source, ...sinks])
        assert.ok(physical.operators.some((operator) => operator.id === operatorId));
  });

  test('tuples are counted, windows go on, and the state is checkpointed', async ({
    launch,
    timeoutMillis,
    windows,
  }) => {
    const { master } = await launch();
    await eventually(timeoutMillis, async () => {
      const stats = (await master.info()).stats;
      return (
        stats !== null &&
        (stats.totalTuplesEmitted ?? 0) > 0 &&
        (stats.totalTuplesProcessed ?? 0) > 0 &&
        (windows === 'none' ? stats.currentWindowId === undefined : runs(stats.currentWindowId))
      );
    });
    if (windows === 'none') return;
    const before = BigInt((await master.info()).stats?.currentWindowId ?? 0);
    await eventually(
      timeoutMillis,
      async () => BigInt((await master.info()).stats?.currentWindowId ?? 0) > before,
    );
    await eventually(timeoutMillis, async () => runs((await master.info()).stats?.recoveryWindowId));
  });
}

function endTests(test: ClusterTest): void {
  test('drainer: a drain succeeds, and ends it', async ({ driver, launch, timeoutMillis }) => {
    const { id, master } = await launch();
    await offered('master.drainer', master.drainer).drain();
    const report = await ended(driver, id, timeoutMillis);
    assert.equal(report.finalStatus, 'SUCCEEDED');
    const afterwards = offered('master.drainer', (await driver.master(id)).drainer);
    await assert.rejects(afterwards.drain(), { code: 'APPLICATION_ENDED' });
  });

  test('shutdown drains and succeeds; afterwards what was kept is told, and changes are Conflict', async ({
    driver,
    launch,
    timeoutMillis,
  }) => {
    const { id, master } = await launch();
    const told = await Promise.all([master.physicalPlan(), master.logicalOperators(), master.containers()]);
    const asTold = structuredClone(told);
    await master.shutdown();
    const report = await ended(driver, id, timeoutMillis);
    assert.deepEqual([report.state, report.finalStatus], ['FINISHED', 'SUCCEEDED']);
    assert.equal(report.runningContainers, -1);
    assert.ok(report.finishedTime >= report.startedTime);
    await assert.rejects(driver.resourceManager.kill(id), { code: 'APPLICATION_ENDED' });
    const afterwards = await driver.master(id);
    await assert.rejects(afterwards.shutdown(), { code: 'APPLICATION_ENDED' });
    // A cluster may tell of parts a little later than of the end. Totals where they are known; what is no more is none.
    await eventually(timeoutMillis, async () => {
      const { stats } = await afterwards.info();
      return stats === null || (stats.allocatedContainers === 0 && stats.totalMemoryAllocated === 0);
    });
    await eventually(timeoutMillis, async () =>
      (await afterwards.containers()).every(({ state }) => state === 'KILLED'),
    );
    assert.deepEqual(told, asTold, 'what was answered once is not changed afterwards');
  });

  test('kill ends it as KILLED', async ({ driver, launch, timeoutMillis }) => {
    const { id } = await launch();
    await driver.resourceManager.kill(id);
    const report = await ended(driver, id, timeoutMillis);
    assert.deepEqual([report.state, report.finalStatus], ['KILLED', 'KILLED']);
  });
}
