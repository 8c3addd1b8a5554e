import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { limitMillis } from '../../helpers/waiting.js';

const run = promisify(execFile);

/** Podman's service over a store of its own. */
export interface Podman {
  readonly directory: string;
  readonly socket: string;
  /** An archive of the image `localhost/headgate-loadable:1`, which is not in the store. */
  readonly archive: string;
  /** Why containers can't be started here. */
  readonly cannotRun: string | undefined;
  /** Of Podman's command line, over the same store. */
  podman(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** A small image of one program, made without a registry. */
export const image = 'localhost/headgate-busybox:1';
export const loadable = 'localhost/headgate-loadable:1';

const configuration = `[containers]
default_ulimits=["nofile=1024:1024","nproc=1024:1024"]
[engine]
runtime="runc"
cgroup_manager="cgroupfs"
events_logger="file"
[network]
network_backend="netavark"
`;

interface PodmanStore {
  podman(...args: string[]): Promise<string>;
  readonly env: NodeJS.ProcessEnv;
  /** What names the store on the command line. */
  readonly store: readonly string[];
}

/** Podman's command line over a store in this folder, with what it needs in a container or a virtual machine. */
export async function podmanIn(directory: string): Promise<PodmanStore> {
  const conf = join(directory, 'containers.conf');
  await writeFile(conf, configuration);
  const env = { ...process.env, CONTAINERS_CONF: conf };
  const store = [
    '--root',
    join(directory, 's'),
    '--runroot',
    join(directory, 'r'),
    '--storage-driver',
    'vfs',
  ];
  return {
    env,
    store,
    podman: async (...args) => (await run('podman', [...store, ...args], { env, cwd: directory })).stdout,
  };
}

export async function startPodman(): Promise<Podman> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-podman-'));
  const { podman, env, store } = await podmanIn(directory);
  const archive = await makeImages(directory, podman);
  const socket = join(directory, 'podman.sock');
  const service = spawn('podman', [...store, 'system', 'service', '--time=0', `unix://${socket}`], {
    env,
    // A container that used too much memory leaves a file where the service works.
    cwd: directory,
    stdio: 'ignore',
  });
  const ended = once(service, 'exit');
  const close = async () => {
    await podman('rm', '--all', '--force', '--time', '0').catch(() => {});
    service.kill('SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await untilItListens(socket);
    const cannotRun = await podman('run', '--rm', '--network', 'host', image, 'true').then(
      () => undefined,
      (error: { stderr?: string }) => error.stderr?.trim() || 'podman run failed',
    );
    return { directory, socket, archive, cannotRun, podman, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeImages(
  directory: string,
  podman: (...args: string[]) => Promise<string>,
): Promise<string> {
  const bin = join(directory, 'rootfs/bin');
  await mkdir(bin, { recursive: true });
  await mkdir(join(directory, 'rootfs/tmp'));
  await cp('/usr/bin/busybox', join(bin, 'busybox'));
  for (const name of ['sh', 'sleep', 'true', 'false', 'httpd', 'echo', 'cat', 'head', 'tr', 'test'])
    await symlink('busybox', join(bin, name));
  const layer = join(directory, 'layer.tar');
  await run('tar', ['-C', join(directory, 'rootfs'), '-cf', layer, '.']);
  await podman('import', layer, image);
  const archive = join(directory, 'loadable.tar');
  await podman('tag', image, loadable);
  await podman('save', '--output', archive, loadable);
  await podman('untag', loadable, loadable);
  return archive;
}

async function untilItListens(socket: string): Promise<void> {
  const deadline = performance.now() + limitMillis;
  for (;;) {
    const connection = connect(socket);
    const isOpen = await once(connection, 'connect').then(
      () => true,
      () => false,
    );
    connection.destroy();
    if (isOpen) return;
    if (performance.now() > deadline) throw new Error('The service of Podman did not start');
    await delay(100);
  }
}
