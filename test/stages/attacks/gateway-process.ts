import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpHandler } from '../../../adapters/host/http.js';
import { createGateway } from '../../../lib/index.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import { emptyCluster } from '../../helpers/empty-cluster.js';
import { listening } from '../../helpers/listening.js';
import { people } from '../../helpers/people.js';

// A gateway in a process of its own, whose memory and time can be measured apart from those of its clients. It tells
// where it listens, and goes with its parent.

const directory = mkdtempSync(join(tmpdir(), 'hg-process-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
process.on('disconnect', () => process.exit());

const silent = () => {};
const gateway = await createGateway({
  storage: await filesystemStorage({ directory }),
  cluster: emptyCluster(),
  auth: people,
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
const handle = httpHandler(gateway);
const { baseUrl } = await listening(
  createServer(async (req, res) => {
    if (!(await handle(req, res))) res.writeHead(404).end();
  }),
);
process.send?.({ baseUrl });
