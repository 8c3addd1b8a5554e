import t from 'tap';
import { withPassword } from '../../../../lib/features/accounts/user-change.js';

const password = (hash: string) => ({
  algorithm: 'scrypt' as const,
  cost: 2,
  blockSize: 1,
  parallelization: 1,
  salt: '',
  hash,
});
const old = password('old');
const user = { userName: 'ada', roles: ['developer'] };

t.test('a password that the first start has made is nobody’s any more', async (t) => {
  const generated = { ...user, password: old, isPasswordGenerated: true as const };
  const chosen = password('new');
  t.strictSame(withPassword(generated, generated, chosen), { ...user, password: chosen });
});

t.test('it comes to whatever the account is now', async (t) => {
  const present = { ...user, password: old, roles: ['operator'] };
  const chosen = password('new');
  t.strictSame(withPassword(present, { ...user, password: old }, chosen), { ...present, password: chosen });
  t.strictSame(withPassword(user, user, chosen), { ...user, password: chosen }, 'also the first one');
});

for (const [what, present] of [
  ['another one', { ...user, password: password('theirs') }],
  ['the same one, set again', { ...user, password: password('old') }],
  ['none', user],
] as const) {
  t.test(`not over what somebody else has made of it meanwhile: ${what}`, async (t) => {
    t.throws(() => withPassword(present, { ...user, password: old }, password('new')), {
      code: 'CHANGED_MEANWHILE',
    });
  });
}
