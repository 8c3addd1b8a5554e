import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { testFolder } from './helpers/folder.js';
import { start } from './helpers/processes.js';

// What a guest in a process must not do, in a process of its own: the test runner's handles are not ours.

const Report = z.object({
  pids: z.array(z.number()),
  during: z.number(),
  left: z.array(z.string()),
  changed: z.array(z.string()),
  failures: z.record(z.string(), z.string()),
  compared: z.number(),
});

t.test('fifty gateways in one process leave it as it was', async (t) => {
  const directory = testFolder(t);
  // Where the engine's sockets go.
  const temporary = join('/tmp', `hg-guest-${process.pid}`);
  mkdirSync(temporary);
  t.teardown(() => rmSync(temporary, { recursive: true }));
  const program = new URL('./fixtures/guest.js', import.meta.url).pathname;
  const host = start(process.execPath, [program, directory], {
    cwd: directory,
    env: { TMPDIR: temporary, NODE_OPTIONS: '' },
  });
  t.teardown(() => host.stop('SIGKILL'));

  t.equal(await host.exited, 0, 'it ends by itself');
  t.equal(host.output(), '', 'nothing is printed');
  const report = Report.parse(JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')));
  t.ok(report.during > 50 && report.compared > 1500, 'there was something to see');
  t.strictSame(report.left, [], 'no handle is left');
  // zod keeps its own configuration there; Node makes the flags when they are first asked for.
  const changed = report.changed.filter((name) => !/__zod_global|allowedNodeEnvironmentFlags/.test(name));
  t.strictSame(changed, [], 'the process, its globals and their prototypes are as before');
  t.strictSame(readdirSync(temporary), [], 'no temporary file is left');
  t.ok(report.pids.length >= 2);
  for (const pid of report.pids) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, 'no child is left');
  t.matchOnly(report.failures, {
    'storage in use': /in use/,
    'engine in use': /in use by another engine of this process \[cluster, storage\]$/,
    'engine damaged': /engine\.json is damaged.*delete it.* \[cluster, storage\]$/,
    'cluster rejects': 'Error: No such cluster [cluster, storage]',
    'storage rejects': 'Error: The disk is gone [cluster, storage]',
    'closing fails too': 'Error: The disk is gone [cluster, storage]',
    'authenticator in use': /in use by another gateway.* \[cluster, storage\]$/,
    'owner of the authenticator': '200',
  });
});
