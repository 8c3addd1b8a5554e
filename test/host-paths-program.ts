import { createServer } from 'node:http';
import { httpHandler } from '../adapters/host/http.js';
import { createClient } from '../lib/client.js';
import { createGateway } from '../lib/index.js';
import { processRuntime } from '../packages/containers/index.js';
import { localCluster } from '../packages/engine/index.js';
import { filesystemStorage } from '../packages/level/index.js';
import { listening } from './helpers/listening.js';
import { until } from './helpers/waiting.js';

// A host that gives relative paths and then works in another directory. It prints what came of it.

const [elsewhere = '', lines = '', out = ''] = process.argv.slice(2);
const gateway = await createGateway({
  storage: await filesystemStorage({ directory: 'data/storage' }),
  cluster: localCluster({
    directory: 'data/engine',
    packageCode: true,
    files: { read: ['in'], write: ['out'] },
  }),
  auth: 'none',
  site: { directory: 'data/conf', userFile: 'user-site.xml' },
  packages: { importDirectory: 'import' },
  containers: processRuntime({ directory: 'data/services' }),
  services: { stopOnClose: true },
});
process.chdir(elsewhere);
const { baseUrl, close } = await listening(createServer(httpHandler(gateway)));
const client = createClient({ baseUrl });

await client.putProperty({ params: { PROPERTY_NAME: 'made.here' }, body: { value: 'yes' } });
await client.importPackages({ body: { files: ['copy.apa'] } });
const [found] = (await client.listPackages()).appPackages;
const params = { owner: found?.owner ?? '', name: 'copy', version: '1.0.0' };
const { operatorClasses } = await client.listPackageOperators({ params });
const { appId } = await client.launchPackageApplication({
  params: { ...params, appName: 'copy' },
  body: {
    'platform.operator.lines.prop.path': lines,
    'platform.operator.files.prop.directory': out,
  },
});
const app = await until(
  () => client.getApplication({ params: { appid: appId } }),
  ({ finalStatus }) => finalStatus !== 'UNDEFINED',
);
await client.putService({
  params: { name: 'pulse' },
  body: { type: 'container', container: { run: 'sh -c "while true; do sleep 1; done"' } },
});
const service = await until(
  () => client.getService({ params: { name: 'pulse' } }),
  ({ state }) => state === 'RUNNING' || state === 'FAILED',
);
process.stdout.write(
  JSON.stringify({
    own: operatorClasses.map(({ name }) => name).filter((name) => name.startsWith('paths.')),
    user: gateway.property('from.user'),
    finalStatus: app.finalStatus,
    diagnostics: app.diagnostics,
    service: service.state,
  }),
);
client.close();
await gateway.close();
await close();
