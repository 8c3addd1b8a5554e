import { Readable } from 'node:stream';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { createGateway } from '../../../../lib/index.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';

// Sets two properties at a time, in both files, and tells each number that was acknowledged, until it is killed.

const [directory = '', from = '0'] = process.argv.slice(2);
const gateway = await createGateway({
  storage: memoryStorage(),
  cluster: emptyCluster(),
  auth: 'none',
  site: { directory },
});

for (let i = Number(from) + 1; ; i++) {
  const body = Buffer.from(
    JSON.stringify({
      properties: [
        { name: 'shared', value: i },
        { name: 'own', value: i, local: true },
      ],
    }),
  );
  const answer = await gateway.handle({
    method: 'POST',
    url: '/ws/v2/config/properties',
    headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
    remoteAddress: '127.0.0.1',
    body: Readable.from([body]),
    raw: {},
    signal: new AbortController().signal,
  });
  if (answer?.status !== 200) throw new Error(`answered ${answer?.status}`);
  process.stdout.write(`${i}\n`);
}
