import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { JsonApplication, type PhysOperator } from '../../../lib/driver-kit.js';
import type { GatewayOptions } from '../../../lib/index.js';
import { localCluster } from '../../../packages/engine/index.js';
import { createAccessLog } from '../../../packages/server/access-log.js';
import { startDemo } from '../../../packages/server/demo.js';
import { bareRuntime } from '../../helpers/bare-runtime.js';
import { newGateway } from '../../helpers/gateway.js';
import { as, people } from '../../helpers/people.js';
import { root } from '../../helpers/sources.js';
import { noting } from './noting.js';

// The demo application of the bundled server, launched by its code, on the access log that its code writes.

const file = pathToFileURL(join(root, 'packages/server/demo/access-log.json'));

export async function demoServer(t: Parameters<typeof newGateway>[0], options: Partial<GatewayOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-demo-'));
  const logFile = join(directory, 'access.log');
  const log = createAccessLog(logFile);
  const cluster = localCluster({
    directory,
    execPath: bareRuntime(directory),
    files: { read: [directory] },
    statsIntervalMillis: 250,
  });
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      log.close();
      await rm(directory, { recursive: true });
    });
  const { gateway, server, baseUrl, newClient } = await newGateway(
    { teardown },
    { cluster, auth: people, ...options },
  );
  server.prependListener('request', (request, response) => log.follow(request, response));

  await startDemo(gateway, cluster, { file, accessLogFile: logFile });
  const [report] = await cluster.resourceManager.listApplications();
  const appid = report?.id ?? '';
  const answered = new Set<string>();
  const client = noting(newClient(as('admin', 'admin')), answered);

  return {
    client,
    newClient,
    baseUrl,
    appid,
    logFile,
    answered,
    application: JsonApplication.parse(JSON.parse(await readFile(file, 'utf8'))),
    logged: async () => (await readFile(logFile, 'utf8')).split('\n').slice(0, -1),
    /** A reading of the live operators that fits. It costs no request, so the access log stands still meanwhile. */
    heard(id: string, fits: (operators: readonly PhysOperator[]) => boolean | Promise<boolean>) {
      return new Promise<readonly PhysOperator[]>((resolve) => {
        const stop = client.subscribe(`applications.${id}.physicalOperators`, async ({ operators }) => {
          if (!(await fits(operators))) return;
          stop();
          resolve(operators);
        });
      });
    },
  };
}
