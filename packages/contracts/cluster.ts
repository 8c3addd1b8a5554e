import assert from 'node:assert/strict';
import {
  type ClusterContext,
  type ClusterDriver,
  ClusterMetrics,
  type DefinedLaunch,
  Queue,
} from 'headgate/driver-kit';
import { clusterApplications } from './cluster-applications.js';
import { clusterChanges } from './cluster-changes.js';
import { clusterFacets } from './cluster-facets.js';
import { clusterForwarding } from './cluster-forwarding.js';
import { clusterHistory } from './cluster-history.js';
import { clusterLaunches } from './cluster-launches.js';
import { clusterLogs } from './cluster-logs.js';
import { clusterRecorder } from './cluster-recorder.js';
import type { ClusterTest, PropertyUnderTest } from './cluster-test.js';
import { deployed, reached } from './cluster-waiting.js';
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

  clusterApplications(test, subject.unknownId);
  clusterLaunches(test, subject.unknownId);
  managerTest(test);
  clusterFacets(test);
  clusterRecorder(test);
  clusterChanges(test);
  clusterForwarding(test);
  clusterLogs(test);
  clusterHistory(test);
  await Promise.all(registered);
}

function managerTest(test: ClusterTest): void {
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
}
