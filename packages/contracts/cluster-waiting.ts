import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApplicationReport, ClusterDriver, Master } from 'headgate/driver-kit';

export async function eventually(timeoutMillis: number, holds: () => Promise<boolean>): Promise<void> {
  for (const until = performance.now() + timeoutMillis; performance.now() < until; await delay(50))
    if (await holds()) return;
  assert.fail(`It did not happen within ${timeoutMillis} ms`);
}

export async function reached(
  driver: ClusterDriver,
  id: string,
  state: ApplicationReport['state'],
  timeoutMillis: number,
): Promise<void> {
  await eventually(timeoutMillis, async () => {
    const report = await driver.resourceManager.getApplication(id);
    assert.ok(
      report.state === state || report.finalStatus === 'UNDEFINED',
      `${id} is ${report.state}: ${report.diagnostics}`,
    );
    return report.state === state;
  });
}

/** An application runs as soon as its master does; its operators follow. */
export async function deployed(master: Master, timeoutMillis: number): Promise<void> {
  await eventually(timeoutMillis, async () => {
    const { operators } = await master.physicalPlan();
    return operators.length > 0 && operators.every(({ status }) => status === 'ACTIVE');
  });
}

export async function ended(
  driver: ClusterDriver,
  id: string,
  timeoutMillis: number,
): Promise<ApplicationReport> {
  await eventually(
    timeoutMillis,
    async () => (await driver.resourceManager.getApplication(id)).finalStatus !== 'UNDEFINED',
  );
  return driver.resourceManager.getApplication(id);
}

/** Window ids are text of 64 bits; `0` and below stand for none. */
export const runs = (windowId: string | undefined): boolean => BigInt(windowId ?? 0) > 0n;
