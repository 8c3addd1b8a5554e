import { join } from 'node:path';
import { localCluster } from '@headgate/engine';
import { filesystemStorage } from '@headgate/level';
import { createGateway } from 'headgate';
import { fromHost } from 'headgate/auth/from-host';
import { rules } from './people.js';

/** `whoIs`: the person behind a request, as the product's own session knows it. */
export async function openGateway(whoIs) {
  const data = process.env.DATA ?? 'data';
  const gateway = await createGateway({
    storage: await filesystemStorage({ directory: join(data, 'storage') }),
    cluster: localCluster({ directory: join(data, 'engine') }),
    auth: fromHost(whoIs),
    authorize: rules,
  });
  await gateway.launch({ user: 'ada', name: 'heartbeat', application: heartbeat });
  return gateway;
}

/** Random numbers and how many there are, so that there is something to see. */
const heartbeat = {
  operators: [
    { name: 'numbers', class: 'headgate.io.RandomGenerator', properties: { tuplesPerSecond: 10 } },
    { name: 'count', class: 'headgate.aggregate.Count' },
    { name: 'console', class: 'headgate.io.ConsoleOutput' },
  ],
  streams: [
    {
      source: { operatorName: 'numbers', portName: 'output' },
      sinks: [{ operatorName: 'count', portName: 'input' }],
    },
    {
      source: { operatorName: 'count', portName: 'output' },
      sinks: [{ operatorName: 'console', portName: 'input' }],
    },
  ],
};
