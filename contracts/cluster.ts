import assert from 'node:assert/strict';
import {
  type ApplicationReport,
  AppStats,
  BadRequest,
  type ClusterContext,
  type ClusterDriver,
  ClusterMetrics,
  Conflict,
  Container,
  type DefinedLaunch,
  GatewayError,
  LogicalOperator,
  LogicalPlan,
  NotFound,
  PhysicalPlan,
  Queue,
} from '../lib/driver-kit.js';
import { clusterChanges } from './cluster-changes.js';
import { clusterFacets } from './cluster-facets.js';
import { clusterForwarding } from './cluster-forwarding.js';
import { clusterHistory } from './cluster-history.js';
import { clusterLogs } from './cluster-logs.js';
import type { ClusterTest, PropertyUnderTest, RunningCluster } from './cluster-test.js';
import { deployed, ended, eventually, reached, runs } from './cluster-waiting.js';
import type { Suite } from './suite.js';

export interface ClusterUnderTest {
  /** A driver of its own for each test, not open yet; the suite opens and closes it. */
  create(): Promise<ClusterDriver>;
  /** What the gateway would give it. */
  context(): Promise<ClusterContext>;
  /**
   * An application that runs until it is ended, of two operators or more in containers of their own, the first of which
   * emits at least one tuple a second. Its statistics are recorded when the driver has the facet `stats`.
   */
  readonly request: DefinedLaunch;
  /** A property of an operator in `request` that can be set while it runs; without it only reading is tested. */
  readonly property?: PropertyUnderTest;
  /** An id that is well formed and unknown. */
  readonly unknownId: string;
  /** `'text'` when the engine tells values of properties as text in one place and as they are in another. Default: exact. */
  readonly values?: 'exact' | 'text';
  /**
   * What the master knew of plan and properties when the application has ended: `'kept'`, or `'lost'` with it, and then
   * asking is `Conflict`. Default: kept.
   */
  readonly afterTheEnd?: 'kept' | 'lost';
  /** Milliseconds for a launch, and for an end. Default: 60,000. */
  readonly timeoutMillis?: number;
}

/**
 * What `ClusterDriver` promises, facet by facet as far as the driver claims them. Registers its tests with the runner;
 * await it where the runner wants subtests to be awaited (node:test).
 */
