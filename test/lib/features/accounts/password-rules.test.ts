import t from 'tap';
import { passwordSessions } from '../../../../adapters/auth/password.js';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import type { GatewayOptions } from '../../../../lib/index.js';
import { adminPassword, gatewayWithPasswords, passwordOf, refuses } from '../../../helpers/accounts.js';
import { newGateway } from '../../../helpers/gateway.js';
import { makeHashesCheap } from '../../../helpers/hashes.js';

// Which passwords accounts may be given, and that those that there are go on working.

makeHashesCheap();
const refused = (message: string | RegExp) => ({ status: 400, code: 'PASSWORD_REFUSED', message });
const short = refused('A password has at least 8 characters');
const name = refused("A password must not be the user's name");

t.test('eight characters and not the name, for new users and for new passwords', async (t) => {
  const { admin, login } = await gatewayWithPasswords(t);
  const create = (user: string, password: string) =>
    admin.createUser({ params: { user }, body: { password, roles: ['operator'] } });
  const table: readonly (readonly [string, string, object | undefined])[] = [
    ['ann', '1234567', short],
    ['ann', '😀😀😀😀', short],
    // Two ligatures, which are hashed as what they stand for.
    ['ann', 'ﬃﬃ12', undefined],
    ['bea', '12345678', undefined],
    ['cid', 'пароль:-', undefined],
    ['dee', '        ', undefined],
    ['charlotte', 'charlotte', name],
    ['charlotte', 'CharLotte', name],
    ['charlotte', 'ｃharlotte', name],
    ['charlotte', 'charlotte1', undefined],
  ];
  for (const [user, password, wanted] of table) {
    if (wanted) await refuses(t, create(user, password), wanted, `${user} ${password}`);
    else {
      await create(user, password);
      t.ok(await login(user, password), `${user} ${password}`);
    }
  }
  const own = await login('bea', '12345678');
  const params = { user: 'bea' };
  const oldPassword = '12345678';
  await refuses(t, own.changeUser({ params, body: { oldPassword, newPassword: 'short' } }), short);
  await refuses(t, admin.changeUser({ params, body: { newPassword: 'short' } }), short);
  await own.changeUser({ params, body: { oldPassword, newPassword: 'long enough' } });
  t.ok(await login('bea', 'long enough'));
});

t.test('the host says otherwise; a password from before the rule goes on working', async (t) => {
  const storage = memoryStorage();
  const keptOpen = { ...storage, close: async () => {} };
  const before: Partial<GatewayOptions> = {
    storage: keptOpen,
    passwords: { minLength: 1, mayBeUserName: true },
  };
  const lax = await gatewayWithPasswords(t, before);
  await lax.admin.createUser({ params: { user: 'ann' }, body: { password: 'ann', roles: ['operator'] } });
  await lax.gateway.close();

  const asked: unknown[] = [];
  const known = 'correct horse battery staple';
  const { admin, login } = await gatewayWithPasswords(t, {
    storage: keptOpen,
    passwords: {
      minLength: 12,
      refuse: async (password, userName) => {
        asked.push([password, userName]);
        if (password === 'the list is gone') throw new Error('no list');
        return password === known ? 'Everybody knows this password' : undefined;
      },
    },
  });
  const ann = await login('ann', 'ann');
  const params = { user: 'ann' };
  const change = (newPassword: string) =>
    ann.changeUser({ params, body: { oldPassword: 'ann', newPassword } });
  await refuses(t, change('eleven char'), refused('A password has at least 12 characters'));
  await refuses(t, change(known), refused('Everybody knows this password'));
  await refuses(t, change('the list is gone'), {
    status: 502,
    code: 'UNREACHABLE',
    message: "The host's rule for passwords can't be reached",
  });
  await change(passwordOf('ann'));
  t.ok(await login('ann'));
  t.strictSame(asked, [
    [known, 'ann'],
    ['the list is gone', 'ann'],
    [passwordOf('ann'), 'ann'],
  ]);
  await admin.changeUser({ params, body: { roles: ['developer'] } });
  t.equal(asked.length, 3, 'roles alone ask for no other password');
});

t.test("the first administrator's is held to the rule where it counts: at the first start", async (t) => {
  const start = (password: string, more: Partial<GatewayOptions> = {}) =>
    newGateway(t, { auth: passwordSessions(), initialAdmin: { password }, ...more });
  const sentence = 'initialAdmin.password is not taken: A password has at least 8 characters';
  await refuses(t, start('secret'), { name: 'TypeError', message: sentence });
  t.ok(await start('secret', { passwords: { minLength: 6 } }));
  const storage = memoryStorage();
  const keptOpen = { ...storage, close: async () => {} };
  await start(adminPassword, { storage: keptOpen });
  t.ok(await start('secret', { storage: keptOpen }), 'later starts ignore it');
});
