import { createCipheriv } from 'node:crypto';
import type { Client } from '../../../../lib/client.js';
import { configuration, packageOf } from '../../../helpers/packages.js';

// What the child of the crash test does to one package, step by step; and what the package holds after each of them.

export const lanes = 3;
export const nameOf = (lane: number): string => `lane ${lane}`;

/** As large as is needed to be hit while it is on its way. */
const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(400_000));
const stepFile = (step: number) => configuration({ step: String(step) });
const upload = (lane: number, step: number) =>
  packageOf(
    { name: nameOf(lane), version: '1' },
    { 'conf/step.xml': stepFile(step), 'lib/noise.jar': noise.subarray(step % 1000) },
  );

/** Where merges come from. */
export const source = packageOf(
  { name: 'source', version: '1' },
  { 'conf/merged.xml': stepFile(0), 'resources/a.txt': noise.subarray(0, 200_000) },
);

export interface Held {
  /** Step that `conf/step.xml` is of. */
  readonly step: number;
  readonly configs: readonly string[];
}

const kinds = 6;

/** What is there after the step; `undefined`: no package. */
export function heldAfter(step: number): Held | undefined {
  const kind = step % kinds;
  const first = step - kind;
  if (kind === 1 || kind === 5) return { step, configs: ['step.xml'] };
  if (kind === 2) return { step: first + 1, configs: ['extra.xml', 'step.xml'] };
  if (kind === 3) return { step: first + 1, configs: ['extra.xml', 'merged.xml', 'step.xml'] };
  if (kind === 4) return { step, configs: ['extra.xml', 'merged.xml', 'step.xml'] };
  return undefined;
}

export async function doStep(client: Client, owner: string, lane: number, step: number): Promise<void> {
  const params = { owner, name: nameOf(lane), version: '1' };
  const kind = step % kinds;
  if (kind === 1 || kind === 5) await client.uploadPackage({ body: upload(lane, step) });
  if (kind === 2) {
    await client.putPackageConfig({ params: { ...params, configName: 'extra.xml' }, body: stepFile(step) });
  }
  if (kind === 3) {
    await client.mergePackages({
      params: { user: owner, appPackageName: nameOf(lane), appPackageVersion: '1' },
      body: { name: 'source', version: '1' },
    });
  }
  if (kind === 4) await client.uploadPackage({ body: upload(lane, step), query: { merge: 'ours' } });
  if (kind === 0) await client.deletePackage({ params });
}
