import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import PostalMime, { type Email } from 'postal-mime';
import { type Certificates, makeCertificates } from '../identity/authority.js';
import { accepts, directoryOf, freePorts, startPeer, type Teardown } from '../identity/peer.js';

const run = promisify(execFile);

export interface Postfix {
  readonly certificates: Certificates;
  /** By the kind of encryption: as it is, STARTTLS with a login, TLS from the first byte with a login. */
  readonly ports: Readonly<Record<'none' | 'tls' | 'ssl', number>>;
  readonly login: { readonly userName: string; readonly password: string };
  /** What is in the mailbox of `ops`, `ada` or `admin` at example.org, in the order of delivery. */
  mailbox(owner: string): Promise<readonly Delivered[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface Delivered {
  readonly email: Email;
  readonly raw: string;
}

/** Who mailboxes belong to: anybody but root. */
const mailUid = 65534;

/** Debian's Postfix with its own configuration, queue, mailboxes, ports and passwords. Needs to be root, as it does. */
export async function startPostfix(t: Teardown): Promise<Postfix> {
  const directory = await directoryOf(t, 'postfix');
  const at = (name: string) => join(directory, name);
  // Its parts run as different users.
  await chmod(directory, 0o755);
  const certificates = await makeCertificates(directory);
  const ports = await freePorts(['none', 'tls', 'ssl']);
  const login = { userName: 'gate', password: 'öpen "sesame" \\1' };
  for (const name of ['conf', 'conf/sasl', 'queue', 'data', 'boxes']) await mkdir(at(name));
  await chown(at('boxes'), mailUid, mailUid);
  await run('chown', ['postfix', at('data')]);
  await writeFile(at('conf/main.cf'), mainConfiguration(directory, certificates));
  await writeFile(at('conf/master.cf'), services(ports));
  const boxes = ['ops', 'ada', 'admin'].map((owner) => `${owner}@example.org ${owner}/\n`);
  await writeFile(at('conf/mailboxes'), boxes.join(''));
  await writeFile(
    at('conf/sasl/smtpd.conf'),
    `pwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: ${at('passwords')}\nmech_list: PLAIN LOGIN\n`,
  );
  const setPassword = run('saslpasswd2', [
    '-p',
    '-c',
    '-f',
    at('passwords'),
    '-u',
    'example.org',
    login.userName,
  ]);
  setPassword.child.stdin?.end(login.password);
  await setPassword;
  await run('chown', ['postfix', at('passwords')]);
  // Makes the directories of the queue.
  await run('postfix', ['-c', at('conf'), 'check']);

  let peer: Awaited<ReturnType<typeof startPeer>> | undefined;
  const start = async () => {
    peer = await startPeer(t, {
      name: 'postfix',
      // At its end it ends its whole group of processes, which would be ours.
      command: 'setsid',
      args: ['/usr/lib/postfix/sbin/master', '-c', at('conf'), '-d'],
      cwd: directory,
      answers: async () => (await Promise.all(Object.values(ports).map(accepts))).every(Boolean),
    });
  };
  await start();

  return {
    certificates,
    ports,
    login,
    async mailbox(owner) {
      const folder = at(`boxes/${owner}/new`);
      const files = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
      const mails = await Promise.all(files.map((file) => readFile(file, 'utf8')));
      const delivered = await Promise.all(
        mails.map(async (raw) => ({ raw, email: await PostalMime.parse(raw) })),
      );
      return delivered.sort((a, b) => (a.email.date ?? '').localeCompare(b.email.date ?? ''));
    },
    start,
    stop: async () => peer?.stop(),
  };
}

const mainConfiguration = (directory: string, { certificate, key }: Certificates) => `
compatibility_level = 3.6
queue_directory = ${directory}/queue
data_directory = ${directory}/data
maillog_file = ${directory}/mail.log
maillog_file_prefixes = ${directory}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.example.org
mydestination =
alias_maps =
mynetworks = 127.0.0.1/32
virtual_mailbox_domains = example.org
virtual_mailbox_base = ${directory}/boxes
virtual_mailbox_maps = texthash:${directory}/conf/mailboxes
virtual_uid_maps = static:${mailUid}
virtual_gid_maps = static:${mailUid}
smtpd_tls_cert_file = ${certificate}
smtpd_tls_key_file = ${key}
smtpd_tls_auth_only = yes
smtpd_tls_received_header = yes
smtpd_sasl_local_domain = example.org
smtpd_sasl_authenticated_header = yes
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_client_connection_rate_limit = 0
`;

const services = ({ none, tls, ssl }: Postfix['ports']) => `
127.0.0.1:${none} inet n - n - - smtpd
127.0.0.1:${tls} inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_recipient_restrictions=permit_sasl_authenticated,reject
127.0.0.1:${ssl} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_recipient_restrictions=permit_sasl_authenticated,reject
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
tlsmgr unix - - n 1000? 1 tlsmgr
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
virtual unix - n n - - virtual
postlog unix-dgram n - n - 1 postlogd
`;
