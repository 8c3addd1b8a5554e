import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createClient } from '../../../lib/client.js';
import { alertInput, isActive } from '../../helpers/alerts.js';
import { run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { packInto } from '../../helpers/tarballs.js';
import { eventually, until } from '../../helpers/waiting.js';

// The desktop example as one executable: alone in an empty folder, with nothing of Node or of npm beside it.

const scratch = mkdtempSync(join(tmpdir(), 'headgate-single-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
t.setTimeout(300_000);

t.test('one file runs the app, its containers and its conditions', async (t) => {
  const example = join(scratch, 'examples/desktop');
  cpSync(join(root, 'examples/desktop'), example, {
    recursive: true,
    filter: (path) => !/node_modules|\/single$/.test(path),
  });
  cpSync(join(root, '.npmrc'), join(example, '.npmrc'));
  await packInto(scratch);
  await run('npm', ['install', '--loglevel=error'], { cwd: example });
  const [step] = snippetsOf(join(example, 'README.md')).filter(({ attributes }) => 'single' in attributes);
  await run('bash', ['-ec', step?.text ?? 'exit 1'], { cwd: example });

  const folder = join(scratch, 'alone');
  mkdirSync(folder);
  cpSync(join(example, 'single/memory'), join(folder, 'memory'));
  rmSync(example, { recursive: true });
  const window = join(folder, 'window.sh');
  writeFileSync(window, '#!/bin/sh\necho "$1" > "$0.new"\nmv "$0.new" "$0.told"\nexec sleep 1000\n');
  chmodSync(window, 0o755);
  const app = start(join(folder, 'memory'), [], {
    cwd: folder,
    env: { DATA: join(folder, 'data'), BROWSER: window, PATH: '/usr/bin:/bin' },
  });
  t.teardown(() => app.stop('SIGKILL'));
  await app.printed(/the window is open/);
  const told = await eventually(() =>
    existsSync(`${window}.told`) ? readFileSync(`${window}.told`, 'utf8').trim() : undefined,
  );
  const url = told.replace('--app=', '');
  const entered = await fetch(url, { redirect: 'manual' });
  const cookie = entered.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  t.match(await (await fetch(new URL('/', url), { headers: { cookie } })).text(), /<h1>Memory<\/h1>/);

  const client = createClient({ baseUrl: new URL(url).origin, headers: { cookie } });
  t.teardown(() => client.close());
  const reading = await new Promise((resolve) => {
    client.subscribe('desktop.memory', resolve);
  });
  t.match(reading, { usedMB: Number, totalMB: Number });
  const alert = { params: { name: 'running' } };
  await client.putAlert({ ...alert, body: alertInput('_topic["cluster.metrics"].numAppsRunning > 0') });
  await until(() => client.getAlert(alert), isActive);
  t.equal(await app.stop('SIGTERM'), 0, app.output());
  t.match(app.output(), /everything has stopped/);
});
