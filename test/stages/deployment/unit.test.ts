import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { testFolder } from '../../helpers/folder.js';
import { ownPort } from '../../helpers/ports.js';
import { run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { fileOf, projectOfServer } from './installed.js';

// docs/deployment.md: its files are those of examples/deployment, and the unit is one that systemd takes and whose lines work.

t.test('the page shows the files as they are', async (t) => {
  const shown = snippetsOf(join(root, 'docs/deployment.md')).filter(({ attributes }) => 'file' in attributes);
  const names = ['Dockerfile', 'compose.yaml', 'headgate.service', 'Caddyfile'];
  t.strictSame(
    shown.map(({ attributes }) => attributes['file']),
    names,
  );
  for (const { attributes, text } of shown) {
    const name = attributes['file'] ?? '';
    t.equal(text, fileOf(name), name);
  }
});

t.test('systemd finds no fault in the unit', async (t) => {
  const folder = testFolder(t);
  const unit = join(folder, 'headgate.service');
  // Where Node is on this machine: systemd looks whether it is there.
  writeFileSync(unit, fileOf('headgate.service').replace('/usr/bin/node', process.execPath));
  t.equal(await run('systemd-analyze', ['verify', '--man=no', unit], { cwd: folder }), '');
});

t.test('what the unit starts serves, and ends in order', async (t) => {
  const folder = testFolder(t);
  const installed = await projectOfServer(join(folder, 'opt'));
  await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: installed });
  const [snippet] = snippetsOf(join(root, 'docs/deployment.md')).filter(
    ({ attributes }) => 'install' in attributes,
  );
  t.match(snippet?.text, /^npm install @headgate\/server\nnpx headgate serve /);

  const state = join(folder, 'state');
  const credentials = join(folder, 'credentials');
  for (const path of [state, credentials]) mkdirSync(path);
  writeFileSync(join(credentials, 'admin-password'), 'correct-horse\n');
  const inPlace = (text: string) =>
    text
      .replaceAll('/opt/headgate', installed)
      .replaceAll('/var/lib/headgate', state)
      .replaceAll('%d', credentials)
      .replace('/usr/bin/node', process.execPath);
  const lines = inPlace(fileOf('headgate.service'));
  const port = String(await ownPort());
  const env = Object.fromEntries(
    [...lines.matchAll(/^Environment=([^=]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const [, command = '', ...args] = /^ExecStart=(\S+) (\S+)$/m.exec(lines) ?? [];
  const server = start(command, args, { cwd: state, env: { ...env, HEADGATE_PORT: port } });
  t.teardown(() => server.stop('SIGKILL'));
  await server.printed(/Headgate listening on/);
  const asked = await fetch(`http://127.0.0.1:${port}/ws/v2/applications`, {
    headers: { authorization: `Basic ${btoa('admin:correct-horse')}` },
  });
  t.strictSame([asked.status, await asked.text()], [200, '{"apps":[]}']);
  t.equal(await server.stop('SIGTERM'), 0);
  t.match(server.output(), /"event":"http\.request"/, 'the log is for the journal');

  const byCore = (...words: string[]) =>
    start(join(installed, 'node_modules/.bin/headgate'), ['serve', ...words], {
      cwd: installed,
      env: { HEADGATE_DATA: state },
    });
  const asServed = byCore('--port', port);
  t.teardown(() => asServed.stop('SIGKILL'));
  await asServed.printed(/Headgate listening on/);
  t.equal((await fetch(`http://127.0.0.1:${port}/ws/v2/health`)).status, 200);
  t.equal(await asServed.stop('SIGTERM'), 0);
  const wrong = byCore('--port', '99999');
  t.equal(await wrong.exited, 2);
  t.match(wrong.output(), '--port 99999 is no port; write a number from 0 to 65535');
});
