import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Certificates, makeCertificates } from './authority.js';
import { accepts, directoryOf, freePorts, type Peer, startPeer, type Teardown } from './peer.js';

export interface Slapd extends Peer {
  readonly certificates: Certificates;
  /** Without TLS at first: StartTLS is offered. */
  readonly plainUrl: string;
  readonly tlsUrl: string;
  /** The operations that it noted since its start, one a line. */
  log(): Promise<string>;
}

/** Its entries: anybody may search below `dc=open`, accounts only below `dc=closed`, and only over TLS below `dc=strict`. */
const databases = ['open', 'closed', 'strict'] as const;

export const reader = { bindDn: 'cn=reader,dc=closed', bindPassword: 'reads (all) \\ "of" it' };

/** OpenLDAP of its own: directory, ports, data and authority. */
export async function startSlapd(t: Teardown): Promise<Slapd> {
  const directory = await directoryOf(t, 'slapd');
  const certificates = await makeCertificates(directory);
  const ports = await freePorts(['plain', 'tls']);
  await writeFile(join(directory, 'slapd.conf'), configuration(directory, certificates));
  for (const name of databases) await mkdir(join(directory, name));
  for (const name of databases) {
    await writeFile(join(directory, `${name}.ldif`), entries(name));
    const slapadd = [
      '-f',
      join(directory, 'slapd.conf'),
      '-b',
      `dc=${name}`,
      '-l',
      join(directory, `${name}.ldif`),
    ];
    await promisify(execFile)('/usr/sbin/slapadd', slapadd);
  }
  const plainUrl = `ldap://127.0.0.1:${ports.plain}`;
  const tlsUrl = `ldaps://127.0.0.1:${ports.tls}`;
  const peer = await startPeer(t, {
    name: 'slapd',
    command: '/usr/sbin/slapd',
    args: ['-f', join(directory, 'slapd.conf'), '-h', `${plainUrl} ${tlsUrl}`, '-d', 'stats'],
    cwd: directory,
    answers: async () => (await accepts(ports.plain)) && (await accepts(ports.tls)),
  });
  return {
    ...peer,
    certificates,
    plainUrl,
    tlsUrl,
    log: () => readFile(join(directory, 'slapd.log'), 'utf8'),
  };
}

const configuration = (directory: string, { authority, certificate, key }: Certificates) => `
modulepath /usr/lib/ldap
moduleload back_mdb
${['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`).join('\n')}
pidfile ${directory}/slapd.pid
TLSCACertificateFile ${authority}
TLSCertificateFile ${certificate}
TLSCertificateKeyFile ${key}
${databases
  .map(
    (name) => `
database mdb
suffix "dc=${name}"
directory ${directory}/${name}
maxsize 16777216
${name === 'strict' ? 'security simple_bind=64' : ''}
access to attrs=userPassword by anonymous auth by * none
access to * ${name === 'closed' ? 'by dn.exact="cn=reader,dc=closed" read by * none' : 'by * read'}
`,
  )
  .join('')}`;

/** Somebody whose name is everything that a name may be. */
export const oddName = 'o*dd (x) \\2a, +=#"<;> é😀';
export const oddGroup = 'Ops, (all) *=+#;"<>\\ é😀';

const ldif = (attributes: Readonly<Record<string, string | readonly string[]>>) =>
  Object.entries(attributes)
    .flatMap(([name, values]) =>
      [values].flat().map((value) => `${name}:: ${Buffer.from(value).toString('base64')}`),
    )
    .join('\n');

const entries = (database: string): string => {
  const base = `dc=${database}`;
  const person = (cn: string, uid: string | readonly string[], more: Record<string, string> = {}) => ({
    dn: `cn=${cn},ou=people,${base}`,
    objectClass: 'inetOrgPerson',
    sn: 'Person',
    uid,
    userPassword: 'sesame',
    ...more,
  });
  const everybody = [
    `cn=ann,ou=people,${base}`,
    // Written in another way than the entry, as directories do.
    `CN=odd ,  ou=People,${base}`,
  ];
  return [
    { dn: base, objectClass: ['dcObject', 'organization'], o: database },
    {
      dn: `cn=reader,${base}`,
      objectClass: ['organizationalRole', 'simpleSecurityObject'],
      userPassword: reader.bindPassword,
    },
    { dn: `ou=people,${base}`, objectClass: 'organizationalUnit' },
    { dn: `ou=groups,${base}`, objectClass: 'organizationalUnit' },
    person('ann', 'ann', { mail: 'ann@example.org', employeeType: 'staff' }),
    person('bob', ['bob', 'asbob'], { mail: 'shared@example.org' }),
    person('cyd', 'cyd', { mail: 'shared@example.org' }),
    person('odd', oddName),
    person('dee', 'Dee', { userPassword: 'pässwörd ☃ "\\' }),
    {
      dn: `uid=eve,ou=people,${base}`,
      objectClass: ['account', 'simpleSecurityObject'],
      userPassword: 'sesame',
    },
    { dn: `cn=nopw,ou=people,${base}`, objectClass: 'inetOrgPerson', sn: 'x', uid: 'nopw' },
    { dn: `cn=ops,ou=groups,${base}`, objectClass: 'groupOfUniqueNames', uniqueMember: everybody },
    {
      dn: `ou=odd,ou=groups,${base}`,
      objectClass: ['groupOfUniqueNames'],
      cn: oddGroup,
      uniqueMember: everybody,
    },
    {
      dn: `cn=others,ou=groups,${base}`,
      objectClass: 'groupOfUniqueNames',
      uniqueMember: `cn=bob,ou=people,${base}`,
    },
    // Of groups: those that contain ops, and in a circle.
    {
      dn: `cn=staff,ou=groups,${base}`,
      objectClass: 'groupOfUniqueNames',
      uniqueMember: [`CN=Ops, ou=groups,${base}`, `cn=all,ou=groups,${base}`],
    },
    {
      dn: `cn=all,ou=groups,${base}`,
      objectClass: 'groupOfUniqueNames',
      uniqueMember: `cn=staff,ou=groups,${base}`,
    },
    { dn: `cn=unix,ou=groups,${base}`, objectClass: 'posixGroup', gidNumber: '7', memberUid: 'ann' },
  ]
    .map(ldif)
    .join('\n\n');
};
