import assert from 'node:assert/strict';
import {
  type ApplicationReport,
  BadRequest,
  type DefinedLaunch,
  GatewayError,
  type LaunchRequest,
  NotFound,
} from 'headgate/driver-kit';
import type { ClusterTest, RunningCluster } from './cluster-test.js';
import { ended, reached } from './cluster-waiting.js';
import { offered } from './skipping.js';

/** Launches, those that go on from an ended application, and what is refused. `unknownId`: one that is well formed. */
export function clusterLaunches(test: ClusterTest, unknownId: string): void {
  test('launch: one of a name and user at a time; what is wrong is named', async ({
    launcher,
    launch,
    request,
  }) => {
    await launch();
    await assert.rejects(launcher.launch(request), { code: 'APPLICATION_NAME_TAKEN' });
    const wrongClass = launcher.classes === 'main' ? wrongProgram(request) : wrongOperator(request);
    await assert.rejects(
      launcher.launch({ ...request, name: 'other', ...wrongClass }),
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
    await assert.rejects(from(unknownId), NotFound);
    assert.equal((await startedAgain(cluster, from)).name, 'again');
  });

  test('check tells what a launch would refuse, with its place, and starts nothing', async ({
    driver,
    launcher,
    request,
  }) => {
    offered('resourceManager.launcher.check', launcher.check);
    assert.deepEqual(await launcher.check?.(request), []);
    const [first, ...others] = request.application.operators;
    const broken = {
      ...request.application,
      operators: [{ ...first, name: first?.name ?? '', class: 'no.such.Class' }, ...others],
    };
    const problems = (await launcher.check?.({ application: broken })) ?? [];
    assert.ok(problems.some(({ path, message }) => path === 'operators.0.class' && /no\.such/.test(message)));
    assert.deepEqual(await driver.resourceManager.listApplications({ activeOnly: true }), []);
  });
}

function wrongOperator({ application }: DefinedLaunch): Pick<DefinedLaunch, 'application'> {
  const [first] = application.operators;
  const operators = [{ ...first, name: 'broken', class: 'no.such.Class' }];
  return { application: { ...application, operators, streams: [] } };
}

function wrongProgram({ packaged }: DefinedLaunch): Pick<LaunchRequest, 'packaged'> {
  assert.ok(packaged, 'The contract needs `request.packaged` for a launcher of classes with a main');
  return { packaged: { ...packaged, className: 'no.such.Class' } };
}

/** Refused while the first one runs; afterwards it runs under an id of its own. */
async function startedAgain(
  { driver, launch, timeoutMillis }: RunningCluster,
  again: (id: string) => Promise<string>,
): Promise<ApplicationReport> {
  const { id, master } = await launch();
  await assert.rejects(again(id), { code: 'APPLICATION_RUNNING' });
  await master.shutdown();
  await ended(driver, id, timeoutMillis);
  const next = await again(id);
  assert.notEqual(next, id);
  await reached(driver, next, 'RUNNING', timeoutMillis);
  return driver.resourceManager.getApplication(next);
}