export async function clusterContract(suite: Suite, subject: ClusterUnderTest): Promise<void> {
  const registered: unknown[] = [];
  const timeoutMillis = subject.timeoutMillis ?? 60_000;
  const test: ClusterTest = (name, run) => {
    const done = suite.test(`cluster: ${name}`, async () => {
      const driver = await subject.create();
      await driver.open(await subject.context());
      try {
        const launcher = driver.resourceManager.launcher;
        assert.ok(launcher, 'the suite needs a driver that can launch');
        await run({
          driver,
          launcher,
          request: subject.request,
          property: subject.property,
          timeoutMillis,
          values: subject.values ?? 'exact',
          afterTheEnd: subject.afterTheEnd ?? 'kept',
          launch: async (change = {}) => {
            const id = await launcher.launch({ ...subject.request, ...change });
            await reached(driver, id, 'RUNNING', timeoutMillis);
            const master = await driver.master(id);
            await deployed(master, timeoutMillis);
            return { id, master };
          },
        });
      } finally {
        await driver.close();
        await driver.close();
      }
    });
    registered.push(done);
  };

  test('what is unknown is NotFound', async ({ driver, launcher, request }) => {
    const manager = driver.resourceManager;
    await assert.rejects(manager.getApplication(subject.unknownId), NotFound);
    await assert.rejects(manager.kill(subject.unknownId), NotFound);
    await assert.rejects(driver.master(subject.unknownId), NotFound);
    await assert.rejects(launcher.restart(subject.unknownId, { user: request.user }), NotFound);
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

    const info = await master.info();
    AppStats.parse(info.stats);
    const physical = PhysicalPlan.parse(await master.physicalPlan());
    const logical = LogicalPlan.parse(await master.logicalPlan());
    const operators = (await master.logicalOperators()).map((operator) => LogicalOperator.parse(operator));
    const containers = (await master.containers()).map((container) => Container.parse(container));
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
  }) => {
    const { master } = await launch();
    await eventually(timeoutMillis, async () => {
      const stats = (await master.info()).stats;
      return (
        stats !== null &&
        stats.totalTuplesEmitted > 0 &&
        stats.totalTuplesProcessed > 0 &&
        runs(stats.currentWindowId)
      );
    });
    const before = BigInt((await master.info()).stats?.currentWindowId ?? 0);
    await eventually(
      timeoutMillis,
      async () => BigInt((await master.info()).stats?.currentWindowId ?? 0) > before,
    );
    await eventually(timeoutMillis, async () => runs((await master.info()).stats?.recoveryWindowId ?? '0'));
  });

  test('shutdown drains and succeeds; afterwards what was kept is told, and changes are Conflict', async ({
    driver,
    launch,
    timeoutMillis,
  }) => {
    const { id, master } = await launch();
    await master.shutdown();
    const report = await ended(driver, id, timeoutMillis);
    assert.deepEqual([report.state, report.finalStatus], ['FINISHED', 'SUCCEEDED']);
    assert.equal(report.runningContainers, -1);
    assert.ok(report.finishedTime >= report.startedTime);
    await assert.rejects(driver.resourceManager.kill(id), Conflict);
    const afterwards = await driver.master(id);
    await assert.rejects(afterwards.shutdown(), Conflict);
    const { stats } = await afterwards.info();
    // Totals where they are known; what is no more is none.
    assert.ok(stats === null || (stats.allocatedContainers === 0 && stats.totalMemoryAllocated === 0));
    assert.ok((await afterwards.containers()).every(({ state }) => state === 'KILLED'));
  });

  test('kill ends it as KILLED', async ({ driver, launch, timeoutMillis }) => {
    const { id } = await launch();
    await driver.resourceManager.kill(id);
    const report = await ended(driver, id, timeoutMillis);
    assert.deepEqual([report.state, report.finalStatus], ['KILLED', 'KILLED']);
  });

  test('launch: one of a name and user at a time; what is wrong is named', async ({
    launcher,
    launch,
    request,
  }) => {
    await launch();
    await assert.rejects(launcher.launch(request), Conflict);
    const [first] = request.application.operators;
    const broken = {
      ...request.application,
      operators: [{ ...first, name: 'broken', class: 'no.such.Class' }],
    };
    await assert.rejects(
      launcher.launch({ ...request, name: 'other', application: { ...broken, streams: [] } }),
      (error) =>
        error instanceof GatewayError &&
        error.status === 400 &&
        JSON.stringify([error.message, error.details]).includes('no.such.Class'),
    );
    await assert.rejects(
      launcher.launch({ ...request, name: 'other', properties: { 'dt.operator.nobody.prop.x': '1' } }),
      (error) => error instanceof BadRequest && error.message.includes('dt.operator.nobody.prop.x'),
    );
  });

  test('restart: an ended one starts again under a new id, a running one is Conflict', async (cluster) => {
    const { launcher, request } = cluster;
    const next = await startedAgain(cluster, (id) => launcher.restart(id, { user: request.user }));
    assert.equal(next.name, request.name);
  });

  test('launch with originalAppId goes on from the state of an ended one, and refuses others', async (cluster) => {
    const { launcher, request } = cluster;
    const from = (originalAppId: string) => launcher.launch({ ...request, name: 'again', originalAppId });
    await assert.rejects(from(subject.unknownId), NotFound);
    assert.equal((await startedAgain(cluster, from)).name, 'again');
  });

  test('check tells what a launch would refuse, with its place, and starts nothing', async ({
    driver,
    launcher,
    request,
  }) => {
    if (!launcher.check) return;
    assert.deepEqual(await launcher.check(request), []);
    const [first, ...others] = request.application.operators;
    const broken = {
      ...request.application,
      operators: [{ ...first, name: first?.name ?? '', class: 'no.such.Class' }, ...others],
    };
    const problems = await launcher.check({ application: broken });
    assert.ok(problems.some(({ path, message }) => path === 'operators.0.class' && /no\.such/.test(message)));
    assert.deepEqual(await driver.resourceManager.listApplications({ activeOnly: true }), []);
  });

  test('metrics, versions, queues and configuration have their shapes', async ({ driver, launch }) => {
    await launch();
    const { resourceManager } = driver;
    const metrics = ClusterMetrics.parse(await resourceManager.metrics());
    assert.ok(metrics.numAppsRunning >= 1 && metrics.numOperators >= 2);
    const about = await resourceManager.about();
    assert.equal(typeof about.engine.version, 'string');
    const nodes = await resourceManager.nodeCount?.();
    assert.ok(nodes === undefined || nodes >= 1, `${nodes} machines`);
    for (const queue of (await resourceManager.queues?.list()) ?? []) Queue.parse(queue);
    const configuration = (await resourceManager.configuration?.read()) ?? {};
    for (const value of Object.values(configuration)) assert.equal(typeof value, 'string');
  });

  clusterFacets(test);
  clusterChanges(test);
  clusterForwarding(test);
  clusterLogs(test);
  clusterHistory(test);
  await Promise.all(registered);
}

/** Refused while the first one runs; afterwards it runs under an id of its own. */
async function startedAgain(
  { driver, launch, timeoutMillis }: RunningCluster,
  again: (id: string) => Promise<string>,
): Promise<ApplicationReport> {
  const { id, master } = await launch();
  await assert.rejects(again(id), Conflict);
  await master.shutdown();
  await ended(driver, id, timeoutMillis);
  const next = await again(id);
  assert.notEqual(next, id);
  await reached(driver, next, 'RUNNING', timeoutMillis);
  return driver.resourceManager.getApplication(next);
}
