import type { ClusterDriver } from 'headgate/driver-kit';
import { createDriver } from './driver.js';
import type { YarnClusterOptions } from './settings/options.js';

export type { TlsOptions } from 'headgate/driver-kit';
export type { CliOptions } from './commands/cli.js';
export type { YarnClusterOptions, YarnLimits } from './settings/options.js';
export type { Authorize, ClusterRequest } from './wire/authorized.js';

/**
 * Apache Apex on Hadoop YARN: applications of many machines, through the services of the resource manager, the masters,
 * the node managers and the file system. Throws `TypeError` naming the option that does not fit.
 */
export const yarnCluster = (options: YarnClusterOptions): ClusterDriver => createDriver(options);
