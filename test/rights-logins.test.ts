import { Readable } from 'node:stream';
import t from 'tap';
import { passwordSessions } from '../adapters/auth/password.js';
import { memoryStorage } from '../adapters/storage/memory.js';
import { createGateway, type GatewayRequest } from '../lib/index.js';
import { adminPassword } from './helpers/accounts.js';
import { emptyCluster } from './helpers/empty-cluster.js';
import { newGateway } from './helpers/gateway.js';
import { makeHashesCheap } from './helpers/hashes.js';
import { rawExchange } from './helpers/raw.js';

makeHashesCheap();

// Guessing passwords. What it does to the event loop is measured by `bench/logins.ts`.

// So many at once that a busy machine still answers the last before the first have waited too long.
const attempts = 2_000;

async function guessed(t: { teardown(end: () => Promise<void>): unknown }) {
  const clock = { elapsed: 0, now: () => 1_800_000_000_000, monotonic: () => clock.elapsed };
  const gateway = await createGateway({
    storage: memoryStorage(),
    cluster: emptyCluster(),
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
    audit: { refusals: 300 },
    clock,
  });
  t.teardown(gateway.close);
  const call = async (part: Partial<GatewayRequest>, body?: string) => {
    const length = { 'content-type': 'application/json', 'content-length': String(body?.length ?? 0) };
    return gateway.handle({
      method: 'GET',
      url: '/ws/v2/profile/user',
      remoteAddress: '192.0.2.1',
      body: Readable.from(body === undefined ? [] : [Buffer.from(body)]),
      raw: {},
      signal: new AbortController().signal,
      ...part,
      headers: { ...part.headers, ...(body === undefined ? {} : length) },
    });
  };
  const login = async (userName: string, password: string, remoteAddress: string) => {
    const body = JSON.stringify({ userName, password });
    const answer = await call({ method: 'POST', url: '/ws/v2/login', remoteAddress }, body);
    return answer?.status ?? 0;
  };
  const tally = async (guess: (i: number) => Promise<number>) => {
    const counts: Record<number, number> = {};
    const statuses = await Promise.all(Array.from({ length: attempts }, (_, i) => guess(i)));
    for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  return { clock, call, login, tally };
}

t.test('one name: the lock-out holds at every door, and opens again', async (t) => {
  const { clock, call, login, tally } = await guessed(t);
  const counts = await tally((i) => login('admin', `guess ${i}`, '192.0.2.1'));
  t.ok((counts[401] ?? 0) <= 5, `${counts[401]} were checked`);
  t.equal((counts[401] ?? 0) + (counts[429] ?? 0) + (counts[503] ?? 0), attempts);
  t.equal(await login('admin', adminPassword, '192.0.2.1'), 429, 'the right one does not help now');
  const basic = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
  t.match(await call({ headers: { authorization: basic } }), { status: 429 }, 'nor by Basic');
  t.equal(await login('admin', adminPassword, '198.51.100.7'), 200, 'elsewhere he comes in');
  const page = await call({
    url: '/ws/v2/audit?limit=1000',
    headers: { authorization: basic },
    remoteAddress: '198.51.100.7',
  });
  const { records } = JSON.parse(String(page?.body));
  t.ok(records.length <= 302, `${records.length} records of ${attempts} refusals`);
  t.ok(
    records.some((record: { operation: string; result: string }) => record.result === 'done'),
    'the login that was right is among them',
  );

  clock.elapsed += 16 * 60_000;
  t.equal(await login('admin', adminPassword, '192.0.2.1'), 200);
});

t.test('names that nobody has', async (t) => {
  const { baseUrl, newClient } = await newGateway(t, {
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
  });
  const names = ['admin ', 'ADMIN', 'admin\u0000', 'ａdmin', 'admin\u200b', '*)(uid=*'];
  for (const userName of names) {
    const answer = await fetch(`${baseUrl}/ws/v2/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userName, password: adminPassword }),
    });
    t.ok([400, 401, 429].includes(answer.status), `${JSON.stringify(userName)}: ${answer.status}`);
    t.equal(answer.headers.get('set-cookie'), null);
    await answer.text();
  }
  const basic = Buffer.from(`admin\u0000:${adminPassword}`).toString('base64');
  const { status } = await rawExchange(baseUrl, 'GET /ws/v2/profile/user', [`authorization: Basic ${basic}`]);
  t.equal(status, 401);
  await newClient().getHealth();
});
