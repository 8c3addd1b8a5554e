import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accepts, directoryOf, freePorts, type Peer, startPeer, type Teardown } from './peer.js';

export const realm = 'EXAMPLE.ORG';

export interface Kdc extends Peer {
  readonly directory: string;
  /** For programs of Kerberos, and of this realm only. */
  readonly krb5Config: string;
  /** Makes a principal, with a password or with a chance key. */
  add(principal: string, password?: string): Promise<void>;
  /** Writes the keys of these principals into a file and returns its path. */
  keytab(name: string, ...principals: readonly string[]): Promise<string>;
  /** Logs in, with a file of tickets of its own, whose path it returns. `options` are of `kinit`. */
  tickets(principal: string, password: string, ...options: readonly string[]): Promise<string>;
  /** `curl --negotiate` with these tickets; what was answered, headers first. */
  curl(tickets: string | undefined, url: string, ...options: readonly string[]): Promise<string>;
}

/** A realm of MIT Kerberos of its own. */
export async function startKdc(t: Teardown): Promise<Kdc> {
  const directory = await directoryOf(t, 'kdc');
  const { port } = await freePorts(['port']);
  const at = (name: string) => join(directory, name);
  const env = { KRB5_CONFIG: at('krb5.conf'), KRB5_KDC_PROFILE: at('kdc.conf'), LC_ALL: 'C' };
  const run = promisify(execFile);
  const program = (command: string, args: readonly string[]) =>
    run(command, [...args], { env: { ...process.env, ...env } });
  await writeFile(at('krb5.conf'), krb5Conf(port));
  await writeFile(at('kdc.conf'), kdcConf(directory, port));
  await program('/usr/sbin/kdb5_util', ['create', '-s', '-r', realm, '-P', 'master']);
  const kadmin = (query: string) => program('/usr/sbin/kadmin.local', ['-r', realm, '-q', query]);
  const peer = await startPeer(t, {
    name: 'krb5kdc',
    command: '/usr/sbin/krb5kdc',
    args: ['-n'],
    cwd: directory,
    env,
    answers: () => accepts(port),
  });
  let files = 0;

  return {
    ...peer,
    directory,
    krb5Config: at('krb5.conf'),
    async add(principal, password) {
      await kadmin(`addprinc ${password === undefined ? '-randkey' : `-pw ${password}`} ${principal}`);
    },
    async keytab(name, ...principals) {
      for (const principal of principals) await kadmin(`ktadd -norandkey -k ${at(name)} ${principal}`);
      return at(name);
    },
    async tickets(principal, password, ...options) {
      const cache = at(`tickets-${files++}`);
      const kinit = program('/usr/bin/kinit', ['-c', cache, ...options, principal]);
      kinit.child.stdin?.end(`${password}\n`);
      await kinit;
      return cache;
    },
    async curl(tickets, url, ...options) {
      const { stdout } = await run('curl', ['-si', '--negotiate', '-u', ':', ...options, url], {
        env: { ...process.env, ...env, KRB5CCNAME: tickets ?? at('no-tickets') },
      });
      return stdout;
    },
  };
}

const krb5Conf = (port: number) => `
[libdefaults]
  default_realm = ${realm}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
[realms]
  ${realm} = {
    kdc = 127.0.0.1:${port}
  }
`;

const kdcConf = (directory: string, port: number) => `
[kdcdefaults]
  kdc_listen = 127.0.0.1:${port}
  kdc_tcp_listen = 127.0.0.1:${port}
[realms]
  ${realm} = {
    database_name = ${directory}/principal
    key_stash_file = ${directory}/stash
    acl_file = ${directory}/kadm5.acl
    max_life = 1h
  }
`;
