import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpHandler } from '../../adapters/host/http.js';
import { createPersistentScope } from '../../lib/persistent-scope.js';
import { createRestartableScope } from '../../lib/restartable-scope.js';
import { createMetrics } from '../../lib/runtime/metrics.js';
import { createTeardown } from '../../lib/runtime/teardown.js';
import { filesystemStorage } from '../../packages/level/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';

// The gateway's insides on files, in a process of its own; with the argument `without` nothing is told to the audit log.
// Tells its port by IPC, and its processor time whenever it is asked.

const directory = mkdtempSync(join(tmpdir(), 'headgate-audit-'));
const options = {
  storage: await filesystemStorage({ directory }),
  cluster: emptyCluster(),
  auth: 'none' as const,
};
const ending = createTeardown({ limitMillis: () => 20_000, failed: console.error });
ending.add('the storage', () => options.storage.close());
const rooms = await createPersistentScope(options, ending, createMetrics());
const silent = { ...rooms.services.audit, begin: () => () => undefined, refuse() {} };
const persistent =
  process.argv[2] === 'without' ? { ...rooms, services: { ...rooms.services, audit: silent } } : rooms;
const run = createRestartableScope({
  options,
  persistent,
  teardown: ending.another(),
  start: 1,
  requireOpen() {},
  restart() {},
});
const gateway = {
  ...run,
  owns: () => true,
  operationAt: () => undefined,
  ownsUpgrade: () => false,
  routes: run.table.routes,
  launch: () => Promise.reject(new Error('nothing is launched')),
  rightsChanged() {},
  property: () => undefined,
  close: async () => {},
};
const handle = httpHandler(gateway);
const server = createServer((req, res) => void handle(req, res));

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ micros: user + system });
});
process.on('disconnect', async () => {
  await run.close('goingAway');
  await ending.end();
  rmSync(directory, { recursive: true });
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
