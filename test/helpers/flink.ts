import type { GatewayOptions } from '../../lib/index.js';
import { type FlinkClusterOptions, flinkCluster } from '../../packages/flink/index.js';
import { type FlinkDouble, flinkDouble } from '../doubles/flink/index.js';
import { newGateway, type TestGateway } from './gateway.js';

interface FlinkGateway extends TestGateway {
  readonly double: FlinkDouble;
}

/** A gateway with the driver for Flink, over a JobManager that is a double. Its beats are short. */
export async function flinkGateway(
  t: Parameters<typeof newGateway>[0],
  options: Partial<FlinkClusterOptions> & { readonly managers?: number } = {},
  more: Partial<GatewayOptions> = {},
): Promise<FlinkGateway> {
  const { managers = 1, ...rest } = options;
  const double = await flinkDouble({ managers });
  const cluster = flinkCluster({
    jobManagers: double.jobManagers.map(({ url }) => url),
    pollMillis: 100,
    ...rest,
  });
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      await double.close();
    });
  return { ...(await newGateway({ teardown }, { cluster, ...more })), double };
}
