import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../lib/client.js';
import type { GatewayOptions, HostLaunch } from '../../lib/index.js';
import { type LocalClusterOptions, localCluster } from '../../packages/engine/index.js';
import { bareRuntime } from './bare-runtime.js';
import { newGateway, type TestGateway } from './gateway.js';
import { people } from './people.js';
import { until } from './waiting.js';

/** A gateway over the real engine, with files of its own that go with it. Callers say who they are: `people.ts`. */
export async function engineGateway(
  t: Parameters<typeof newGateway>[0],
  options: Partial<LocalClusterOptions> = {},
  more: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-engine-'));
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      await rm(directory, { recursive: true });
    });
  return newGateway(
    { teardown },
    {
      cluster: localCluster({ directory, execPath: bareRuntime(directory), ...options }),
      auth: people,
      ...more,
    },
  );
}

/** Random words, counted per window, on a topic of their own. It never ends by itself. */
export const words = (name = 'words', user = 'ada'): HostLaunch => ({
  user,
  name,
  application: {
    displayName: 'Words',
    // Two checkpoints a second, so that nobody waits for one.
    attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, CHECKPOINT_WINDOW_COUNT: 5 },
    operators: [
      {
        name: 'source',
        class: 'headgate.io.RandomGenerator',
        properties: { kind: 'records', tuplesPerSecond: 200, words: ['gate', 'head'] },
        x: 10,
      },
      { name: 'count', class: 'headgate.aggregate.Count', properties: { key: 'word' } },
      { name: 'hub', class: 'headgate.io.HubOutput', properties: { topic: `test.${name}` } },
    ],
    streams: [
      {
        name: 'records',
        source: { operatorName: 'source', portName: 'output' },
        sinks: [{ operatorName: 'count', portName: 'input' }],
      },
      {
        name: 'counts',
        source: { operatorName: 'count', portName: 'output' },
        sinks: [{ operatorName: 'hub', portName: 'input' }],
      },
    ],
  },
});

/** Until the application is in this state. */
export const untilState = (client: Client, appid: string, state: string) =>
  until(
    () => client.getApplication({ params: { appid } }),
    (app) => app.state === state,
  );

/** Until every operator has processed windows. */
export const untilItRuns = (client: Client, appid: string) =>
  until(
    () => client.getPhysicalPlan({ params: { appid } }),
    ({ operators }) =>
      operators.length > 0 &&
      operators.every(({ status, currentWindowId }) => status === 'ACTIVE' && Number(currentWindowId) > 0),
  );
