import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../../helpers/processes.js';

/** Where certificates of authorities are, in Debian as in what is made here. */
export const authorities = '/etc/ssl/certs/ca-certificates.crt';

/**
 * A smallest Debian with this Node and its npm, in place of the image that the Dockerfile names: it must not need a registry
 * of images. Resolves its files as an archive.
 */
export async function debianWithNode(folder: string): Promise<string> {
  const system = join(folder, 'debian');
  const packages = '--include=ca-certificates,libstdc++6';
  await run('debootstrap', ['--variant=minbase', packages, 'bookworm', system], { cwd: folder });
  const local = join(system, 'usr/local');
  const npm = (await run('npm', ['root', '--global'], { cwd: folder })).trim();
  await cp(process.execPath, join(local, 'bin/node'));
  await mkdir(join(local, 'lib/node_modules'), { recursive: true });
  await cp(join(npm, 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  // Those that this machine trusts, a proxy's of its own among them.
  await cp(authorities, join(system, authorities));
  const archive = join(folder, 'debian.tar');
  const left = ['./proc/*', './sys/*', './var/cache/apt/archives/*'].map((path) => `--exclude=${path}`);
  await run('tar', ['-C', system, ...left, '-cf', archive, '.'], { cwd: dirname(archive) });
  return archive;
}
