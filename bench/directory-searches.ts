import { existsSync } from 'node:fs';
import type { LoginScheme } from '../lib/driver-kit.js';
import { AuthConfiguration } from '../lib/model/auth-configuration.js';
import { ldapScheme } from '../packages/directory/ldap.js';
import { reader, startSlapd } from '../test/stages/identity/slapd.js';
import { type Line, report } from './report.js';

// What it brings that connections which search a directory are kept: logins a second at OpenLDAP, with connections kept and
// with none, in turn. Somebody's password is proved on a connection of its own in both; nobody's name is only searched for.
// Needs slapd (scripts/identity-peers.sh).
//   node build/bench/directory-searches.js

const rounds = 5;
const turnMillis = 200;

if (!existsSync('/usr/sbin/slapd')) throw new Error('slapd is not installed: run scripts/identity-peers.sh');
const ends: (() => unknown)[] = [];
const slapd = await startSlapd({ teardown: (end) => ends.unshift(end) });
const account = { userBaseDn: 'ou=people,dc=closed', ...reader };
const caFile = slapd.certificates.authority;
const ways = {
  plain: { ...account, server: slapd.plainUrl },
  StartTLS: { ...account, server: slapd.plainUrl, startTls: true, caFile },
  TLS: { ...account, server: slapd.tlsUrl, caFile },
};
const logger = { debug() {}, info() {}, warn() {}, error() {} };

async function scheme(keys: Record<string, unknown>, idleMillis: number): Promise<LoginScheme> {
  const configuration = AuthConfiguration.parse({ type: 'ldap', ...keys });
  if (configuration.type !== 'ldap') throw new Error('no directory');
  const clock = { now: Date.now, monotonic: () => performance.now() };
  return ldapScheme({ idleMillis })(configuration, { clock, logger });
}

/** Resolves how many logins there were. */
async function turn(one: LoginScheme, userName: string, clients: number): Promise<number> {
  const until = performance.now() + turnMillis;
  let count = 0;
  const client = async () => {
    for (; performance.now() < until; count++) {
      const signal = AbortSignal.timeout(10_000);
      const user = await one.login?.({ userName, password: 'sesame' }, { signal });
      if (user?.userName !== (userName === 'ann' ? 'ann' : undefined)) throw new Error('a wrong answer');
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return count;
}

try {
  const lines: Line[] = [];
  for (const [way, keys] of Object.entries(ways)) {
    const kept = { one: await scheme(keys, 60_000), count: 0 };
    const none = { one: await scheme(keys, 0), count: 0 };
    ends.unshift(() => kept.one.close?.());
    for (const userName of ['ann', 'nobody']) {
      for (const clients of [1, 32]) {
        for (const kind of [kept, none]) kind.count = 0;
        for (let round = 0; round < rounds; round++) {
          for (const kind of [kept, none]) kind.count += await turn(kind.one, userName, clients);
        }
        const seconds = (rounds * turnMillis) / 1000;
        lines.push(
          { what: `${way}, ${userName}, ${clients} at once`, figure: kept.count / seconds, unit: '/s' },
          {
            what: '  times of those without',
            figure: kept.count / none.count,
            peer: 'a connection for each login',
            goal: { atLeast: userName === 'nobody' ? 1.5 : 1 },
          },
        );
      }
    }
  }
  process.exitCode = report('Logins through a directory, connections kept', lines) ? 0 : 1;
} finally {
  for (const end of ends) await end();
}
