import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { fromHost } from '../../../adapters/auth/from-host.js';
import { httpHandler } from '../../../adapters/host/http.js';
import { createClient } from '../../../lib/client.js';
import { licenseFeatures } from '../../../lib/index.js';
import { answerUnreadable } from '../../../packages/server/client-errors.js';
import { untilItRuns } from '../../helpers/applications.js';
import { folderBesideBuilt } from '../../helpers/folder.js';
import { fullGateway, wordsPackage } from '../../helpers/full-gateway.js';
import { day, license } from '../../helpers/licenses.js';
import { listening } from '../../helpers/listening.js';
import { root } from '../../helpers/sources.js';

// Schemathesis makes calls from the OpenAPI document, right ones and wrong ones, and holds the answers against it. What
// it may object to is in `schemathesis.toml`, each with its reason. By default it makes the same calls in each run, however
// busy the machine is; `HEADGATE_SCHEMATHESIS_SECONDS=600` lets it try for ten minutes what comes to its mind.

const seconds = Number(process.env['HEADGATE_SCHEMATHESIS_SECONDS'] ?? 0);
t.setTimeout((seconds + 900) * 1000);
const effort =
  seconds > 0 ? ['--max-time', String(seconds), '--max-examples', '10'] : ['--max-examples', '10'];

const folder = join(root, 'test/stages/schemathesis');
const program = join(root, 'build/python-clients/bin/schemathesis');

t.test('a living gateway keeps to its document', async (t) => {
  // Whatever becomes of users, sessions and tokens on the way, the host says who it is that calls.
  const caller = fromHost((_, { headers }) =>
    typeof headers['x-user'] === 'string' ? { userName: headers['x-user'], roles: ['admin'] } : undefined,
  );
  const { gateway, logs } = await fullGateway(t, { first: [caller] });
  // Of long names it makes addresses that Node refuses by its default of 16 KiB, which is the host's to choose.
  const handle = httpHandler(gateway);
  const server = createServer({ maxHeaderSize: 512 * 1024 }, async (request, response) => {
    if (!(await handle(request, response))) response.writeHead(404).end();
  });
  answerUnreadable(server);
  const { baseUrl, close } = await listening(server);
  t.teardown(close);
  const client = createClient({ baseUrl, headers: { 'x-user': 'admin' } });
  t.teardown(async () => client.close());
  await client.addLicense({
    query: {},
    body: license({
      startDate: Date.now(),
      expireTime: Date.now() + day,
      memoryMBAllowed: 100_000,
      features: [...licenseFeatures],
    }),
  });
  await client.uploadPackage({ body: wordsPackage() });
  const words = { owner: 'admin', name: 'wordy', version: '1.0.0', appName: 'words' };
  const { appId } = await client.launchPackageApplication({ params: words });
  await untilItRuns(client, appId);

  const options = [
    ['--config-file', join(folder, 'schemathesis.toml')],
    ['run', `${baseUrl}/ws/v2/openapi.json`],
    ['--header', 'x-user: admin'],
    ['--phases', 'examples,coverage,fuzzing,stateful'],
    effort,
    ['--seed', '1'],
    ['--request-timeout', '30'],
    ['--suppress-health-check', 'all'],
    ['--warnings', 'off'],
    ['--continue-on-failure', '--no-color', '--no-shrink'],
  ].flat();
  // In a folder that is gone afterwards: what an earlier run found is no part of this one.
  const child = spawn(program, options, {
    cwd: folderBesideBuilt(t, 'schemathesis'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(async () => void child.kill());
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  t.comment(said);
  t.equal(code, 0, 'nothing that has no exception');
  const faults = logs.filter(({ fields }) => fields['status'] === 500);
  t.strictSame(faults, [], 'no fault of the gateway');
});
