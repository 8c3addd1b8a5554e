import assert from 'node:assert/strict';
import { Event, masterFacets, NotFound, OperatorClassDesc } from '../lib/index.js';
import type { ClusterTest } from './cluster.js';
import { eventually } from './cluster-waiting.js';

/** One test for each facet of masters; a driver that does not claim it must not have it. */
export function clusterFacets(test: ClusterTest): void {
  test('masters have the facets that the driver claims, and no others', async ({ driver, launch }) => {
    const { master } = await launch();
    for (const facet of driver.masterFacets) assert.ok(master[facet], `${facet} is claimed and missing`);
    for (const facet of masterFacets)
      assert.ok(!master[facet] || driver.masterFacets.includes(facet), `${facet} is there and not claimed`);
  });

  test('containerControl: a killed container is replaced, and its operators run again', async ({
    launch,
    patience,
  }) => {
    const { master } = await launch();
    if (!master.containerControl) return;
    await assert.rejects(master.containerControl.kill('container_1_0001_01_000099'), NotFound);
    const victim = (await master.containers()).find(({ containerType }) => containerType === 'STREAMING');
    assert.ok(victim);
    await master.containerControl.kill(victim.id);
    await eventually(patience, async () => {
      const { operators } = await master.physicalPlan();
      return operators.every(({ status, container }) => status === 'ACTIVE' && container !== victim.id);
    });
  });

  test('events: in the order of time, with a limit', async ({ launch, patience }) => {
    const { master } = await launch();
    const { events } = master;
    if (!events) return;
    await eventually(patience, async () => (await events.read({ offset: 0, limit: 100 })).length >= 4);
    const all = (await events.read({ offset: 0, limit: 100 })).map((event) => Event.parse(event));
    assert.ok(all.every((event, index) => event.timestamp >= (all[index - 1]?.timestamp ?? 0)));
    assert.ok(all.some(({ type }) => type === 'StartContainer'));
    const newest = await events.read({ offset: 0, limit: 2 });
    assert.equal(newest.length, 2);
    const from = all[1]?.timestamp ?? 0;
    const since = await events.read({ from, offset: 0, limit: 100 });
    assert.ok(since.every(({ timestamp }) => timestamp >= from));
  });

  test('loggers: what is set is listed', async ({ launch }) => {
    const { master } = await launch();
    if (!master.loggers) return;
    await master.loggers.set([{ target: 'com.example.*', logLevel: 'WARN' }]);
    const listed = await master.loggers.list();
    assert.ok(listed.some(({ target, logLevel }) => target === 'com.example.*' && logLevel === 'WARN'));
    for (const { name, level } of await master.loggers.levels())
      assert.ok(typeof name === 'string' && typeof level === 'string');
  });

  test('operatorClasses: those of the application are listed and described', async ({ launch, request }) => {
    const { master } = await launch();
    const classes = master.operatorClasses;
    if (!classes) return;
    const names = await classes.list({});
    for (const operator of request.application.operators) {
      assert.ok(names.includes(operator.class));
      OperatorClassDesc.parse(await classes.describe(operator.class));
    }
    await assert.rejects(classes.describe('no.such.Class'), NotFound);
    await assert.rejects(classes.list({ parent: 'no.such.Class' }), NotFound);
  });
}
