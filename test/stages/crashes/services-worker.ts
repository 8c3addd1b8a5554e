import { createServer } from 'node:http';
import { join } from 'node:path';
import { httpHandler } from '../../../adapters/host/http.js';
import { createGateway } from '../../../lib/index.js';
import { processRuntime } from '../../../packages/containers/index.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import { emptyCluster } from '../../helpers/empty-cluster.js';
import { listening } from '../../helpers/listening.js';

// A host whose services are processes of this machine. It tells where it is, and goes on until it is killed.

const [directory = ''] = process.argv.slice(2);
const gateway = await createGateway({
  storage: await filesystemStorage({ directory: join(directory, 'kept') }),
  cluster: emptyCluster(),
  auth: 'none',
  containers: processRuntime({ directory: join(directory, 'programs') }),
  services: {
    limits: { pollMillis: 100, retryFirstMillis: 200, retryMostMillis: 1000, stopGraceMillis: 3000 },
  },
});
const { baseUrl } = await listening(createServer(httpHandler(gateway)));
process.send?.(baseUrl);
