import assert from 'node:assert/strict';
import { checkedDrivers } from 'headgate/driver-answers';
import type {
  ClusterContext,
  ClusterDriver,
  DefinedLaunch,
  LaunchRequest,
  SampleRequest,
} from 'headgate/driver-kit';
import { clusterApplications } from './cluster-applications.js';
import { clusterChanges } from './cluster-changes.js';
import { clusterFacets } from './cluster-facets.js';
import { clusterForwarding } from './cluster-forwarding.js';
import { clusterHistory } from './cluster-history.js';
import { clusterLaunches } from './cluster-launches.js';
import { clusterLogs } from './cluster-logs.js';
import { clusterPlanning } from './cluster-planning.js';
import { clusterProfiling } from './cluster-profiling.js';
import { clusterRecorder } from './cluster-recorder.js';
import type { ClusterTest, PropertyUnderTest, RunningCluster } from './cluster-test.js';
import { deployed, reached } from './cluster-waiting.js';
import { offered, skippable } from './skipping.js';
import type { Suite } from './suite.js';
import { type Closing, closingAfter, inTime, refuseAnswer } from './using.js';

export interface ClusterUnderTest extends Closing {
  /** A driver of its own for each test, not open yet; the suite opens and closes it. */
  create(): Promise<ClusterDriver>;
  /** What the gateway would give it. */
  context(): Promise<ClusterContext>;
  /**
   * An application that runs until it is ended, of two operators or more in containers of their own, the first of which
   * emits at least one tuple a second. Its statistics are recorded when the driver has the facet `stats`. Needed by a driver
   * with a launcher, or with `start`. For a launcher of classes with a `main` it names one in a package (`packaged`, `packageContent`),
   * and `application` is what that one's job looks like.
   */
  readonly request?: DefinedLaunch;
  /**
   * For a driver without a launcher: makes the application of `request` run by other means, and resolves its id. Absent: what
   * needs a running application is not tried.
   */
  start?(driver: ClusterDriver): Promise<string>;
  /** A property of an operator in `request` that can be set while it runs; without it only reading is tested. */
  readonly property?: PropertyUnderTest;
  /** A query with rows, for a driver that takes samples; without it the sampler is not tried. */
  readonly sample?: SampleRequest;
  /** An id that is well formed and unknown. */
  readonly unknownId: string;
  /** `'text'` when the engine tells values of properties as text in one place and as they are in another. Default: exact. */
  readonly values?: 'exact' | 'text';
  /**
   * What the master knew of plan and properties when the application has ended: `'kept'`, or `'lost'` with it, and then
   * asking is `Conflict`. Default: kept.
   */
  readonly afterTheEnd?: 'kept' | 'lost';
  /** `'none'`: the engine counts no windows. Default: they go on, and are checkpointed. */
  readonly windows?: 'counted' | 'none';
  /** Milliseconds for a launch, and for an end. Default: 60,000. */
  readonly timeoutMillis?: number;
}

/**
 * What `ClusterDriver` promises, facet by facet as far as the driver claims them: tests of facets that it has not, the launcher
 * among them, are skipped and name the facet. Every answer is held against its shape. Registers its tests with the runner;
 * await it where the runner wants subtests to be awaited (node:test).
 */
export async function clusterContract(suite: Suite, subject: ClusterUnderTest): Promise<void> {
  const registered: unknown[] = [];
  const test: ClusterTest = (title, run) => {
    const name = `cluster: ${title}`;
    const done = suite.test(
      name,
      skippable(name, async () => {
        const own = await subject.create();
        const what = `of the cluster driver ${own.name}`;
        const driver = checkedDrivers.cluster(own, refuseAnswer);
        await closingAfter(
          async () => {
            const context = await subject.context();
            await inTime(`open() ${what}`, subject, () => driver.open(context));
            await run(runningCluster(driver, subject));
          },
          async () => {
            await inTime(`close() ${what}`, subject, () => driver.close());
            await inTime(`A second close() ${what}`, subject, () => driver.close());
          },
        );
      }),
    );
    registered.push(done);
  };

  clusterApplications(test, subject.unknownId);
  clusterLaunches(test, subject.unknownId);
  managerTests(test);
  clusterFacets(test);
  clusterRecorder(test);
  clusterChanges(test);
  clusterForwarding(test);
  clusterLogs(test);
  clusterHistory(test);
  clusterProfiling(test);
  clusterPlanning(test);
  await Promise.all(registered);
}

/** What a test asks for and the driver does not have skips it. */
function runningCluster(driver: ClusterDriver, subject: ClusterUnderTest): RunningCluster {
  const {
    property,
    sample,
    timeoutMillis = 60_000,
    values = 'exact',
    afterTheEnd = 'kept',
    windows = 'counted',
  } = subject;

  /** `undefined`: nobody but its users makes applications run on it. */
  function starter(): ((change: Partial<LaunchRequest>) => Promise<string>) | undefined {
    const { launcher } = driver.resourceManager;
    if (launcher) return (change) => launcher.launch({ ...running.request, ...change });
    const { start } = subject;
    return start && (() => start.call(subject, driver));
  }

  const running: RunningCluster = {
    driver,
    property,
    sample,
    timeoutMillis,
    values,
    afterTheEnd,
    windows,
    get launcher() {
      return offered('resourceManager.launcher', driver.resourceManager.launcher);
    },
    get request() {
      offered('resourceManager.launcher', starter());
      assert.ok(subject.request, 'The contract needs `request`: an application that the driver can run');
      return subject.request;
    },
    launch: async (change = {}) => {
      const id = await offered('resourceManager.launcher', starter())(change);
      await reached(driver, id, 'RUNNING', timeoutMillis);
      const master = await driver.master(id);
      await deployed(master, timeoutMillis);
      return { id, master };
    },
  };
  return running;
}

function managerTests(test: ClusterTest): void {
  test('metrics, versions and the list of applications have their shapes', async ({ driver }) => {
    const { resourceManager } = driver;
    await resourceManager.metrics();
    await resourceManager.about();
    const nodes = await resourceManager.nodeCount?.();
    assert.ok(nodes === undefined || nodes >= 1, `${nodes} machines`);
    const listed = await resourceManager.listApplications();
    assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length, 'ids are unique');
    for (const { id } of listed.slice(0, 10)) {
      assert.equal((await resourceManager.getApplication(id)).id, id);
      await driver.master(id);
    }
  });

  test('metrics count what runs', async ({ driver, launch }) => {
    await launch();
    const metrics = await driver.resourceManager.metrics();
    assert.ok(metrics.numAppsRunning >= 1 && metrics.numOperators >= 2);
  });

  test('queues: are listed by name', async ({ driver }) => {
    const queues = await offered('resourceManager.queues', driver.resourceManager.queues).list();
    assert.equal(new Set(queues.map(({ name }) => name)).size, queues.length, 'names are unique');
  });

  test('configuration: is read', async ({ driver }) => {
    await offered('resourceManager.configuration', driver.resourceManager.configuration).read();
  });

  test('permissions: what is written is read, and nothing is there before', async ({ driver, launch }) => {
    const permissions = offered('resourceManager.permissions', driver.resourceManager.permissions);
    const { id } = await launch();
    assert.equal(await permissions.read(id), undefined);
    const rules = {
      readOnly: { roles: ['operator'], users: [], everyone: false },
      readWrite: { roles: [], users: ['bob'], everyone: false },
    };
    await permissions.write(id, rules);
    assert.deepEqual(await permissions.read(id), rules);
  });
}
