import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeCertificates } from './authority.js';
import { accepts, directoryOf, type Peer, startPeer, type Teardown } from './peer.js';

export interface Samba extends Peer {
  /** Its certificate is for `localhost`. */
  readonly caFile: string;
  /** `samba-tool`, on its data. */
  tool(...args: readonly string[]): Promise<unknown>;
}

export const adminPassword = 'Adm1n-of-the-domain';

/**
 * A domain controller of its own. Its ports are fixed, so it needs a network of its own, and so does who asks it: run it
 * in `unshare --net`, with the loopback up.
 */
export async function startSamba(t: Teardown): Promise<Samba> {
  const directory = await directoryOf(t, 'samba');
  const conf = join(directory, 'dc/etc/smb.conf');
  const run = promisify(execFile);
  const certificates = await makeCertificates(directory);
  const provision = [
    'domain',
    'provision',
    `--targetdir=${join(directory, 'dc')}`,
    '--realm=AD.EXAMPLE.ORG',
    '--domain=ADEX',
    '--server-role=dc',
    '--dns-backend=SAMBA_INTERNAL',
    '--host-name=dc1',
    '--host-ip=127.0.0.1',
    `--adminpass=${adminPassword}`,
    '--option=interfaces=lo',
    '--option=bind interfaces only=yes',
    '--option=server services = ldap, cldap, kdc, rpc, dns, winbindd',
    ...['pid directory', 'lock directory', 'state directory', 'ncalrpc dir', 'winbindd socket directory'].map(
      (name) => `--option=${name} = ${join(directory, 'run')}`,
    ),
    `--option=tls cafile = ${certificates.authority}`,
    `--option=tls certfile = ${certificates.certificate}`,
    `--option=tls keyfile = ${certificates.key}`,
    `--option=log file = ${join(directory, 'samba-%m.log')}`,
  ];
  await mkdir(join(directory, 'run'), { mode: 0o755 });
  await run('samba-tool', provision);
  const peer = await startPeer(t, {
    name: 'samba',
    command: 'samba',
    args: ['--foreground', '--model=single', '--no-process-group', `--configfile=${conf}`],
    cwd: directory,
    answers: async () => (await accepts(389)) && (await accepts(636)),
  });
  return {
    ...peer,
    caFile: certificates.authority,
    tool: (...args) => run('samba-tool', [...args, `--configfile=${conf}`]),
  };
}
