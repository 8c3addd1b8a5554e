import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { fromHost } from '../../../adapters/auth/from-host.js';
import { createClient } from '../../../lib/client.js';
import { licenseFeatures } from '../../../lib/index.js';
import { answerUnreadable } from '../../../packages/server/client-errors.js';
import { untilItRuns } from '../../helpers/applications.js';
import { fullGateway, wordsPackage } from '../../helpers/full-gateway.js';
import { day, license } from '../../helpers/licenses.js';
import { root } from '../../helpers/sources.js';

// Schemathesis makes calls from the OpenAPI document, right ones and wrong ones, and holds the answers against it. What
// it may object to is in `schemathesis.toml`, each with its reason. `HEADGATE_SCHEMATHESIS_SECONDS=600` runs it for
// ten minutes, where by default it ends after two and a half.

const seconds = Number(process.env['HEADGATE_SCHEMATHESIS_SECONDS'] ?? 150);
t.setTimeout((seconds + 400) * 1000);

const folder = join(root, 'test/stages/schemathesis');
const program = join(root, 'build/python-clients/bin/schemathesis');

t.test('a living gateway keeps to its document', async (t) => {
  // Whatever becomes of users, sessions and tokens on the way, the host says who it is that calls.
  const caller = fromHost((_, { headers }) =>
    typeof headers['x-user'] === 'string' ? { userName: headers['x-user'], roles: ['admin'] } : undefined,
  );
  const { baseUrl, server, logs } = await fullGateway(t, { first: [caller] });
  answerUnreadable(server);
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
    ['--max-time', String(seconds)],
    ['--max-examples', '10'],
    ['--seed', '1'],
    ['--request-timeout', '30'],
    ['--suppress-health-check', 'all'],
    ['--warnings', 'off'],
    ['--continue-on-failure', '--no-color', '--no-shrink'],
  ].flat();
  const child = spawn(program, options, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(async () => void child.kill());
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  t.comment(said);
  t.equal(code, 0, 'nothing that has no exception');
  const faults = logs.filter(({ fields }) => fields['status'] === 500);
  t.strictSame(faults, [], 'no fault of the gateway');
});
