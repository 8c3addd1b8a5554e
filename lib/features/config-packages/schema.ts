import * as z from 'zod';
import { quantity } from '../../model/quantity.js';

const Segment = z.string().min(1).max(512, { abort: true });

export const ConfigPackageOwner = z.object({ user: Segment });
/** Which configuration package, in a path. */
export const ConfigPackageRef = ConfigPackageOwner.extend({ name: Segment });
export type ConfigPackageRef = z.output<typeof ConfigPackageRef>;

/** Properties for launches: `docs/decisions.md`, Configuration packages. */
export const ConfigPackage = z
  .object({
    user: z.string().describe('who uploaded it'),
    name: z.string(),
    version: z.string().describe('of its manifest, else the begin of its digest'),
    description: z.string().optional(),
    appPackageName: z.string().optional().describe('absent: it is meant for any'),
    appPackageGroupId: z.string().optional(),
    appPackageMinVersion: z.string().optional(),
    appPackageMaxVersion: z.string().optional(),
    classPath: z.array(z.string()),
    files: z.array(z.string()),
    modificationTime: quantity('epoch ms').describe('epoch milliseconds'),
    canWrite: z.boolean(),
  })
  .meta({ id: 'ConfigPackage' });
export type ConfigPackage = z.output<typeof ConfigPackage>;
export const ConfigPackageList = z.object({ configPackages: z.array(ConfigPackage) });

const Values = z.record(z.string(), z.string());
export const ConfigPackageDetail = ConfigPackage.extend({
  properties: Values.describe('property name to value'),
  applicationProperties: z
    .record(z.string(), Values)
    .describe('the same of single applications, by their names'),
}).meta({ id: 'ConfigPackageDetail' });
export type ConfigPackageDetail = z.output<typeof ConfigPackageDetail>;

export const ConfigPackageFilter = z
  .object({
    appPackageName: Segment.exactOptional().describe('only those that are meant for it'),
    appPackageVersion: Segment.exactOptional(),
  })
  .refine(
    ({ appPackageName, appPackageVersion }) =>
      appPackageName !== undefined || appPackageVersion === undefined,
    {
      path: ['appPackageVersion'],
      message: 'needs `appPackageName` besides',
    },
  );
export type ConfigPackageFilter = z.output<typeof ConfigPackageFilter>;
