import * as z from 'zod';

export const InstallMode = z
  .object({
    installMode: z.enum(['evaluation', 'community', 'app']),
    appPackageName: z.string().optional(),
    appPackageVersion: z.string().optional(),
  })
  .meta({ id: 'InstallMode' });
export type InstallMode = z.output<typeof InstallMode>;

/** Empty: the driver starts no program of this machine. */
export const ClusterExecutableInput = z.object({ value: z.string() }).meta({ id: 'ClusterExecutable' });
export const ExecutableInput = z.strictObject({
  value: z.string().trim().max(4096),
});

/** Where the gateway can listen; the loopback is among them. */
export const IpAddresses = z.object({ ipAddresses: z.array(z.string()) });
