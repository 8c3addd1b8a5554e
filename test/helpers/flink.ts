import type { GatewayOptions } from '../../lib/index.js';
import { type FlinkClusterOptions, flinkCluster } from '../../packages/flink/index.js';
import { type FlinkDouble, flinkDouble } from '../doubles/flink/index.js';
import { sqlGatewayDouble } from '../doubles/flink/sql-gateway.js';
import { newGateway, type TestGateway } from './gateway.js';

export interface FlinkGateway extends TestGateway {
  readonly double: FlinkDouble;
}

interface FlinkGatewayOptions extends Partial<FlinkClusterOptions> {
  /** Default: 1. */
  readonly managers?: number;
  /** There is a SQL gateway, which is a double too. */
  readonly withSql?: boolean;
}

/** A gateway with the driver for Flink, over a JobManager that is a double. Its beats are short. */
export async function flinkGateway(
  t: Parameters<typeof newGateway>[0],
  options: FlinkGatewayOptions = {},
  more: Partial<GatewayOptions> = {},
): Promise<FlinkGateway> {
  const { managers = 1, withSql = false, ...rest } = options;
  const double = await flinkDouble({ managers });
  const sql = withSql ? await sqlGatewayDouble(double) : undefined;
  const cluster = flinkCluster({
    jobManagers: double.jobManagers.map(({ url }) => url),
    ...(sql ? { sqlGateway: sql.url } : {}),
    pollMillis: 100,
    ...rest,
  });
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      await sql?.stop();
      await double.close();
    });
  return { ...(await newGateway({ teardown }, { cluster, ...more })), double };
}
