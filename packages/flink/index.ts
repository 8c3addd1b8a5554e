import type { ClusterDriver } from 'headgate/driver-kit';
import { createDriver } from './driver.js';
import type { FlinkClusterOptions } from './settings/options.js';

export type { TlsOptions } from 'headgate/driver-kit';
export type { FlinkClusterOptions, FlinkLimits } from './settings/options.js';

/**
 * Apache Flink: the jobs of a cluster, through the REST API of its JobManager. Which version it is, and so what it can tell, is
 * asked from it. Throws `TypeError` naming the option that does not fit.
 */
export const flinkCluster = (options: FlinkClusterOptions): ClusterDriver => createDriver(options);
