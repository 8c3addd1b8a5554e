// Logins at real peers on each Node version of test/matrix that is installed there (npm run test:matrix installs them).
// The domain controller is left out: it takes most of the time, and its client is that of the plain directory.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = ['22', '24', '26'];
const files = ['ldap', 'kerberos', 'pam'];
const patience = 120_000;

/** Resolves whether it passed. What it says is printed in one piece: several run at once. */
const run = (node, file) =>
  new Promise((resolve) => {
    const child = spawn(node, [join(root, `build/test/stages/identity/${file}.test.js`)], {
      timeout: patience,
      env: { ...process.env, TAP_TIMEOUT: String(patience / 1000) },
    });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      resolve(code === 0);
    });
  });

const failed = [];
for (const version of versions) {
  const node = join(root, `test/matrix/node_modules/node${version}/bin/node`);
  if (!existsSync(node)) {
    console.log(`Node ${version} is not installed: npm run test:matrix installs it`);
    continue;
  }
  console.log(`\n=== Node ${version}: ${files.join(', ')}`);
  const passed = await Promise.all(files.map((file) => run(node, file)));
  failed.push(...files.filter((_, at) => !passed[at]).map((file) => `${file} on Node ${version}`));
}
if (failed.length > 0) {
  console.error(`Logins fail: ${failed.join(', ')}`);
  process.exitCode = 1;
}
