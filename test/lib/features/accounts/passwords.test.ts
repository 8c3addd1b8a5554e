import { scrypt } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { createLockOut, networkOf } from '../../../../lib/features/accounts/lock-out.js';
import {
  createPasswords,
  type Derive,
  isOutdated,
  PasswordHash,
  presentParameters,
} from '../../../../lib/features/accounts/passwords.js';
import { createAccountService } from '../../../../lib/features/accounts/service.js';
import { NotReady, TooManyRequests } from '../../../../lib/index.js';
import { machineClock, silent } from '../../../../lib/options.js';

const place = { whose: 'somebody' };

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** The real function with less memory and time, and a count of what it had to do. */
function counted() {
  const work: unknown[] = [];
  const derive: Derive = (password, salt, parameters) => {
    work.push(parameters);
    return new Promise((resolve, reject) => {
      scrypt(password, salt, 32, { N: 16, r: 1, p: 1 }, (error, key) =>
        error ? reject(error) : resolve(key),
      );
    });
  };
  return { work, derive };
}

t.test('a hash is scrypt with its parameters and a salt of its own, and fits what is kept', async (t) => {
  const passwords = createPasswords();
  const [one, other] = [await passwords.hash('same', place), await passwords.hash('same', place)];
  t.match(one, { algorithm: 'scrypt', ...presentParameters });
  t.strictSame(PasswordHash.parse(one), one);
  t.not(one.salt, other.salt);
  t.not(one.hash, other.hash);
  const expected = await new Promise<Buffer>((resolve, reject) => {
    const { cost: N, blockSize: r, parallelization: p } = one;
    scrypt('same', Buffer.from(one.salt, 'base64'), 32, { N, r, p, maxmem: 2 ** 27 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
  t.equal(one.hash, expected.toString('base64'));
  t.ok(await passwords.verify('same', one, place));
  t.notOk(await passwords.verify('Same', one, place));
});

t.test('which passwords are the same', async (t) => {
  const passwords = createPasswords({ derive: counted().derive });
  const pairs: readonly [set: string, given: string, same: boolean][] = [
    ['a', 'a', true],
    ['a', 'A', false],
    ['a', 'a ', false],
    ['pässword', 'pa\u0308ssword', true],
    ['ﬁne', 'fine', true],
    ['пароль', 'пароль', true],
    ['x'.repeat(1024), 'x'.repeat(1024), true],
    ['x'.repeat(1024), 'x'.repeat(1023), false],
    ['x'.repeat(72), `${'x'.repeat(72)}y`, false],
  ];
  for (const [set, given, same] of pairs) {
    t.equal(
      await passwords.verify(given, await passwords.hash(set, place), place),
      same,
      JSON.stringify([set, given]).slice(0, 60),
    );
  }
});

t.test('nobody costs what a wrong password costs; impossible passwords cost nothing', async (t) => {
  const { work, derive } = counted();
  const passwords = createPasswords({ derive });
  const hash = await passwords.hash('right', place);
  work.length = 0;
  t.notOk(await passwords.verify('wrong', hash, place));
  const wrong = work.splice(0);
  t.notOk(await passwords.verify('wrong', undefined, place));
  t.strictSame(work.splice(0), wrong);
  for (const impossible of ['', 'x'.repeat(1025), 'ü'.repeat(513)]) {
    t.notOk(await passwords.verify(impossible, hash, place));
    t.notOk(await passwords.verify(impossible, undefined, place));
  }
  t.strictSame(work, []);
});

t.test('damaged and greedy hashes let nobody in', async (t) => {
  const passwords = createPasswords({ derive: counted().derive });
  const good = await passwords.hash('right', place);
  for (const hash of ['', 'AAAA', `AAAA${good.hash}`, '!!!']) {
    t.notOk(await passwords.verify('right', { ...good, hash }, place), hash);
  }
  for (const greedy of [
    { cost: 2 ** 30 },
    { blockSize: 1000 },
    { parallelization: 1e6 },
    { algorithm: 'md5' },
  ]) {
    t.notOk(PasswordHash.safeParse({ ...good, ...greedy }).success, JSON.stringify(greedy));
  }
  t.ok(isOutdated({ ...good, cost: good.cost / 2 }));
  t.notOk(isOutdated(good));
});

t.test('two at once, a bounded queue, and its turns are handed on in order', async (t) => {
  let running = 0;
  let most = 0;
  const releases: (() => void)[] = [];
  const passwords = createPasswords({
    maxConcurrent: 2,
    maxWaiting: 3,
    derive: async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => releases.push(resolve));
      running--;
      return Buffer.alloc(32);
    },
  });
  const order: number[] = [];
  const all = [1, 2, 3, 4, 5].map(async (n) => {
    await passwords.hash('x', place);
    order.push(n);
  });
  await t.rejects(passwords.hash('one too many', place), NotReady);
  await t.rejects(passwords.verify('one too many', undefined, place), NotReady);
  while (order.length < 5) {
    releases.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  t.equal(most, 2);
  t.strictSame(order, [1, 2, 3, 4, 5]);
});

t.test('the address that counts is the network that one client has', async (t) => {
  const networks: readonly [string, string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff::2', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:a:b:c:d:e:f', '2001:db8:a:b::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['a unix socket', 'a unix socket'],
  ];
  for (const [address, network] of networks) t.equal(networkOf(address), network, address);
});

const request = { remoteAddress: '192.0.2.7', headers: {} };
const annAtHome = { userName: 'ann', remoteAddress: '192.0.2.7' };

/** How long the next attempt would have to wait, in seconds; 0: not at all (and it fails too). */
function failing() {
  const time = { now: 1_000_000 };
  const lockOut = createLockOut({ now: () => time.now });
  const fail = (user = 'ann', address = '192.0.2.7'): number => {
    try {
      lockOut.begin({ userName: user, remoteAddress: address }).failed();
      return 0;
    } catch (error) {
      if (error instanceof TooManyRequests) return Number(error.headers['retry-after']);
      throw error;
    }
  };
  return { time, lockOut, fail };
}

t.test('five failures are free, then each one doubles the wait up to a quarter of an hour', async (t) => {
  const { time, fail } = failing();
  t.strictSame(
    [1, 2, 3, 4, 5].map(() => fail()),
    [0, 0, 0, 0, 0],
  );
  const waits: number[] = [];
  for (let i = 0; i < 13; i++) {
    const wait = fail();
    waits.push(wait);
    time.now += wait * 1000 - 1;
    t.equal(fail(), 1, 'one millisecond before');
    time.now += 1;
    t.equal(fail(), 0, 'and then');
  }
  t.strictSame(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
});

t.test('attempts while locked out do not make it longer', async (t) => {
  const { time, fail } = failing();
  for (let i = 0; i < 1000; i++) fail();
  t.equal(fail(), 1);
  time.now += 1000;
  t.equal(fail(), 0);
});

t.test('success forgets the failures of that user at that address; time forgets all', async (t) => {
  const { time, lockOut, fail } = failing();
  for (let i = 0; i < 4; i++) fail();
  lockOut.begin(annAtHome).succeeded();
  t.strictSame(
    [1, 2, 3, 4, 5].map(() => fail()),
    [0, 0, 0, 0, 0],
  );
  t.equal(fail(), 1);
  time.now += 16 * 60_000;
  t.strictSame(
    [1, 2, 3, 4, 5].map(() => fail()),
    [0, 0, 0, 0, 0],
  );
  t.equal(fail(), 1);
});

t.test('an attempt that was never decided is no failure', async (t) => {
  const { lockOut, fail } = failing();
  for (let i = 0; i < 100; i++) lockOut.begin(annAtHome).withdraw();
  t.equal(fail(), 0);
});

t.test('strangers lock out neither others nor, soon, the user elsewhere', async (t) => {
  const { fail } = failing();
  for (let i = 0; i < 20; i++) fail('ann', '198.51.100.1');
  t.ok(fail('ann', '198.51.100.1') > 0);
  t.equal(fail('ann', '192.0.2.7'), 0, 'the user, from home');
  t.equal(fail('bea', '198.51.100.1'), 0, 'somebody else, from there');
});

t.test(
  'many addresses against one user, and one address against many users, are slowed down too',
  async (t) => {
    const many = failing();
    for (let i = 0; i < 50; i++) t.equal(many.fail('ann', `198.51.100.${i}`), 0);
    t.ok(many.fail('ann', '198.51.100.1') > 0, 'wherever somebody has failed');
    t.equal(many.fail('ann', '203.0.113.1'), 0, 'and not where nobody has');
    t.ok(many.fail('ann', '203.0.113.1') > 0, 'once');
    const spray = failing();
    let tries = 0;
    while (spray.fail(`user${tries}`, '198.51.100.1') === 0) tries++;
    t.equal(tries, 100);
  },
);

t.test('names and addresses can not be mixed up, and memory is bounded', async (t) => {
  const { fail, time } = failing();
  for (const name of ['__proto__', 'constructor', '["ann"]', '192.0.2.7', '']) t.equal(fail(name), 0, name);
  const before = heapUsed();
  for (let i = 0; i < 100_000; i++) {
    time.now += 20_000;
    fail(`user ${i} ${'x'.repeat(2000)}`, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  }
  const grownMiB = (heapUsed() - before) / 2 ** 20;
  t.ok(grownMiB < 30, `${grownMiB} MiB for 100,000 attempts`);
  t.equal(fail('ann'), 0);
});

t.test('a locked user stays locked while others are tried in masses', async (t) => {
  const time = { now: 0 };
  const lockOut = createLockOut({ now: () => time.now, maxCounters: 300 });
  for (let i = 0; i < 5; i++) lockOut.begin(annAtHome);
  for (let i = 0; i < 2000; i++)
    lockOut.begin({ userName: `user ${i}`, remoteAddress: `10.0.${i >> 8}.${i & 255}` });
  t.throws(() => lockOut.begin(annAtHome), TooManyRequests);
});

t.test('who has come in from an address is locked out by own failures from there only', (t) => {
  const { lockOut, fail } = failing();
  lockOut.begin(annAtHome).succeeded();
  for (let i = 0; i < 50; i++) fail('ann', `198.51.100.${i}`);
  for (let i = 0; i < 100; i++) fail(`other ${i}`, '192.0.2.7');
  t.ok(fail('ann', '198.51.100.0') > 0, 'from elsewhere the name is locked');
  t.ok(fail('bob', '192.0.2.7') > 0, 'from there other names are locked');
  t.strictSame(
    Array.from({ length: 6 }, () => fail('ann', '192.0.2.7') > 0),
    [false, false, false, false, false, true],
  );
  t.end();
});

t.test(
  'an address without failures is asked for nothing but its own, whatever others do to the name',
  (t) => {
    const { lockOut, fail } = failing();
    for (let i = 0; i < 60; i++) fail('ann', `198.51.100.${i}`);
    const attempts = Array.from({ length: 200 }, (_, i) =>
      lockOut.begin({ userName: `employee ${i}`, remoteAddress: '192.0.2.7' }),
    );
    t.doesNotThrow(() => lockOut.begin(annAtHome).succeeded(), 'what is under way is no failure of others');
    for (const attempt of attempts) attempt.succeeded();
    fail('ann', '2001:db8:1:1::1');
    t.ok(fail('ann', '2001:db8:1:2::1') > 0, 'the next network of one site is no new address');
    t.equal(fail('ann', '2001:db8:2:1::1'), 0, 'that of another one is');
    t.end();
  },
);

t.test('a device is locked out by failures of its own, and by nothing else', (t) => {
  const { lockOut, fail, time } = failing();
  const onDevice = { ...annAtHome, device: 'laptop' };
  for (let i = 0; i < 200; i++) fail('ann');
  for (let i = 0; i < 200; i++) fail(`made up ${i}`);
  t.ok(fail('ann') > 0);
  t.doesNotThrow(() => lockOut.begin(onDevice).succeeded());
  t.ok(fail('ann') > 0, 'whoever has no such cookie is still locked out there');
  for (let i = 0; i < 5; i++) lockOut.begin(onDevice).failed();
  t.throws(() => lockOut.begin(onDevice), TooManyRequests);
  t.doesNotThrow(() => lockOut.begin({ ...onDevice, device: 'phone' }), 'another device of the same user');
  t.equal(fail('bob', '203.0.113.1'), 0);
  time.now += 1000;
  t.doesNotThrow(() => lockOut.begin(onDevice).succeeded());
  t.end();
});

t.test('guesses in parallel are counted before any work is done for them', async (t) => {
  const { work, derive } = counted();
  const accounts = await createAccountService({
    documents: memoryStorage().documents,
    clock: machineClock,
    logger: silent,
    passwordRequired: true,
    forget: () => {},
    passwords: createPasswords({ derive }),
  });
  await accounts.ensureAdmin('the right one');
  work.length = 0;
  const guesses = Array.from({ length: 200 }, (_, i) =>
    accounts.verifyPassword({ userName: 'admin', password: `guess ${i}` }, request),
  );
  const answers = await Promise.allSettled(guesses);
  t.equal(work.length, 5);
  t.equal(answers.filter(({ status }) => status === 'rejected').length, 195);
  const nobody = Array.from({ length: 200 }, () =>
    accounts.verifyPassword({ userName: 'nobody', password: 'guess' }, request),
  );
  await Promise.allSettled(nobody);
  t.equal(work.length, 10, 'and the same for somebody who does not exist');
});

t.test('a hash with less work than new ones have is renewed at login', async (t) => {
  const storage = memoryStorage();
  const weak = {
    ...(await createPasswords({ derive: counted().derive }).hash('the right one', place)),
    cost: 1024,
  };
  await storage.documents.write([
    {
      op: 'put',
      collection: 'users',
      key: 'admin',
      value: { userName: 'admin', roles: ['admin'], password: weak },
    },
  ]);
  const accounts = await createAccountService({
    documents: storage.documents,
    clock: machineClock,
    logger: silent,
    passwordRequired: true,
    forget: () => {},
    passwords: createPasswords({ derive: counted().derive }),
  });
  t.equal(await accounts.ensureAdmin('other'), undefined, 'there is an administrator');
  t.ok(await accounts.verifyPassword({ userName: 'admin', password: 'the right one' }, request));
  t.match(await storage.documents.get('users', 'admin'), {
    value: { password: { cost: presentParameters.cost } },
  });
  t.ok(await accounts.verifyPassword({ userName: 'admin', password: 'the right one' }, request));
});
