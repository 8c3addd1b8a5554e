import assert from 'node:assert/strict';
import { masterFacets, NotFound } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { ended, eventually } from './cluster-waiting.js';
import { offered } from './skipping.js';

/** One test for each facet of masters, but those that change what runs; a driver that does not claim it must not have it. */
export function clusterFacets(test: ClusterTest): void {
  test('masters have the facets that the driver claims, and no others', async ({ driver, launch }) => {
    const { master } = await launch();
    for (const facet of driver.masterFacets) assert.ok(master[facet], `${facet} is claimed and missing`);
    for (const facet of masterFacets)
      assert.ok(!master[facet] || driver.masterFacets.includes(facet), `${facet} is there and not claimed`);
  });

  test('containerControl: a killed container is replaced, and its operators run again', async ({
    launch,
    timeoutMillis,
  }) => {
    const { master } = await launch();
    const containerControl = offered('master.containerControl', master.containerControl);
    await assert.rejects(containerControl.kill('container_1_0001_01_000099'), NotFound);
    const victim = (await master.containers()).find(({ containerType }) => containerType === 'STREAMING');
    assert.ok(victim);
    await containerControl.kill(victim.id);
    await eventually(timeoutMillis, async () => {
      const { operators } = await master.physicalPlan();
      return operators.every(({ status, container }) => status === 'ACTIVE' && container !== victim.id);
    });
  });

  test('loggers: what is set is listed', async ({ launch }) => {
    const { master } = await launch();
    const loggers = offered('master.loggers', master.loggers);
    await loggers.set([{ target: 'com.example.*', logLevel: 'WARN' }]);
    const listed = await loggers.list();
    assert.ok(listed.some(({ target, logLevel }) => target === 'com.example.*' && logLevel === 'WARN'));
    await loggers.levels();
  });

  test('attributes: of the application, its operators and their ports', async ({
    driver,
    launch,
    timeoutMillis,
    afterTheEnd,
  }) => {
    const { id, master } = await launch();
    offered('master.attributes', master.attributes);
    const check = async () => {
      const now = await driver.master(id);
      const { attributes } = now;
      assert.ok(attributes);
      assert.ok(Object.keys(await attributes.application()).length > 0);
      for (const { name, ports } of (await now.logicalPlan()).operators) {
        await attributes.operator(name);
        for (const port of ports) await attributes.port(name, port.name);
        await assert.rejects(attributes.port(name, 'no such port'), NotFound);
      }
      await assert.rejects(attributes.operator('no such operator'), NotFound);
    };
    await check();
    await driver.resourceManager.kill(id);
    await ended(driver, id, timeoutMillis);
    if (afterTheEnd === 'kept') return check();
    // Only what is known of the application itself is told.
    const afterwards = await driver.master(id);
    await assert.rejects(afterwards.logicalPlan(), { code: 'APPLICATION_ENDED' });
    assert.ok(await afterwards.attributes?.application());
  });

  test('operatorClasses: those of the application are listed and described', async ({ launch, request }) => {
    const { master } = await launch();
    const classes = offered('master.operatorClasses', master.operatorClasses);
    const names = await classes.list({});
    for (const operator of request.application.operators) {
      assert.ok(names.includes(operator.class));
      await classes.describe(operator.class);
    }
    await assert.rejects(classes.describe('no.such.Class'), NotFound);
    await assert.rejects(classes.list({ parent: 'no.such.Class' }), NotFound);
  });
}
