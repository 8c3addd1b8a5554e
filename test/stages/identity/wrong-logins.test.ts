import t from 'tap';
import { configuredGateway } from './configured-gateway.js';
import { countAnswers, fromManyAddresses } from './from-address.js';
import { startSlapd } from './slapd.js';

// How long they hold the event loop, and their memory: bench/logins.ts.

t.test('ten thousand wrong logins reach the directory a few times, and others are let in', async (t) => {
  const slapd = await startSlapd(t);
  const gate = await configuredGateway(t);
  await gate.configure({
    type: 'ldap',
    configuration: { server: slapd.plainUrl, userBaseDn: 'ou=people,dc=open' },
  });
  const client = fromManyAddresses(Number(new URL(gate.baseUrl).port));
  t.teardown(() => client.close());
  const asked = async () => (await slapd.log()).match(/ BIND dn="cn=/g)?.length ?? 0;
  t.equal(await client.login(1, 'ann', 'sesame'), 200);
  const before = await asked();

  const one = await countAnswers(5000, (at) =>
    client.login(2, at % 2 === 0 ? 'bob' : `nobody${at}`, `wrong ${at}`),
  );
  t.strictSame(Object.keys(one), ['401', '429']);
  t.ok((one[401] ?? 0) < 200, `${one[401]} were looked at`);
  t.equal(await client.login(2, 'cyd', 'sesame'), 429, 'nobody comes in from there');
  t.equal(
    await client.login(3, 'cyd', 'sesame'),
    403,
    'from elsewhere the password is looked at: no roles yet',
  );

  const many = await countAnswers(5000, (at) => client.login(10 + (at % 200), 'bob', `wrong ${at}`));
  t.strictSame(Object.keys(many), ['401', '429']);
  t.ok((await asked()) - before < 400, 'guesses of passwords that the directory saw');
  t.equal(await client.login(10, 'bob', 'sesame'), 429, 'bob is kept out from where he was guessed at');
  t.equal(await client.login(4, 'bob', 'sesame'), 403, 'and from nowhere else: no roles either');
  t.equal(await client.login(1, 'ann', 'sesame'), 200, 'ann is not');
  t.match(await gate.admin.getProfile(), { userName: 'admin' }, 'nor are sessions');
});
