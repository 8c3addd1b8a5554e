import assert from 'node:assert/strict';
import { InvalidInput } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { given, offered } from './skipping.js';

/** What is found out about an application before there is one. */
export function clusterPlanning(test: ClusterTest): void {
  test('planner: tells the plan that a launch begins, and begins nothing', async (cluster) => {
    const { resourceManager } = cluster.driver;
    const planner = offered('resourceManager.planner', resourceManager.planner);
    const before = await resourceManager.listApplications();
    const plan = await planner.plan(cluster.request);
    const names = plan.operators.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, 'names are unique');
    for (const { source, sinks } of plan.streams)
      for (const { operatorName } of [source, ...sinks])
        assert.ok(names.includes(operatorName), operatorName);
    const after = await resourceManager.listApplications();
    assert.deepEqual(after.map(({ id }) => id).sort(), before.map(({ id }) => id).sort());
    const { master } = await cluster.launch();
    const { operators } = await master.logicalPlan();
    assert.deepEqual(names.toSorted(), operators.map(({ name }) => name).sort());
  });

  test('planner: what can not run is refused', async ({ driver, request }) => {
    const planner = offered('resourceManager.planner', driver.resourceManager.planner);
    const packaged = given('request.packaged', request.packaged);
    const missing = { ...packaged, className: 'no.such.Class' };
    await assert.rejects(planner.plan({ ...request, packaged: missing }), { status: 400 });
  });

  test('sampler: rows of a query, no more than are wanted', async (cluster) => {
    const sampler = offered('resourceManager.sampler', cluster.driver.resourceManager.sampler);
    const sample = given('sample', cluster.sample);
    const { columns, rows } = await sampler.sample(sample);
    assert.ok(columns.length > 0 && rows.length > 0 && rows.length <= sample.rows);
    for (const { values } of rows) assert.equal(values.length, columns.length);
    const changing = { ...sample, query: 'DROP TABLE anything' };
    await assert.rejects(sampler.sample(changing), InvalidInput);
    const broken = { ...sample, query: 'SELECT * FROM no_such_table_at_all' };
    await assert.rejects(sampler.sample(broken), { status: 400, code: 'ENGINE_REFUSED' });
  });
}
