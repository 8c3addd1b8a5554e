import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { openAuditLog } from '../../../../lib/features/audit/log.js';
import { redactorFor } from '../../../../lib/features/audit/redact.js';
import { AuditRecord } from '../../../../lib/features/audit/schema.js';
import { Segment } from '../../../../lib/features/audit/segment.js';
import { listRoutes } from '../../../../lib/http/table.js';
import type { ClusterContext, GatewayOptions } from '../../../../lib/index.js';
import type { DocumentWrite } from '../../../../lib/interfaces/storage.js';
import { silent } from '../../../../lib/options.js';
import { routes } from '../../../../lib/routes.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { gatewayWithPasswords, refuses } from '../../../helpers/accounts.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { newGateway } from '../../../helpers/gateway.js';
import { people } from '../../../helpers/people.js';
import { sampleOf } from '../../../helpers/samples.js';
import { until } from '../../../helpers/waiting.js';

const recording = (more: Partial<GatewayOptions> = {}) => {
  const records: AuditRecord[] = [];
  return {
    records,
    options: { ...more, audit: { ...more.audit, onRecord: (one: AuditRecord) => records.push(one) } },
  };
};

const changing = listRoutes(routes).filter(({ route }) => route.method !== 'GET');

t.test('each operation that changes something leaves one record, others none', async (t) => {
  const { records, options } = recording({ auth: people });
  const { baseUrl, newClient } = await newGateway(t, options);
  const call = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    fetch(`${baseUrl}${path.replace(/\{(\w+)(\.\.\.)?\}/g, 'some-$1')}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  t.ok(changing.length > 30);
  const callers = { nobody: {}, eve: { 'x-user': 'eve' }, root: { 'x-user': 'root', 'x-roles': 'admin' } };
  for (const { id, route } of changing) {
    const schema = route.body?.schema;
    for (const [who, headers] of Object.entries(callers)) {
      records.length = 0;
      const response = await call(route.method, route.path, headers, schema ? sampleOf(schema) : undefined);
      const requestId = response.headers.get('x-request-id') ?? '';
      await response.body?.cancel();
      t.equal(records.length, 1, `${id} by ${who}`);
      t.match(records[0], { operation: id, requestId, status: response.status, method: route.method });
      t.equal(
        records[0]?.result,
        response.status < 400 ? 'done' : response.status < 499 ? 'refused' : 'failed',
      );
      t.ok(records[0]?.target.startsWith('/'), records[0]?.target ?? '');
      AuditRecord.parse(records[0]);
    }
  }
  records.length = 0;
  const root = newClient({ headers: callers.root });
  await root.listUsers();
  await root.getHealth();
  const { records: kept } = await root.listAudit({ query: { limit: 1000 } });
  t.strictSame(records, [], 'reading leaves none');
  t.equal(kept.length, changing.length * 3, 'all of them are kept');
});

t.test('who, what, target, result; filters and pages', async (t) => {
  const { newClient } = await newGateway(t, { auth: people });
  const root = newClient({ headers: { 'x-user': 'root', 'x-roles': 'admin' } });
  const eve = newClient({ headers: { 'x-user': 'eve' } });
  const started = Date.now();
  for (let i = 0; i < 5; i++) await root.putRole({ params: { role: `r${i}` }, body: { permissions: [] } });
  await refuses(t, eve.deleteRole({ params: { role: 'r1' } }), { status: 403 });
  await root.deleteRole({ params: { role: 'r1' } });

  const list = async (query: Parameters<typeof root.listAudit>[0]) =>
    (await root.listAudit(query)).records.map(({ operation, userName, target }) =>
      [operation, userName, target.split('/').at(-1)].join(' '),
    );
  t.strictSame(await list({ query: { limit: 3 } }), [
    'deleteRole root r1',
    'deleteRole eve r1',
    'putRole root r4',
  ]);
  t.strictSame(await list({ query: { user: 'eve' } }), ['deleteRole eve r1']);
  t.strictSame(await list({ query: { result: 'refused' } }), ['deleteRole eve r1']);
  t.strictSame(await list({ query: { operation: 'deleteRole', result: 'done' } }), ['deleteRole root r1']);
  t.equal((await list({ query: { target: '/ws/v2/auth/roles/r1' } })).length, 3);
  t.equal((await list({ query: { since: started } })).length, 7);
  t.equal((await list({ query: { until: started - 1 } })).length, 0);
  const [record] = (await root.listAudit({ query: { user: 'eve' } })).records;
  t.match(record, { status: 403, code: 'FORBIDDEN', remoteAddress: '127.0.0.1' });
  t.notOk(record && 'input' in record, 'the body of a refused one was not read');
  t.equal((await list({ query: { requestId: record?.requestId ?? '' } })).length, 1);

  const pages: string[] = [];
  let next: string | undefined;
  do {
    const page = await root.listAudit({ query: { limit: 2, ...(next ? { before: next } : {}) } });
    pages.push(...page.records.map(({ id }) => id));
    next = page.next;
  } while (next);
  t.equal(new Set(pages).size, 7, 'page by page, none twice');
  await refuses(t, root.listAudit({ query: { before: '../x' } }), { status: 400 });
});

t.test('secrets of any operation stay out, by schema and by name', async (t) => {
  const marker = 'correct-horse';
  const { records, options } = recording();
  const { login, admin, baseUrl } = await gatewayWithPasswords(t, options);
  await admin.createUser({ params: { user: 'ada' }, body: { password: marker, roles: ['developer'] } });
  const ada = await login('ada', marker);
  await ada.changeUser({ params: { user: 'ada' }, body: { oldPassword: marker, newPassword: `${marker}2` } });
  await ada.putSetting({ params: { user: 'ada', key: 'layout' }, body: { value: marker } });
  await refuses(t, login('ada', `${marker}3`), { status: 401 });
  await fetch(`${baseUrl}/ws/v2/login?password=${marker}`, { method: 'POST' });
  t.notMatch(JSON.stringify(records), marker);
  t.match(
    records.find(({ operation }) => operation === 'createUser'),
    {
      userName: 'admin',
      target: '/ws/v2/auth/users/ada',
      result: 'done',
      session: /^[\w-]{43}$/,
      input: { body: { password: '***', roles: ['developer'] } },
    },
  );
  t.match(records.filter(({ operation }) => operation === 'login').at(-2), {
    userName: 'ada',
    result: 'refused',
    code: 'LOGIN_FAILED',
  });

  const redact = redactorFor(
    z.object({
      plain: z.string(),
      code: z.string().meta({ writeOnly: true }),
      either: z.union([
        z.object({ pin: z.number().meta({ writeOnly: true }) }),
        z.object({ pin: z.string() }),
      ]),
      list: z.array(z.object({ pin: z.string().meta({ writeOnly: true }) })),
      map: z.record(z.string(), z.string().meta({ writeOnly: true })),
      free: z.unknown(),
    }),
  );
  const sent = {
    plain: 'seen',
    code: marker,
    either: { pin: marker },
    list: [{ pin: marker }],
    map: { any: marker },
    free: {
      bindPassword: marker,
      propertyName: 'smtp.password',
      propertyValue: marker,
      deep: { TOKEN: marker },
    },
  };
  const shown = JSON.stringify(redact(sent));
  t.notMatch(shown, marker);
  t.match(shown, 'seen');
  t.equal(redact(new Map()), '...');
  t.equal(JSON.stringify(redact({ plain: 'x'.repeat(10_000) })).length < 400, true, 'long texts are cut');

  const secretish = /password|secret/i;
  for (const { id, route } of changing) {
    const schema = route.body?.schema;
    if (!schema) continue;
    const names = Object.keys(
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {},
    );
    const filled = Object.fromEntries(names.map((name) => [name, `${marker}-${name}`]));
    const rest = JSON.stringify(redactorFor(schema)(filled));
    for (const name of names.filter((one) => secretish.test(one)))
      t.notMatch(rest, `${marker}-${name}`, `${id}: ${name}`);
  }
});

t.test('only administrators read it, also live, and nobody else writes it', async (t) => {
  const living = await newGateway(t, { auth: people });
  const root = living.newClient({ headers: { 'x-user': 'root', 'x-roles': 'admin' } });
  const eve = living.newClient({ headers: { 'x-user': 'eve', 'x-roles': 'operator,developer' } });
  await refuses(t, eve.listAudit(), { status: 403, message: 'Only an administrator may do this' });
  const seen: unknown[] = [];
  const refusedTo: string[] = [];
  root.subscribe('audit', (record) => seen.push(record));
  eve.subscribe(
    'audit',
    (record) => t.fail('eve hears it', { record }),
    ({ code }) => refusedTo.push(code),
  );
  await until(
    async () => refusedTo.length,
    (count) => count === 1,
  );
  let roles = 0;
  await until(
    async () => {
      await root.putRole({ params: { role: `r${roles++}` }, body: { permissions: [] } });
      return seen.length;
    },
    (count) => count > 0,
  );
  t.match(seen[0], { operation: 'putRole', userName: 'root', result: 'done' });
  eve.publish('audit', { operation: 'forged' });
  await root.deleteRole({ params: { role: 'r0' } });
  await until(
    async () => seen.at(-1),
    (record) => AuditRecord.parse(record).operation === 'deleteRole',
  );
  t.notMatch(JSON.stringify(seen), 'forged');
});

t.test('it is bounded: the oldest go, and refusals push out no change', async (t) => {
  const storage = memoryStorage();
  const warnings: string[] = [];
  const logger = {
    debug() {},
    info() {},
    warn: (_: object, text: string) => warnings.push(text),
    error() {},
  };
  const log = await openAuditLog({
    documents: storage.documents,
    logger,
    limits: { changes: 5, refusals: 7 },
  });
  const fields = (operation: string, result: AuditRecord['result'] = 'done') => ({
    time: 1,
    requestId: 'r',
    userName: 'u',
    remoteAddress: 'a',
    operation,
    method: 'PUT',
    target: '/',
    result,
    status: 200,
  });
  for (let i = 0; i < 12; i++) await log.append('changes', fields(`change ${i}`)).written;
  for (let i = 0; i < 20_000; i++) log.append('refusals', fields(`refusal ${i}`, 'refused'));
  await log.close();
  const read = async (one: typeof log) => {
    const found: string[] = [];
    for await (const { operation } of one.read()) found.push(operation);
    return found;
  };
  const found = await read(log);
  t.strictSame(
    found.filter((one) => one.startsWith('change')),
    [11, 10, 9, 8, 7].map((i) => `change ${i}`),
  );
  t.equal(found.length, 12);
  t.ok(warnings.length > 0, 'what was dropped is said');
  const kept = [];
  for await (const [key] of storage.documents.entries('audit')) kept.push(key);
  t.ok(kept.length <= 12, `and so it is on the disk: ${kept.length} documents`);

  const again = await openAuditLog({
    documents: storage.documents,
    logger,
    limits: { changes: 5, refusals: 7 },
  });
  t.strictSame(await read(again), found, 'as it was');
  await again.append('changes', fields('after')).written;
  t.equal((await read(again))[0], 'after', 'numbers go on');
  await again.close();
});

t.test('what began and did not end is among the changes of the next process', async (t) => {
  const storage = memoryStorage();
  const open = () =>
    openAuditLog({ documents: storage.documents, logger: silent, limits: { changes: 5, refusals: 5 } });
  const fields = (operation: string) => ({
    time: 1,
    requestId: operation,
    userName: 'u',
    remoteAddress: 'a',
    operation,
    method: 'PUT',
    target: '/',
    result: 'unknown' as const,
    status: 0,
  });
  const listed = async (log: Awaited<ReturnType<typeof open>>) => {
    const found: string[] = [];
    for await (const { operation, result } of log.read()) found.push(`${operation} ${result}`);
    return found;
  };
  const first = await open();
  const begun = ['lost', 'made', 'refused'].map((operation) => first.begin(fields(operation)));
  await first.documents.write([{ op: 'put', collection: 'others', key: 'what they change', value: 1 }]);
  t.strictSame(await listed(first), [], 'under way is not yet told');
  first.append('changes', { ...fields('made'), result: 'done' }, begun[1]);
  first.append('refusals', { ...fields('refused'), result: 'refused' }, begun[2]);
  t.strictSame(await listed(first), ['refused refused', 'made done']);
  const second = await open();
  t.strictSame(await listed(second), ['refused refused', 'made done', 'lost unknown']);
  await second.append('changes', { ...fields('next'), result: 'done' }).written;
  t.strictSame(await listed(await open()), ['next done', 'refused refused', 'made done', 'lost unknown']);
});

/** Of a segment: the ids in each of its parts. */
function partsOf(write: DocumentWrite): string {
  if (write.op !== 'put' || write.collection !== 'audit') return '';
  return Object.entries(Segment.parse(write.value))
    .filter(([, records]) => records.length > 0)
    .map(([part, records]) => ` ${part} ${records.map(({ id }) => id).join(' ')}`)
    .join('');
}

t.test('what began goes to the disk with the first change, and before it', async (t) => {
  const storage = memoryStorage();
  const written: string[][] = [];
  const documents = {
    ...storage.documents,
    write(batch: Parameters<typeof storage.documents.write>[0]) {
      written.push(batch.map((write) => `${write.op} ${write.key.replace(/0+(?=\d)/, '')}${partsOf(write)}`));
      return storage.documents.write(batch);
    },
  };
  const log = await openAuditLog({ documents, logger: silent, limits: { changes: 5, refusals: 5 } });
  const fields = {
    time: 1,
    requestId: 'r',
    userName: 'u',
    remoteAddress: 'a',
    operation: 'o',
    method: 'PUT',
    target: '/',
    result: 'unknown' as const,
    status: 0,
  };
  const [one, other] = [log.begin(fields), log.begin(fields)];
  t.strictSame(written, [], 'nothing is written yet');
  const change = log.documents.write([{ op: 'put', collection: 'others', key: 'change', value: 1 }]);
  t.strictSame(written.splice(0), [['put segments/1 begun 1 2'], ['put change']], 'in one turn');
  await change;
  await log.append('changes', { ...fields, result: 'done' }, one).written;
  t.strictSame(written, [], 'its record is on the disk already');
  log.append('refusals', { ...fields, result: 'refused' }, other);

  const third = log.begin(fields);
  await log.append('changes', { ...fields, result: 'done' }, third).written;
  t.strictSame(
    written.splice(0),
    [['put segments/2 changes 6 ends 3 4']],
    'nothing is written twice, and what ends goes with others',
  );

  log.begin(fields);
  await until(
    async () => written.length,
    (count) => count > 0,
  );
  t.strictSame(written, [['put segments/3 begun 7']], 'nor does it wait for long');
  await log.close();
});

t.test('so it does with what a driver of the cluster keeps', async (t) => {
  const storage = memoryStorage();
  const written: string[] = [];
  const documents = {
    ...storage.documents,
    write(batch: Parameters<typeof storage.documents.write>[0]) {
      written.push(...batch.map(({ collection, key }) => `${collection}/${key.replace(/\/.*/, '')}`));
      return storage.documents.write(batch);
    },
  };
  const cluster = emptyCluster();
  let kept: ClusterContext['storage'] | undefined;
  const { client } = await newGateway(t, {
    storage: { ...storage, documents },
    cluster: {
      ...cluster,
      async open(context) {
        kept = context.storage;
      },
      resourceManager: {
        ...cluster.resourceManager,
        async getApplication(appId) {
          await kept?.documents.write([{ op: 'put', collection: 'driver', key: 'seen', value: appId }]);
          return cluster.resourceManager.getApplication(appId);
        },
      },
    },
  });
  written.length = 0;
  await t.rejects(client.killApplication({ params: { appid: 'app_1' } }), { code: 'NOT_FOUND' });
  t.strictSame(written.slice(0, 2), ['audit/segments', 'driver/seen']);
});

t.test('many changes at once share the disk', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-audit-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const storage = await filesystemStorage({ directory });
  let writes = 0;
  const documents = {
    ...storage.documents,
    write(batch: Parameters<typeof storage.documents.write>[0]) {
      // Beginnings are written with what they begin, in one sync of the storage.
      if (batch.some((write) => / (changes|ends) /.test(partsOf(write)))) writes++;
      return storage.documents.write(batch);
    },
  };
  const { client } = await newGateway(t, { storage: { ...storage, documents } });
  await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      client.putSetting({ params: { user: `u${i}`, key: 'k' }, body: { value: i } }),
    ),
  );
  t.ok(writes < 150, `${writes} writes for 200 records`);
  t.equal((await client.listAudit({ query: { limit: 1000 } })).records.length, 200);
});

t.test('a storage that fails and a host that throws cost no answer', async (t) => {
  const storage = memoryStorage();
  const documents = {
    ...storage.documents,
    write: (batch: Parameters<typeof storage.documents.write>[0]) =>
      batch.some(({ collection }) => collection === 'audit')
        ? Promise.reject(new Error('disk full'))
        : storage.documents.write(batch),
  };
  const onRecord = () => {
    throw new Error('host');
  };
  const { client, logs } = await newGateway(t, { storage: { ...storage, documents }, audit: { onRecord } });
  await client.putRole({ params: { role: 'one' }, body: { permissions: [] } });
  t.match(
    logs.filter(({ level }) => level === 'error').map(({ message }) => message),
    [/could not be written/, /noted as it should/],
  );
});

t.test('input is kept whole up to 4,096 characters of JSON, and left out above', async (t) => {
  const { records, options } = recording({ auth: people });
  const { newClient } = await newGateway(t, options);
  const root = newClient({ headers: { 'x-user': 'root', 'x-roles': 'admin' } });
  const body = (count: number) => ({
    type: 'ldap' as const,
    configuration: Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'x'.repeat(240)])),
  });
  for (const count of [1, 16, 17]) {
    await root.putAuthConfig({ body: body(count) }).catch(() => {});
    const { input } = records.at(-1) ?? {};
    const { length } = JSON.stringify({ body: body(count) });
    if (count < 17) t.strictSame(input, { body: body(count) }, `${length} characters`);
    else t.strictSame(input, { leftOut: `${length} characters` });
  }
});

t.test('the record of an acknowledged change survives kill -9', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-audit-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const child = fork(new URL('./audit-crash.js', import.meta.url), [directory], { execArgv: [] });
  const acknowledged: number[] = [];
  child.on('message', (number) => acknowledged.push(Number(number)));
  await until(
    async () => acknowledged.length,
    (count) => count >= 30,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { client } = await newGateway(t, { storage: await filesystemStorage({ directory }) });
  const { records } = await client.listAudit({ query: { limit: 1000, operation: 'putSetting' } });
  t.match(records[0], {
    operation: 'putSetting',
    result: /^(done|unknown)$/,
    userName: String,
    input: Object,
  });
  t.equal(new Set(records.map(({ id }) => id)).size, records.length);
  const made = Object.keys(await client.listSettings({ params: { user: 'ada' } }));
  const kept = new Set(records.map(({ target }) => target));
  t.strictSame(
    acknowledged.filter((number) => !kept.has(`/ws/v2/profile/settings/ada/k${number}`)),
    [],
  );
  t.strictSame(
    made.filter((key) => !kept.has(`/ws/v2/profile/settings/ada/${key}`)),
    [],
    'nor was anything changed without one',
  );
});
