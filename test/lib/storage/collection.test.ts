import t from 'tap';
import { z } from 'zod';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { DamagedDocument, PreconditionFailed } from '../../../lib/model/errors.js';
import { collection } from '../../../lib/storage/collection.js';

const Account = z.object({ name: z.string().min(1), logins: z.number().int().default(0) });
const documents = () => memoryStorage().documents;

t.test('what was put comes back, typed and with its etag', async (t) => {
  const accounts = collection(documents(), 'accounts', Account);
  t.equal(await accounts.get('ada'), undefined);
  const etag = await accounts.put('ada', { name: 'Ada', logins: 1 });
  t.strictSame(await accounts.get('ada'), { key: 'ada', value: { name: 'Ada', logins: 1 }, etag });
});

t.test('a value that does not fit is refused, naming the document and the place', async (t) => {
  const accounts = collection(documents(), 'accounts', Account);
  await t.rejects(accounts.put('ada', { name: '', logins: 1.5 }), {
    name: 'TypeError',
    message: /"ada" of the collection "accounts".*name.*logins/s,
  });
  t.throws(() => accounts.writes.put('ada', { name: '', logins: 0 }), TypeError);
  t.equal(await accounts.get('ada'), undefined);
});

t.test('a document that no longer fits is damaged by name, and costs nothing else', async (t) => {
  const store = documents();
  await store.write([
    { op: 'put', collection: 'accounts', key: 'ada', value: { name: 'Ada', logins: 1 } },
    { op: 'put', collection: 'accounts', key: 'bob', value: { name: 7 } },
    { op: 'put', collection: 'accounts', key: 'cyd', value: { name: 'Cyd' } },
  ]);
  const accounts = collection(store, 'accounts', Account);
  await t.rejects(accounts.get('bob'), DamagedDocument);
  await t.rejects(accounts.get('bob'), { message: /"bob" of the collection "accounts"/ });
  await t.rejects(
    accounts.update('bob', () => ({ name: 'Bob', logins: 0 })),
    DamagedDocument,
  );
  t.strictSame(
    (await accounts.list()).map(({ key, value }) => [key, value.logins]),
    [
      ['ada', 1],
      ['cyd', 0],
    ],
    'the default of a newer schema fills what an older document lacks',
  );
  t.match(accounts.problems(), [{ kind: 'document', collection: 'accounts', key: 'bob', message: /name/ }]);

  await accounts.put('bob', { name: 'Bob', logins: 0 });
  t.strictSame(accounts.problems(), [], 'a new write mends it');
});

const first = { name: 'Ada', logins: 1 };
const second = { name: 'Ada', logins: 2 };
const conditions = [
  { what: 'no condition on nothing', present: false, ifMatch: undefined, taken: true },
  { what: 'no condition on something', present: true, ifMatch: undefined, taken: true },
  { what: 'none expected, none there', present: false, ifMatch: null, taken: true },
  { what: 'none expected, one there', present: true, ifMatch: null, taken: false },
  { what: 'any expected, none there', present: false, ifMatch: '*', taken: false },
  { what: 'any expected, one there', present: true, ifMatch: '*', taken: true },
  { what: 'an old etag', present: true, ifMatch: 'old', taken: false },
  { what: 'an etag of nothing', present: false, ifMatch: 'old', taken: false },
] as const;

for (const { what, present, ifMatch, taken } of conditions) {
  t.test(`put: ${what}`, async (t) => {
    const accounts = collection(documents(), 'accounts', Account);
    if (present) await accounts.put('ada', first);
    const put = accounts.put('ada', second, ifMatch === undefined ? {} : { ifMatch });
    if (taken) await put;
    else await t.rejects(put, PreconditionFailed);
    t.strictSame((await accounts.get('ada'))?.value, taken ? second : present ? first : undefined);
  });
}

t.test('remove tells whether there was something, and keeps to an etag', async (t) => {
  const accounts = collection(documents(), 'accounts', Account);
  t.equal(await accounts.remove('ada'), false);
  const old = await accounts.put('ada', first);
  const etag = await accounts.put('ada', second);
  await t.rejects(accounts.remove('ada', { ifMatch: old }), PreconditionFailed);
  t.equal(await accounts.remove('ada', { ifMatch: etag }), true);
  t.equal(await accounts.get('ada'), undefined);
  await accounts.put('ada', first);
  t.equal(await accounts.remove('ada'), true);
});

t.test('update loses no change of fifty at once', async (t) => {
  const accounts = collection(documents(), 'accounts', Account);
  const login = () =>
    accounts.update('ada', (account) => ({ name: 'Ada', logins: (account?.logins ?? 0) + 1 }));
  const results = await Promise.all(Array.from({ length: 50 }, login));
  const kept = await accounts.get('ada');
  t.equal(kept?.value.logins, 50);
  t.ok(results.some(({ etag, value }) => etag === kept?.etag && value.logins === 50));
});

t.test('an update that throws changes nothing', async (t) => {
  const accounts = collection(documents(), 'accounts', Account);
  await accounts.put('ada', first);
  const refuse = accounts.update('ada', () => {
    throw new RangeError('no more');
  });
  await t.rejects(refuse, { name: 'RangeError', message: 'no more' });
  t.strictSame((await accounts.get('ada'))?.value, first);
});

t.test('list and entries go in the order of the keys, by prefix', async (t) => {
  const accounts = collection(documents(), 'accounts', Account);
  for (const key of ['b/2', 'a', 'b/1', 'c']) await accounts.put(key, first);
  t.strictSame(
    (await accounts.list()).map(({ key }) => key),
    ['a', 'b/1', 'b/2', 'c'],
  );
  const found: string[] = [];
  for await (const { key } of accounts.entries({ prefix: 'b/' })) found.push(key);
  t.strictSame(found, ['b/1', 'b/2']);
});

t.test('writes of several collections go as one batch', async (t) => {
  const store = documents();
  const accounts = collection(store, 'accounts', Account);
  const names = collection(store, 'names', z.string());
  await accounts.put('ada', first);
  const rename = (ifMatch: string | null) =>
    store.write([accounts.writes.remove('ada'), names.writes.put('ada', 'Ada', { ifMatch })]);
  await t.rejects(rename('no such etag'), PreconditionFailed);
  t.ok(await accounts.get('ada'), 'nothing of a refused batch is written');
  await rename(null);
  t.equal(await accounts.get('ada'), undefined);
  t.equal((await names.get('ada'))?.value, 'Ada');
});
