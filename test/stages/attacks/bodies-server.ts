import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configuredAuth } from '../../../adapters/auth/configured.js';
import { firstOf } from '../../../adapters/auth/first-of.js';
import { apiTokens } from '../../../adapters/auth/tokens.js';
import { openWatch } from '../../../bench/loop/watch.js';
import { type ContainerReport, type ContainerRuntime, licenseFeatures } from '../../../lib/index.js';
import { directorySchemes } from '../../../packages/directory/index.js';
import { localCluster } from '../../../packages/engine/index.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import { untilItRuns, words } from '../../helpers/applications.js';
import { bareRuntime } from '../../helpers/bare-runtime.js';
import { day, license, vendor } from '../../helpers/licenses.js';
import { listening } from '../../helpers/listening.js';
import { packageOf } from '../../helpers/packages.js';
import { people } from '../../helpers/people.js';
import { containers, place } from '../../helpers/rights/place.js';
import { until } from '../../helpers/waiting.js';
import { importable, longPassword, longRole, openMap } from './legal-bodies.js';

// A living gateway with one of everything, in a process of its own: a running application on the embedded engine, one that
// has ended, services, users who log in, packages to import and to merge. Tells by IPC where they are; between `start` and
// `stop` it watches its event loop and tells the longest stop.

const watch = openWatch();
const closing: (() => Promise<void>)[] = [];
process.on('message', async (message) => {
  process.send?.(message === 'start' ? watch.start() : await watch.stop());
});
process.on('disconnect', async () => {
  for (const close of closing.reverse()) await close();
  process.exit();
});

const directory = await mkdtemp(join(tmpdir(), 'headgate-bodies-'));
closing.push(() => rm(directory, { recursive: true, force: true }));
const service = await listening(createServer((req, res) => req.resume().on('end', () => res.end('{}'))));

const importDirectory = join(directory, 'import');
await mkdir(importDirectory);
await writeFile(join(importDirectory, 'one.apa'), packageOf({ name: 'imported' }));
for (const file of importable) await symlink('one.apa', join(importDirectory, file));

/** Whatever is installed runs at once. */
const reports = new Map<string, ContainerReport>();
const running: ContainerRuntime = {
  ...containers,
  info: async () => ({ version: '20.10.24' }),
  install: async () => {},
  async start({ name, revision }) {
    const report = { id: name, name, revision, state: 'running', startedTime: Date.now() } as const;
    reports.set(name, report);
    return report;
  },
  stop: async (name) => void reports.delete(name),
  remove: async (name) => void reports.delete(name),
  list: async () => [...reports.values()],
};

const licensed = {
  startDate: Date.now(),
  expireTime: Date.now() + day,
  memoryMBAllowed: 100_000,
};
const text = 't'.repeat(1000);
const largeLicense = license({
  ...licensed,
  issuedTo: text,
  issuedBy: text,
  issuerWebsite: text,
  supportedBy: text,
  supportURL: text,
  licenseType: text,
  category: text,
  features: [
    ...licenseFeatures,
    ...Array.from({ length: 100 - licenseFeatures.length }, (_, i) => `${i}`.padEnd(128, 'F')),
  ],
});

const { gateway, baseUrl, ada, root } = await place(
  { teardown: (close) => closing.push(close) },
  {
    auth: firstOf(
      people,
      configuredAuth({ schemes: directorySchemes() }),
      apiTokens({ identityOf: (userName) => ({ userName, roles: ['admin'] }) }),
    ),
    cluster: {
      ...localCluster({ directory, execPath: bareRuntime(directory) }),
      executable: { path: () => '/bin/true', probe: { arguments: [], environment: {} } },
    },
    containers: running,
    storage: await filesystemStorage({ directory: join(directory, 'kept') }),
    licensing: { publicKeys: [vendor.publicKey.export({ type: 'spki', format: 'pem' }).toString()] },
    packages: { importDirectory },
  },
  (root) =>
    root.addLicense({
      query: {},
      body: license({ ...licensed, features: [...licenseFeatures] }),
    }),
);
await root.putRole({ params: { role: longRole }, body: { permissions: [] } });
await root.createUser({
  params: { user: 'visitor' },
  body: { password: longPassword, roles: ['developer'] },
});
const application = openMap(words().application);
await ada.uploadPackage({
  body: packageOf({ name: 'plain' }, { 'app/readings.json': JSON.stringify(application) }),
});
const appid = await gateway.launch({ ...words(), application });
const endedAppid = await gateway.launch({ ...words('ended'), application });
await untilItRuns(ada, appid);
await ada.killApplication({ params: { appid: endedAppid } });
const { operators } = await ada.getPhysicalPlan({ params: { appid } });
const operatorIds = Object.fromEntries(operators.map(({ logicalName, id }) => [logicalName, id]));
const container = { type: 'container', container: { run: 'x' } } as const;
await root.putService({
  params: { name: 'web' },
  body: { ...container, proxy: { address: service.baseUrl.slice(7) } },
});
await until(
  async () => (await root.getService({ params: { name: 'web' } })).state,
  (state) => state === 'RUNNING',
);
await root.putService({ params: { name: 'still' }, body: { ...container, enabled: false } });
await until(
  async () => (await root.getService({ params: { name: 'still' } })).state,
  (state) => state === 'STOPPED',
);
process.send?.({ baseUrl, appid, endedAppid, operatorIds, license: largeLicense });
