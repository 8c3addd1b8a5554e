import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import * as z from 'zod';
import { ownPort } from '../../helpers/ports.js';
import { run } from '../../helpers/processes.js';
import { untilTrue } from '../../helpers/waiting.js';
import { podmanIn } from '../containers/podman.js';
import { authorities, debianWithNode } from './base-image.js';
import { deployment, projectOfServer } from './installed.js';

// docs/deployment.md: the image is built as its Dockerfile says, on a Debian made here, and runs as the compose file says.

const password = 'correct-horse';
const directory = await mkdtemp(join(tmpdir(), 'headgate-image-'));
t.teardown(() => rm(directory, { recursive: true, force: true }));
const { podman } = await podmanIn(directory);
const image = 'localhost/headgate:latest';

const Compose = z.object({
  services: z.object({
    headgate: z.object({
      image: z.literal(image),
      init: z.literal(true),
      read_only: z.literal(true),
      environment: z.record(z.string(), z.string()),
      tmpfs: z.array(z.string()),
      cap_drop: z.array(z.string()),
      security_opt: z.array(z.string()),
    }),
  }),
});

t.test('the Dockerfile builds', async (t) => {
  const base = 'localhost/debian-with-node:1';
  await podman('import', await debianWithNode(directory), base);
  const context = await projectOfServer(join(directory, 'context'));
  for (const name of ['Dockerfile', '.dockerignore']) await cp(join(deployment, name), join(context, name));
  const own = ['--build-arg', `NODE=${base}`, '--env', `NODE_EXTRA_CA_CERTS=${authorities}`];
  const machine = ['--network', 'host', '--isolation', 'chroot'];
  await podman('build', '--format', 'docker', ...own, ...machine, '--tag', image, context);
  t.equal((await podman('inspect', '--format', '{{.Config.User}}', image)).trim(), '990:990');
});

t.test('the compose file is one, and its container lives: healthy, not root, ended in order', async (t) => {
  const words = ['run', '--rm', '--network', 'host', image, '--version'];
  const cannotRun = await podman(...words).then(
    () => undefined,
    (error: { stderr?: string }) => error.stderr?.trim() || 'podman run failed',
  );
  const read = await run('docker-compose', ['--file', join(deployment, 'compose.yaml'), 'config'], {
    cwd: directory,
  });
  const toJson = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))';
  await writeFile(join(directory, 'compose.yaml'), read);
  const asJson = await run('bash', ['-c', `python3 -c '${toJson}' < compose.yaml`], { cwd: directory });
  const { headgate } = Compose.parse(JSON.parse(asJson)).services;
  if (cannotRun !== undefined) return t.comment(`No container can be started on this machine: ${cannotRun}`);

  const port = await ownPort();
  const secret = join(directory, 'admin-password');
  await writeFile(secret, `${password}\n`, { mode: 0o644 });
  const options = [
    ...Object.entries(headgate.environment).map(([name, value]) => `--env=${name}=${value}`),
    ...headgate.tmpfs.map((path) => `--tmpfs=${path}`),
    ...headgate.cap_drop.map((name) => `--cap-drop=${name}`),
    ...headgate.security_opt.map((name) => `--security-opt=${name.replace(/:true$/, '')}`),
    `--volume=${secret}:/run/secrets/admin-password:ro`,
    `--env=HEADGATE_PORT=${port}`,
    '--env=HEADGATE_HOST=127.0.0.1',
  ];
  await podman(
    'run',
    '--detach',
    '--name',
    'headgate',
    '--init',
    '--read-only',
    '--network',
    'host',
    ...options,
    image,
  );
  t.teardown(() => podman('rm', '--force', '--time', '0', 'headgate').catch(() => {}));
  await untilTrue(async () =>
    podman('healthcheck', 'run', 'headgate').then(
      () => true,
      () => false,
    ),
  );
  const login = await fetch(`http://127.0.0.1:${port}/ws/v2/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName: 'admin', password }),
  });
  t.equal(login.status, 200, await login.text());
  t.match(login.headers.getSetCookie()[0], /; Secure/);
  t.match(await podman('exec', 'headgate', 'id'), /^uid=990\(headgate\)/);
  await podman('stop', '--time', '60', 'headgate');
  t.equal((await podman('inspect', '--format', '{{.State.ExitCode}}', 'headgate')).trim(), '0');
  t.match(await podman('logs', 'headgate'), /"event":"http\.request"[\s\S]*Stopping\n[\s\S]*Stopped\n/);
});
