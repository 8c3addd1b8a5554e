import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStorage } from '../../adapters/storage/memory.js';
import type { ClusterDriver } from '../../lib/driver-kit.js';
import { localCluster } from '../../packages/engine/index.js';

/** The embedded engine without a gateway, with the operators of benches unless told otherwise; what it keeps is gone afterwards. */
export async function withEngine<T>(
  work: (driver: ClusterDriver, directory: string) => Promise<T>,
  operators: readonly URL[] = [new URL('../engine-operators.js', import.meta.url)],
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'hg-bench-'));
  const driver = localCluster({ directory, operators });
  const silent = () => {};
  await driver.open({
    storage: memoryStorage(),
    logger: { debug: silent, info: silent, warn: silent, error: console.error },
    clock: { now: Date.now, monotonic: () => performance.now() },
    publish: () => true,
    subscribe: () => silent,
    subscribeFor: () => silent,
  });
  try {
    return await work(driver, directory);
  } finally {
    await driver.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
