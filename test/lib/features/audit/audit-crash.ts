import { Readable } from 'node:stream';
import { createGateway } from '../../../../lib/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';

// Changes one thing after the other and tells each that was acknowledged, until it is killed.

const [directory = ''] = process.argv.slice(2);
const gateway = await createGateway({
  storage: await filesystemStorage({ directory }),
  cluster: emptyCluster(),
  auth: 'none',
});
const body = '{"value":1}';

for (let i = 0; i < 100_000; i++) {
  const answer = await gateway.handle({
    method: 'PUT',
    url: `/ws/v2/profile/settings/ada/k${i}`,
    headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
    remoteAddress: '127.0.0.1',
    body: Readable.from([Buffer.from(body)]),
    raw: {},
    signal: new AbortController().signal,
  });
  if (answer?.status === 200) process.send?.(i);
}
