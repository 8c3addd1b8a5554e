import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { type LogReader, NotFound, type OpenLog } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { eventually } from './cluster-waiting.js';
import { offered } from './skipping.js';

/** What can be seen inside of containers: their logs and their stacks. */
export function clusterLogs(test: ClusterTest): void {
  test('stackTraces: the stack of a running container', async ({ launch }) => {
    const { master } = await launch();
    const stackTraces = offered('master.stackTraces', master.stackTraces);
    await assert.rejects(stackTraces.read('container_1_0001_01_000099'), NotFound);
    const running = (await master.containers()).find(
      ({ containerType, state }) => containerType === 'STREAMING' && state === 'ACTIVE',
    );
    assert.ok(running);
    const { threads } = await stackTraces.read(running.id);
    assert.ok(threads.length > 0);
    assert.equal(new Set(threads.map(({ id }) => id)).size, threads.length, 'ids are unique');
  });

  test('logs: listed, read in parts, and there after the container ended', async ({
    launch,
    timeoutMillis,
  }) => {
    const { master } = await launch();
    const logs = offered('master.logs', master.logs);
    const containers = (await master.containers()).filter(
      ({ containerType }) => containerType === 'STREAMING',
    );
    const [container] = containers;
    assert.ok(container);
    await eventually(timeoutMillis, async () =>
      (await logs.list(container.id)).some(({ length }) => length > 0),
    );
    const listed = await logs.list(container.id);
    const [info] = listed.filter(({ length }) => length > 0);
    assert.ok(info);
    const whole = await withLog(logs, container.id, info.name, async (log) => {
      assert.ok(log.length >= info.length);
      const bytes = await bytesOf(log.read(0, log.length));
      assert.equal(bytes.length, log.length);
      const [start, end] = [Math.floor(log.length / 3), log.length - 1];
      assert.deepEqual(await bytesOf(log.read(start, end)), bytes.subarray(start, end));
      assert.equal((await bytesOf(log.read(end, end))).length, 0);
      await log.close();
      return bytes;
    });
    for (const name of ['no-such.log', '../application.json', '..', '', `../${container.id}/${info.name}`])
      await assert.rejects(logs.open(container.id, name), NotFound, name);
    for (const id of ['container_1_0001_01_000099', '..', '']) {
      await assert.rejects(logs.list(id), NotFound, id);
      await assert.rejects(logs.open(id, info.name), NotFound, id);
    }
    for (const { id, containerType } of await master.containers())
      if (containerType === 'APP_MASTER') assert.ok(Array.isArray(await logs.list(id)));
    assert.equal(logs.collectionOf('a line that tells of something else'), undefined);

    if (!master.containerControl) return;
    await master.containerControl.kill(container.id);
    await eventually(timeoutMillis, async () =>
      (await master.containers()).some(({ id, state }) => id === container.id && state === 'KILLED'),
    );
    await withLog(logs, container.id, info.name, async (log) => {
      assert.deepEqual(await bytesOf(log.read(0, whole.length)), whole);
    });
  });
}

async function withLog<T>(
  logs: LogReader,
  containerId: string,
  logName: string,
  use: (log: OpenLog) => Promise<T>,
): Promise<T> {
  const log = await logs.open(containerId, logName);
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

async function bytesOf(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}
