import { createServer } from 'node:http';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { httpHandler } from '../../../../adapters/host/http.js';
import { createGateway, type HostLaunch } from '../../../../lib/index.js';
import { processRuntime } from '../../../../packages/containers/index.js';
import { localCluster } from '../../../../packages/engine/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { listening } from '../../../helpers/listening.js';
import { fixtures } from '../../../helpers/local-cluster.js';

// A host with all that it keeps in one folder: storage, engine, and programs of services. It tells where it is, launches
// what it is sent, and goes on until it is killed or disconnected.

const told = new Set(['service.failed', 'application.record_damaged', 'application.snapshot_damaged']);
const [directory = '', execPath = ''] = process.argv.slice(2);
const gateway = await createGateway({
  storage: await filesystemStorage({ directory: join(directory, 'kept') }),
  cluster: localCluster({
    directory: join(directory, 'engine'),
    execPath,
    operators: [fixtures],
    statsIntervalMillis: 100,
    limits: { recordingPartBytes: 4096 },
  }),
  auth: 'none',
  // Answers that say nothing but that something went wrong: what it was stands in the test's own output.
  logger: {
    debug() {},
    info() {},
    warn() {},
    error: (fields, message) => {
      const isUnknown = 'code' in fields && fields.code === 'INTERNAL';
      const isTold = 'event' in fields && told.has(String(fields.event));
      if (isUnknown || isTold) process.stderr.write(`${message} ${inspect(fields)}\n`);
    },
  },
  containers: processRuntime({ directory: join(directory, 'programs'), execPath }),
  services: {
    limits: { pollMillis: 100, retryFirstMillis: 100, retryMostMillis: 1000, stopGraceMillis: 3000 },
  },
});
const { baseUrl, close } = await listening(createServer(httpHandler(gateway)));

export interface Launched {
  readonly n: number;
  readonly id?: string;
  readonly error?: string;
}

process.on('message', async ({ n, launch }: { n: number; launch: HostLaunch }) => {
  const told = await gateway.launch(launch).then(
    (id): Launched => ({ n, id }),
    (error): Launched => ({ n, error: String(error) }),
  );
  process.send?.(told);
});
process.on('disconnect', async () => {
  await gateway.close();
  await close();
  process.exit();
});
process.send?.({ baseUrl });
