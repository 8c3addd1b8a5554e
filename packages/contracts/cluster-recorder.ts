import assert from 'node:assert/strict';
import { BadRequest, NotFound } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { ended, eventually, runs } from './cluster-waiting.js';
import { offered } from './skipping.js';

export function clusterRecorder(test: ClusterTest): void {
  test('recorder: whole windows, read by number and by window, while it runs and afterwards', async ({
    driver,
    launch,
    timeoutMillis,
  }) => {
    const { id, master } = await launch();
    const recorder = offered('master.recorder', master.recorder);
    const [operator] = (await master.physicalPlan()).operators;
    assert.ok(operator);
    await eventually(timeoutMillis, async () => {
      const { operators } = await master.physicalPlan();
      return operators.every(({ currentWindowId }) => runs(currentWindowId));
    });
    await assert.rejects(recorder.start('no such operator', {}), NotFound);
    await assert.rejects(recorder.start(operator.id, { portName: 'no such port' }), NotFound);
    await assert.rejects(recorder.stop(operator.id, {}), NotFound);
    await assert.rejects(recorder.read(operator.id, 'no such recording'), NotFound);

    const active = await recorder.start(operator.id, {});
    await assert.rejects(recorder.start(operator.id, {}), {
      code: 'RECORDING_ACTIVE',
      details: { id: active },
    });
    await assert.rejects(recorder.remove(operator.id, active), { code: 'RECORDING_ACTIVE' });
    await eventually(timeoutMillis, async () => (await recorder.read(operator.id, active)).totalTuples > 0);
    await recorder.stop(operator.id, {});
    const recording = await recorder.read(operator.id, active);
    assert.ok(recording.ended);
    assert.deepEqual([recording.id, recording.operatorId, recording.appId], [active, operator.id, id]);
    assert.equal(
      recording.ports.reduce((sum, { tupleCount }) => sum + tupleCount, 0),
      recording.totalTuples,
    );

    const bounded = await recorder.start(operator.id, { numWindows: 2 });
    await eventually(timeoutMillis, async () => (await recorder.read(operator.id, bounded)).ended);
    assert.deepEqual(
      (await recorder.list(operator.id)).map((one) => one.id),
      [active, bounded],
    );
    const check = async (reader: typeof recorder) => {
      const from = { offset: 0 };
      const query = { from, limit: 1000, emptyWindows: false };
      const batch = await reader.tuples(operator.id, active, query);
      assert.equal(batch.startOffset, '0');
      const [first] = batch.tuples;
      assert.ok(first?.tuples.length);
      const again = await reader.tuples(operator.id, active, {
        ...query,
        from: { startWindow: first.windowId },
        limit: 1,
      });
      assert.deepEqual(again.tuples[0]?.tuples, first.tuples.slice(0, 1));
      await assert.rejects(reader.tuples(operator.id, active, { ...query, ports: ['77'] }), BadRequest);
    };
    await check(recorder);
    await driver.resourceManager.kill(id);
    await ended(driver, id, timeoutMillis);
    const afterwards = (await driver.master(id)).recorder;
    assert.ok(afterwards);
    await check(afterwards);
    await assert.rejects(afterwards.start(operator.id, {}), { code: 'APPLICATION_ENDED' });
    await afterwards.remove(operator.id, active);
    assert.deepEqual(
      (await afterwards.list()).map((one) => one.id),
      [bounded],
    );
  });
}
