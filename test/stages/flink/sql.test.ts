import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Client, createClient } from '../../../lib/client.js';
import { flinkCluster } from '../../../packages/flink/index.js';
import { folderBesideBuilt } from '../../helpers/folder.js';
import { packageOf } from '../../helpers/packages.js';
import { start } from '../../helpers/processes.js';
import { snippetIn, snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { until } from '../../helpers/waiting.js';
import { administrator } from '../console/running-server.js';
import { flinkParts, flinkVersions, sqlJarsOf } from './artifacts.js';
import { startFlink } from './cluster.js';
import { contractOptions, realContract } from './contract.js';
import { countedGateway } from './driven.js';
import { ask, untilJobRuns } from './jobs.js';
import { startSqlGateway } from './sql-gateway.js';

// Applications in SQL on a real Flink with its SQL gateway, beside what Flink's own REST APIs say of them; those of docs/flink.md; and the
// contract of drivers, which needs the same cluster.

const statements = [
  "CREATE TABLE words (word STRING, n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '50', 'fields.word.length' = '1')",
  "CREATE TABLE counts (word STRING, n BIGINT) WITH ('connector' = 'blackhole'); -- gone when the session is",
  "SET 'parallelism.default' = '1'",
  `EXECUTE STATEMENT SET BEGIN
    INSERT INTO counts SELECT word, COUNT(*) FROM words GROUP BY word;
    INSERT INTO counts SELECT 'all', COUNT(*) FROM words;
  END;`,
];

const snippets = snippetsOf('docs/flink.md');
const ofPage = snippetIn(snippets, 'example', 'sql').text;
const [, queryOfPage = ''] = /post '(\{.*\})'/.exec(snippetIn(snippets, 'sample').text) ?? [];

interface Real {
  readonly client: Client;
  readonly rest: string;
  readonly params: { owner: string; name: string; version: string; appName: string };
}

for (const version of flinkVersions)
  t.test(`Flink ${version}`, async (t) => {
    const parts = await flinkParts(version);
    const libraries = await sqlJarsOf(parts);
    const options = {
      ...contractOptions,
      'web.refresh-interval': 200,
      'metrics.fetcher.update-interval': 200,
      'execution.checkpointing.interval': '1 s',
    };
    const cluster = await startFlink(parts, { taskManagers: 1, slots: 4, libraries, options });
    t.teardown(() => cluster.close());
    const gateway = await startSqlGateway(parts, libraries, cluster);
    t.teardown(() => gateway.close());
    const { rest } = cluster;
    const driver = flinkCluster({ jobManagers: rest, sqlGateway: gateway.rest, pollMillis: 500 });
    const { client } = await countedGateway(t, version, { cluster: driver });
    const app = { kind: 'sql', displayName: 'Words', statements };
    const body = packageOf(
      { name: 'words' },
      {
        'app/words.json': JSON.stringify(app),
        'app/page.json': ofPage,
      },
    );
    const { owner } = await client.uploadPackage({ body });
    const params = { owner, name: 'words', version: '1.0.0', appName: 'words' };
    const real = { client, rest, params };
    await t.test('a launch, and another from its savepoint', (t) => launched(t, real));
    await t.test('what fails', (t) => failing(t, real));
    await t.test('samples', (t) => samples(t, real));
    await t.test('the contract of drivers', (t) =>
      realContract(t, { parts, rest, sqlGateway: gateway.rest }),
    );
    if (version === '2.3.0') {
      await t.test('the page', (t) => page(t, real));
      await t.test('the bundled server', (t) => bundled(t, real, gateway.rest));
    }
  });

async function launched(t: Test, { client, rest, params }: Real) {
  const { appId: appid } = await client.launchPackageApplication({ params });
  await untilJobRuns(rest, appid);
  t.match(await ask(rest, `/jobs/${appid}`), { jid: appid, name: 'words', state: 'RUNNING' });
  t.match(await client.getApplication({ params: { appid } }), {
    name: 'words',
    state: 'RUNNING',
    user: params.owner,
    appPackageSource: { name: 'words', appName: 'words' },
  });
  await t.rejects(client.launchPackageApplication({ params }), { code: 'APPLICATION_NAME_TAKEN' });
  await client.shutdownApplication({ params: { appid } });
  const { appId: next } = await until(
    () => client.restartApplication({ params: { appid } }).catch(() => ({ appId: '' })),
    ({ appId }) => appId !== '',
  );
  await untilJobRuns(rest, next);
  const told = await ask<{ latest: { restored: { is_savepoint: boolean; external_path: string } | null } }>(
    rest,
    `/jobs/${next}/checkpoints`,
  );
  t.equal(told.latest.restored?.is_savepoint, true);
  await client.killApplication({ params: { appid: next } });
}

async function failing(t: Test, { client, rest, params }: Real) {
  const before = await ask<{ jobs: object[] }>(rest, '/jobs/overview');
  const launch = async (changed: readonly string[], body: Record<string, string> = {}) => {
    const at = { ...params, appName: 'failing' };
    const put = await client.putPackageApplication({
      params: at,
      body: { kind: 'sql', statements: [...changed] },
    });
    t.strictSame(put, {}, 'nothing that can be told without Flink');
    const error: unknown = await client
      .launchPackageApplication({ params: at, body })
      .catch((thrown: unknown) => thrown);
    t.match(error, { status: 400, code: 'ENGINE_REFUSED' });
    t.comment(Reflect.get(Object(error), 'message'));
    t.notMatch(JSON.stringify(error), /\bat org\.|\bat java|Exception:/);
    return error;
  };
  const [words = '', counts = '', , insert = ''] = statements;
  t.match(await launch([words, words, insert]), { message: /^Statement 2: .*already exists/ });
  t.match(await launch([words, 'CREATE TABEL x', insert]), { message: /^Statement 2: / });
  t.match(await launch([words, insert]), { message: /^Statement 2: .*counts/ });
  t.match(await launch([words, counts, insert], { 'flink.savepoint': 'file:///nowhere/at/all' }), {
    message: /^Statement 3: .*nowhere/,
  });
  const made = 'CREATE VIEW v AS SELECT 1';
  t.match(await launch([made, words, counts, "INSERT INTO counts SELECT 'a', 'b'"]), {
    message: /^Statement 4: /,
  });
  const after = await ask<{ jobs: { state: string }[] }>(rest, '/jobs/overview');
  t.strictSame(
    after.jobs.filter(({ state }) => !/FAILED|CANCELED|FINISHED|CANCELLING/.test(state)),
    [],
    'nothing runs',
  );
  t.ok(
    after.jobs.length - before.jobs.length <= 1,
    'but for the one whose savepoint is not there, none was made',
  );
}

async function samples(t: Test, { client, rest, params }: Real) {
  const sample = (query: string, rows = 20) =>
    client.samplePackageApplication({ params, body: { query, rows } });
  const found = await sample('SELECT word, n, CURRENT_TIMESTAMP AS seen, MAP[word, n] AS m FROM words');
  t.match(found, {
    columns: [{ name: 'word', type: 'VARCHAR' }, { name: 'n', type: 'INTEGER' }, { name: 'seen' }],
  });
  t.strictSame([found.rows.length, found.cut], [20, 'rows']);
  t.match(found.rows[0], { kind: 'INSERT', values: [/^.$/s, Number] });
  const counted = await sample('SELECT word, COUNT(*) FROM words GROUP BY word');
  t.ok(counted.rows.some(({ kind }) => kind === 'UPDATE_AFTER'));
  const large =
    'SELECT CAST(9007199254740993 AS BIGINT) AS a, CAST(-9223372036854775808 AS BIGINT) AS b, 7 AS c, CAST(123456789012345.6789 AS DECIMAL(20, 4)) AS d';
  t.match(await sample(large), {
    rows: [{ values: ['9007199254740993', '-9223372036854775808', 7, '123456789012345.6789'] }],
  });
  t.match(await sample('DESCRIBE words'), {
    rows: [{ values: ['word', 'STRING'] }, { values: ['n', 'INT'] }],
  });
  t.match(await sample('SHOW TABLES'), {
    rows: [{ values: ['counts'] }, { values: ['words'] }],
    cut: undefined,
  });
  t.match(await sample('EXPLAIN SELECT * FROM words'), { rows: [{ values: [/Physical/] }] });
  t.match(await sample('WITH a AS (SELECT 1 AS x) SELECT x FROM a'), {
    rows: [{ values: [1] }],
    cut: undefined,
  });
  await t.rejects(sample('SELECT * FROM nowhere'), { code: 'ENGINE_REFUSED', message: /nowhere/ });
  await until(
    () => ask<{ jobs: { name: string; state: string }[] }>(rest, '/jobs/overview'),
    ({ jobs }) => jobs.every(({ state }) => /FAILED|CANCELED|FINISHED/.test(state)),
  );
}

async function page(t: Test, { client, rest, params: words }: Real) {
  const params = { ...words, appName: 'page' };
  const { appId: appid } = await client.launchPackageApplication({ params });
  await untilJobRuns(rest, appid);
  const body: { query: string; rows: number } = JSON.parse(queryOfPage);
  const { rows, cut } = await client.samplePackageApplication({ params, body });
  t.strictSame([rows.length, cut], [body.rows, 'rows']);
  await client.killApplication({ params: { appid } });
}

/** As the page starts it, with the addresses of this machine. */
async function bundled(t: Test, { rest }: Real, sqlGateway: string) {
  const [, jobManagerFlag = '', sqlFlag = ''] =
    /npm start -- (--\S+) \S+ (--\S+) \S+/.exec(snippetIn(snippets, 'start-sql').text) ?? [];
  const folder = folderBesideBuilt(t, 'flink-sql-server');
  const server = start(
    process.execPath,
    [
      join(root, 'examples/server/server.js'),
      ...[jobManagerFlag, rest, sqlFlag, sqlGateway, '--port', '0', '--data', folder],
    ],
    { cwd: root, env: { HEADGATE_ADMIN_PASSWORD: administrator.password } },
  );
  t.teardown(() => server.stop());
  const [, baseUrl = ''] = await server.printed(/Headgate listening on (\S+)/);
  const client = createClient({ baseUrl });
  t.teardown(async () => client.close());
  await client.login({ body: administrator });
  const body = packageOf({ name: 'page' }, { 'app/page.json': ofPage });
  const { owner } = await client.uploadPackage({ body });
  const params = { owner, name: 'page', version: '1.0.0', appName: 'page' };
  const { appId: appid } = await client.launchPackageApplication({ params });
  await untilJobRuns(rest, appid);
  await client.killApplication({ params: { appid } });
}
