import t from 'tap';
import { Unreachable } from '../../../lib/index.js';
import { pamScheme } from '../../../packages/directory/pam.js';
import { type LogLine, loggerInto } from '../../helpers/gateway.js';
import { type PamPeer, startPam } from './saslauthd.js';

// Against the PAM of this system, through saslauthd.

let pam: PamPeer;
t.before(async () => {
  pam = await startPam(t);
});

const schemeOf = async (serviceName: string, groupSupport: boolean, logs: LogLine[] = []) =>
  pamScheme({ socket: pam.socket })(
    { type: 'pam', serviceName, groupSupport },
    { clock: { now: () => 0, monotonic: () => 0 }, logger: loggerInto(logs) },
  );

async function person(userName: string, password: string, groupSupport = false) {
  const scheme = await schemeOf(pam.serviceName, groupSupport);
  return scheme.login?.({ userName, password }, { signal: AbortSignal.timeout(30_000) });
}

t.test('a user of the system logs in', async (t) => {
  const { userName, password, group } = pam.user;
  t.strictSame(await person(userName, password), { userName });
  t.strictSame(await person(userName, password, true), { userName, groups: [userName, group] });
  for (const [name, typed] of [
    [userName, 'wrong'],
    [userName, `${password} `],
    [userName, `${password}\0`],
    [userName, ''],
    [userName.toUpperCase(), password],
    ['root', password],
    ['no-such-user', password],
    [`${userName}\0x`, password],
    [`; ${userName}`, password],
    [userName, 'x'.repeat(1000)],
  ] as const) {
    t.equal(await person(name, typed, true), undefined, JSON.stringify([name, typed]));
  }
});

t.test('a service that the system does not have is warned of', async (t) => {
  const logs: LogLine[] = [];
  await schemeOf(pam.serviceName, false, logs);
  t.strictSame(logs, []);
  await schemeOf(`${pam.serviceName}-none`, false, logs);
  t.match(logs, [{ level: 'warn', message: /no such PAM service/ }]);
});

t.test('ten at once', async (t) => {
  const { userName, password } = pam.user;
  const answers = await Promise.all(Array.from({ length: 10 }, () => person(userName, password)));
  t.strictSame(
    answers,
    Array.from({ length: 10 }, () => ({ userName })),
  );
});

t.test('a daemon that has gone', async (t) => {
  await pam.stop();
  await t.rejects(person(pam.user.userName, pam.user.password), Unreachable);
});
