import type { ClusterDriver } from 'headgate/driver-kit';
import { createDriver } from './driver.js';
import type { LocalClusterOptions } from './settings/options.js';

export type { AddressOption } from './access/addresses.js';
export type { LocalClusterFiles, LocalClusterLimits, LocalClusterOptions } from './settings/options.js';

/**
 * The embedded engine. Runs JSON applications of operators on this machine, each container a child process; survives
 * the host: what was running when it stopped can be restarted from its saved state.
 */
export const localCluster = (options: LocalClusterOptions): ClusterDriver => createDriver(options);
