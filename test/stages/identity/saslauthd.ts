import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accepts, directoryOf, type Peer, startPeer, type Teardown } from './peer.js';

export interface PamPeer extends Peer {
  readonly socket: string;
  readonly serviceName: string;
  readonly user: { readonly userName: string; readonly password: string; readonly group: string };
}

/**
 * saslauthd of its own, with a PAM service and a user of the system that are there as long as the test. Needs to be root:
 * so much of the system is not for others to change.
 */
export async function startPam(t: Teardown): Promise<PamPeer> {
  const directory = await directoryOf(t, 'pam');
  const run = promisify(execFile);
  const name = `hg${randomBytes(4).toString('hex')}`;
  const password = `${randomBytes(9).toString('base64')} "\\é`;
  const service = join('/etc/pam.d', name);
  t.teardown(() => rm(service, { force: true }));
  await writeFile(service, 'auth required pam_unix.so nodelay\naccount required pam_unix.so\n');
  const group = `${name}-ops`;
  t.teardown(() => run('groupdel', [group]).catch(() => undefined));
  await run('groupadd', [group]);
  t.teardown(() => run('userdel', [name]).catch(() => undefined));
  await run('useradd', ['--no-create-home', '--shell', '/bin/false', '--groups', group, name]);
  const chpasswd = run('chpasswd', []);
  chpasswd.child.stdin?.end(`${name}:${password}\n`);
  await chpasswd;

  const socket = join(directory, 'mux');
  const peer = await startPeer(t, {
    name: 'saslauthd',
    // At its end it ends its whole group of processes, which would be ours.
    command: 'setsid',
    args: ['/usr/sbin/saslauthd', '-d', '-a', 'pam', '-m', directory, '-n', '2'],
    cwd: directory,
    answers: () => accepts(socket),
  });
  return { ...peer, socket, serviceName: name, user: { userName: name, password, group } };
}
