import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { countAnswers, fromManyAddresses } from '../test/stages/identity/from-address.js';
import { startSlapd } from '../test/stages/identity/slapd.js';
import { type Line, median, report } from './report.js';

// Ten thousand wrong logins at a gateway that asks OpenLDAP: from one address, and from two hundred. The lock-out keeps most
// of them from the directory, nothing stops the event loop for long, and memory does not grow with them. Beside them as many
// requests by nobody. Needs slapd (scripts/identity-peers.sh).
//   node build/bench/directory-logins.js

const requests = 10_000;
/** The machine has other things to do: of the longest stops in each slice the median counts. */
const slices = 5;

if (!existsSync('/usr/sbin/slapd')) throw new Error('slapd is not installed: run scripts/identity-peers.sh');
const ends: (() => unknown)[] = [];
const slapd = await startSlapd({ teardown: (end) => ends.unshift(end) });
const child = fork(new URL('./directory-logins/server.js', import.meta.url), { execArgv: [] });
const [{ port }] = await once(child, 'message');
const tell = async (message: string): Promise<number> => {
  child.send(message);
  return (await once(child, 'message'))[0];
};

const client = fromManyAddresses(port);
const asAdmin = { authorization: `Basic ${Buffer.from('admin:the gate is open').toString('base64')}` };

async function configure(): Promise<void> {
  const configuration = { server: slapd.plainUrl, userBaseDn: 'ou=people,dc=open' };
  const put = await client.ask(1, 'PUT', '/ws/v2/config/auth', {
    headers: asAdmin,
    body: { type: 'ldap', configuration },
  });
  if (put !== 200) throw new Error(`The configuration was answered with ${put}`);
  await client.ask(1, 'POST', '/ws/v2/config/restart', { headers: asAdmin });
  for (let tries = 0; (await client.login(1, 'ann', 'sesame').catch(() => 0)) !== 200; tries++) {
    if (tries > 200) throw new Error('The directory does not answer');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const binds = async () => (await slapd.log()).match(/ BIND dn="cn=/g)?.length ?? 0;

async function measure(name: string, one: (at: number) => Promise<number>): Promise<readonly Line[]> {
  const [memory, before, started] = [await tell('memory'), await binds(), performance.now()];
  const stops: number[] = [];
  const answers: Record<string, number> = {};
  for (let slice = 0; slice < slices; slice++) {
    await tell('start');
    const size = requests / slices;
    const found = await countAnswers(size, (at) => one(slice * size + at));
    stops.push(await tell('stop'));
    for (const [status, count] of Object.entries(found)) answers[status] = (answers[status] ?? 0) + count;
  }
  const seconds = (performance.now() - started) / 1000;
  const counted = Object.entries(answers).map(([status, count]) => `${count} x ${status}`);
  console.log(`${name}: ${counted.join(', ')}`);
  return [
    { what: `${name}: longest stop`, figure: median(stops), unit: 'ms', goal: { atMost: 50 } },
    {
      what: `${name}: memory more`,
      figure: ((await tell('memory')) - memory) / 1e6,
      unit: 'MB',
      goal: { atMost: 100 },
    },
    { what: `${name}: reached the directory`, figure: (await binds()) - before },
    { what: `${name}: requests`, figure: requests / seconds, unit: '/s' },
  ];
}

try {
  await configure();
  // Warm: what is compiled in the first thousand requests is no part of the question.
  const nobody = (headers: Record<string, string>) =>
    client.ask(2, 'GET', '/ws/v2/profile/user', { headers });
  const forged = (at: number) => ({ cookie: `headgate_session=${String(at).padStart(43, 'A')}` });
  await measure('first round', () => nobody({}));
  const lines = [
    ...(await measure('nobody', () => nobody({}))),
    ...(await measure('forged cookies', (at) => nobody(forged(at)))),
    ...(await measure('one address', (at) =>
      client.login(3, at % 2 === 0 ? 'bob' : `nobody${at}`, `wrong ${at}`),
    )),
    ...(await measure('200 addresses', (at) =>
      client.login(10 + (at % 200), at % 2 === 0 ? 'bob' : 'cyd', `wrong ${at}`),
    )),
  ];
  if (!report('Wrong logins', lines)) process.exitCode = 1;
} finally {
  client.close();
  child.disconnect();
  for (const end of ends) await end();
}
