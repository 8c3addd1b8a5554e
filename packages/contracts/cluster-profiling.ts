import assert from 'node:assert/strict';
import { type BackPressure, type FlameGraph, type Master, NotFound } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { ended, eventually } from './cluster-waiting.js';
import { offered } from './skipping.js';

/** What an application is looked into with when it is slow. The engine has to be set up for it. */
export function clusterProfiling(test: ClusterTest): void {
  test('flameGraphs: an operator has one, whose samples are those of its parts', async (cluster) => {
    const { driver, launch, timeoutMillis } = cluster;
    const { id, master } = await launch();
    const flameGraphs = offered('master.flameGraphs', master.flameGraphs);
    const read = (name: string) => flameGraphs.read(name, { type: 'FULL' });
    const [operator] = (await master.logicalPlan()).operators;
    assert.ok(operator);
    const graph = await once(timeoutMillis, () => read(operator.name));
    assert.equal(graph.type, 'FULL');
    requireSound(graph.root);
    const [first] = await operatorOf(master, operator.name);
    assert.ok(first);
    const own = await once(timeoutMillis, () =>
      flameGraphs.read(operator.name, { type: 'ON_CPU', operatorId: first.id }),
    );
    assert.equal(own.type, 'ON_CPU');
    await assert.rejects(read('no such operator'), NotFound);
    await driver.resourceManager.kill(id);
    await ended(driver, id, timeoutMillis);
    const afterwards = (await driver.master(id)).flameGraphs;
    await assert.rejects(offered('master.flameGraphs', afterwards).read(operator.name, { type: 'FULL' }), {
      code: 'APPLICATION_ENDED',
    });
  });

  test('backPressure: is told of each physical operator, in parts of its time', async ({
    launch,
    timeoutMillis,
  }) => {
    const { master } = await launch();
    const backPressure = offered('master.backPressure', master.backPressure);
    const [operator] = (await master.logicalPlan()).operators;
    assert.ok(operator);
    const told = await once(timeoutMillis, () => backPressure.read(operator.name));
    const ids = (await operatorOf(master, operator.name)).map(({ id }) => id);
    for (const one of told.operators) {
      assert.ok(ids.includes(one.operatorId), one.operatorId);
      requireParts(one);
    }
    await assert.rejects(backPressure.read('no such operator'), NotFound);
  });

  test('profiler: one profile of a container at a time, which is handed out when it is done', async ({
    launch,
    timeoutMillis,
  }) => {
    const { master } = await launch();
    const profiler = offered('master.profiler', master.profiler);
    const container = (await master.containers()).find(({ containerType }) => containerType === 'STREAMING');
    assert.ok(container);
    const order = { mode: 'ITIMER', seconds: 1 } as const;
    await assert.rejects(profiler.start('container_1_0001_01_000099', order), NotFound);
    await assert.rejects(profiler.list('container_1_0001_01_000099'), NotFound);
    const { id } = await profiler.start(container.id, order);
    await assert.rejects(profiler.start(container.id, order), { code: 'PROFILE_UNDER_WAY' });
    await eventually(timeoutMillis, async () => {
      const found = (await profiler.list(container.id)).find((one) => one.id === id);
      assert.ok(found, `${id} is listed`);
      assert.notEqual(found.state, 'FAILED', found.failure);
      return found.state === 'FINISHED';
    });
    await assert.rejects(profiler.open(container.id, 'no-such-profile'), NotFound);
    const { name, content } = await profiler.open(container.id, id);
    assert.match(name, /^[^/\\]+$/);
    let bytes = 0;
    for await (const chunk of content) bytes += Buffer.byteLength(chunk);
    assert.ok(bytes > 0);
  });
}

const operatorOf = async (master: Master, logicalName: string) =>
  (await master.physicalPlan()).operators.filter((one) => one.logicalName === logicalName);

/** An engine may measure from the first question on only. */
async function once<T extends FlameGraph | BackPressure>(
  timeoutMillis: number,
  read: () => Promise<T>,
): Promise<T> {
  const told: T[] = [];
  await eventually(timeoutMillis, async () => {
    const answer = await read().catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'NOT_READY') return undefined;
      throw error;
    });
    if (answer) told.push(answer);
    return answer !== undefined;
  });
  const [first] = told;
  assert.ok(first);
  return first;
}

function requireSound({ name, samples, children }: FlameGraph['root']): void {
  assert.ok(samples >= 0, `${name} has ${samples} samples`);
  const below = children.reduce((sum, child) => sum + child.samples, 0);
  assert.ok(below <= samples, `${name} has ${samples} samples, and what it called ${below}`);
  for (const child of children) requireSound(child);
}

function requireParts(one: BackPressure['operators'][number]): void {
  for (const part of [one.backPressuredPercentage, one.busyPercentage, one.idlePercentage])
    assert.ok(part === undefined || (part >= 0 && part <= 100), `${part} percent of the time`);
}
