import type { GatewayOptions } from '../../lib/index.js';
import { type YarnClusterOptions, yarnCluster } from '../../packages/yarn/index.js';
import type { DoubleLaunch } from '../doubles/yarn/application.js';
import { type CliFault, type YarnDouble, yarnDouble } from '../doubles/yarn/index.js';
import { newGateway, type TestGateway } from './gateway.js';

export interface YarnGateway extends TestGateway {
  readonly double: YarnDouble;
}

/** A gateway with the driver for YARN, over a cluster that is a double. */
export async function yarnGateway(
  t: Parameters<typeof newGateway>[0],
  options: Partial<YarnClusterOptions> & {
    readonly managers?: number;
    readonly cliFault?: CliFault;
  } = {},
  more: Partial<GatewayOptions> = {},
): Promise<YarnGateway> {
  const { managers = 1, cliFault, ...rest } = options;
  const double = await yarnDouble({ managers });
  const cluster = yarnCluster({
    resourceManager: double.managers.map(({ url }) => url),
    files: double.files.nameNode.url,
    cli: double.cli(cliFault),
    ...rest,
  });
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      await double.close();
    });
  return { ...(await newGateway({ teardown }, { cluster, ...more })), double };
}

/** Two operators and a stream. */
export const pipeline = (change: Partial<DoubleLaunch> = {}): DoubleLaunch => ({
  name: 'numbers',
  application: {
    operators: [
      { name: 'rand', class: 'com.example.Random', properties: { tuplesBlast: 10 } },
      { name: 'console', class: 'com.example.Console' },
    ],
    streams: [
      {
        name: 'numbers',
        source: { operatorName: 'rand', portName: 'out' },
        sinks: [{ operatorName: 'console', portName: 'in' }],
      },
    ],
  },
  ...change,
});
