import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { clusterContract } from '../../../packages/contracts/index.js';
import { localCluster } from '../../../packages/engine/index.js';
import { bareRuntime } from '../../helpers/bare-runtime.js';
import { fixtures, op, silentContext, stream } from '../../helpers/local-cluster.js';

const directories: string[] = [];
t.teardown(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

await clusterContract(t, {
  create: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hg-test-'));
    directories.push(directory);
    return localCluster({
      directory,
      operators: [fixtures],
      execPath: bareRuntime(directory),
      statsIntervalMillis: 200,
    });
  },
  context: async () => silentContext([]),
  request: {
    user: 'ann',
    name: 'contract',
    application: {
      attributes: {
        STREAMING_WINDOW_SIZE_MILLIS: 100,
        CHECKPOINT_WINDOW_COUNT: 3,
        HEARTBEAT_INTERVAL_MILLIS: 200,
      },
      operators: [op('source', 'Sequence', { total: -1, perSecond: 1000 }), op('totals', 'Totals')],
      streams: [stream('source.out -> totals.in')],
    },
  },
  property: { operatorName: 'totals', name: 'slowMillis', value: 0.5, refused: 'slowly' },
  unknownId: 'application_1_0001',
});
