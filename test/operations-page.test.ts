import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { sessionLimits } from '../adapters/auth/cookie-sessions.js';
import { defaultArchiveLimits } from '../lib/features/app-packages/archive/limits.js';
import { defaultOutboxLimits } from '../lib/features/mail/outbox.js';
import { defaultForwardLimits } from '../lib/features/proxy/options.js';
import { defaultTunnelLimits } from '../lib/features/proxy/tunnels.js';
import { defaultServiceLimits } from '../lib/features/services/options.js';
import { readAlertOptions } from '../lib/features/system-alerts/options.js';
import { defaultTimeouts } from '../lib/model/timeouts.js';
import { defaultLimits } from '../lib/pubsub/limits.js';
import { defaultDockerLimits } from '../packages/containers/docker/options.js';
import { defaultProcessLimits } from '../packages/containers/process/options.js';
import { settingsFrom as localSettings } from '../packages/engine/settings/options.js';
import { settingsFrom as flinkSettings } from '../packages/flink/settings/options.js';
import { defaultJarLimits } from '../packages/jars/limits.js';
import { filesystemStorage } from '../packages/level/index.js';
import { settingsFrom as yarnSettings } from '../packages/yarn/settings/options.js';
import { testFolder } from './helpers/folder.js';
import { rowsOf, sources, unquoted } from './helpers/pages.js';
import { run } from './helpers/processes.js';
import { snippetsOf } from './helpers/snippets.js';
import { root } from './helpers/sources.js';

// docs/operations.md: its tables are held against the code; that of the log by log-events.test.ts.

const pagePath = join(root, 'docs/operations.md');
const page = readFileSync(pagePath, 'utf8');

const perUnit: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  days: 86_400_000,
};

/** `8 MiB`, `25 s`, `10,000`. */
function numberOf(cell = ''): number {
  if (cell === 'none') return Number.POSITIVE_INFINITY;
  const [, digits = '', unit = ''] = /^([\d,]+)(?: (\w+))?$/.exec(cell) ?? [];
  return digits === '' ? Number.NaN : Number(digits.replaceAll(',', '')) * (perUnit[unit] ?? 1);
}

/** The first number that stands under this name in a source: `name: 5`, `name = 5`, `name ?? 5`. */
function inSource(path: string, name: string): number | undefined {
  const text = sources.find((source) => source.path === path)?.text ?? '';
  const [, expression] =
    new RegExp(`\\b${name}(?:: | = | \\?\\? )([\\d_.* ]+)(?=[,;\\n })])`).exec(text) ?? [];
  return expression === undefined ? undefined : runInNewContext(expression);
}

const { memoryMB: _, ...localLimits } = localSettings({ directory: root }).limits;

const groups: Readonly<Record<string, object>> = {
  timeouts: defaultTimeouts,
  'pubsub.limits': defaultLimits,
  'proxy.limits': { ...defaultForwardLimits, ...defaultTunnelLimits },
  'packages.limits': defaultArchiveLimits,
  jarReader: defaultJarLimits,
  'services.limits': defaultServiceLimits,
  'alerts.limits': readAlertOptions().limits,
  'mail.limits': defaultOutboxLimits,
  passwordSessions: sessionLimits({}),
  'localCluster.limits': localLimits,
  'flinkCluster.limits': flinkSettings({ jobManagers: 'http://127.0.0.1:8081' }).limits,
  'yarnCluster.limits': yarnSettings({
    resourceManager: 'http://127.0.0.1:8088',
    files: 'file:///hadoop',
    gatewayAddress: '127.0.0.1:9090',
  }).limits,
  'dockerRuntime.limits': defaultDockerLimits,
  'processRuntime.limits': defaultProcessLimits,
};

/** Where options that stand alone have their defaults. */
const alone: Readonly<Record<string, string>> = {
  'packages.uploadsAtOnce': 'lib/features/app-packages/service.ts',
  'packages.changesAtOnce': 'lib/features/app-packages/service.ts',
  'audit.changes': 'lib/features/audit/service.ts',
  'audit.refusals': 'lib/features/audit/service.ts',
  'tokens.perUser': 'lib/features/tokens/service.ts',
  'tokens.total': 'lib/features/tokens/service.ts',
  'alerts.everyMillis': 'lib/features/system-alerts/options.ts',
  'alerts.scripts.limitMillis': 'lib/features/system-alerts/conditions/runner.ts',
  'alerts.scripts.heapMB': 'lib/features/system-alerts/conditions/runner.ts',
  'filesystemStorage.maxDocumentBytes': 'packages/level/index.ts',
  'filesystemStorage.maxPendingBytes': 'packages/level/index.ts',
  'filesystemStorage.cacheBytes': 'packages/level/index.ts',
  'smtpMailer.connectMillis': 'adapters/mail/smtp.ts',
  'smtpMailer.answerMillis': 'adapters/mail/smtp.ts',
  'ldapScheme.connectMillis': 'packages/directory/ldap.ts',
  'ldapScheme.answerMillis': 'packages/directory/ldap.ts',
  'ldapScheme.avoidMillis': 'packages/directory/ldap.ts',
  'ldapScheme.searchConnections': 'packages/directory/ldap.ts',
  'ldapScheme.idleMillis': 'packages/directory/ldap.ts',
  'localCluster.containerMemoryMB': 'packages/engine/settings/options.ts',
  'licensing.sampleMillis': 'lib/features/licenses/service.ts',
};

/** Interfaces of limits that no host sets, or that are part of another one. */
const inner =
  /^(SnapshotLimits|HistoryLimits|XmlLimits|TurnLimits|JsonLimits|SessionLimits|ConnectionLimits|DirectoryLimits|PoolLimits|PartLimits|HttpLimits|CliLimits|EventLimits|StatsLimits|KeyedWindowLimits|QueryLimits|RecordingLimits|CodeLimits)$/;

t.test('the limits that a host may move are all in the table, with their defaults', async (t) => {
  const rows = new Map(
    rowsOf('Limits', page)
      .filter(([name]) => name?.startsWith('`'))
      .map(([name, value]) => [unquoted(name), value]),
  );
  const found: [string, number | undefined][] = [
    ...Object.entries(groups).flatMap(([group, limits]) =>
      Object.entries(limits).map(([name, value]): [string, number] => [`${group}.${name}`, Number(value)]),
    ),
    ...Object.entries(alone).map(([name, path]): [string, number | undefined] => [
      name,
      inSource(path, name.slice(name.lastIndexOf('.') + 1)),
    ]),
  ];
  for (const [name, value] of found) t.equal(numberOf(rows.get(name)), value, name);
  t.strictSame(
    [...rows.keys()].filter((name) => !found.some(([known]) => known === name)),
    ['localCluster.limits.memoryMB'],
  );

  const interfaces = sources.flatMap(({ text }) =>
    [...text.matchAll(/^(?:export )?interface (\w+Limits)\b/gm)].map(([, name = '']) => name),
  );
  t.strictSame(interfaces.filter((name) => !inner.test(name)).toSorted(), [
    'AlertLimits',
    'ArchiveLimits',
    'DockerLimits',
    'FlinkLimits',
    'ForwardLimits',
    'HubLimits',
    'JarLimits',
    'LocalClusterLimits',
    'OutboxLimits',
    'ProcessLimits',
    'ServiceLimits',
    'TokenLimits',
    'TunnelLimits',
    'YarnLimits',
  ]);
});

t.test('docs/yarn.md tells the same waiting times and sizes', async (t) => {
  const yarn = readFileSync(join(root, 'docs/yarn.md'), 'utf8');
  const rows = rowsOf('How long it waits', yarn).filter(([name]) => name?.startsWith('`'));
  t.ok(rows.length > 6);
  for (const [cell = '', told] of rows) {
    const [, group = '', name = ''] = /^`(.+)\.(\w+)`$/.exec(cell) ?? [];
    t.equal(numberOf(told), Object.entries(groups[group] ?? {}).find(([key]) => key === name)?.[1], cell);
  }
  const sizes = [...yarn.matchAll(/`limits\.(\w+)` \(([^)]+)\)/g)];
  t.ok(sizes.length > 3);
  for (const [, name = '', told] of sizes)
    t.equal(
      numberOf(told),
      Object.entries(groups['yarnCluster.limits'] ?? {}).find(([key]) => key === name)?.[1],
      name,
    );
});

t.test('the fixed limits are those of the code', async (t) => {
  const rows = rowsOf('Limits', page).filter(
    ([, , where]) => where !== undefined && /^`\S+\.ts`: `/.test(where),
  );
  t.ok(rows.length > 30);
  for (const [what = '', bound, where = ''] of rows) {
    const [, path = '', name = ''] = /^`(\S+)`: `(\w+)`$/.exec(where) ?? [];
    t.equal(numberOf(bound), inSource(path, name), what);
  }
});

t.test('the subscriber of the page prints what was traced', async (t) => {
  const text =
    snippetsOf(pagePath).find(({ attributes }) => attributes['file'] === 'tracing.mjs')?.text ?? '';
  const traced =
    "await tracingChannel('headgate.cluster').tracePromise(async () => {}, { call: 'master.info' });";
  const printed = await run(process.execPath, ['--input-type=module', '-e', `${text}\n${traced}`], {
    cwd: root,
  });
  t.match(printed, /^master\.info [\d.]+ ok\n$/);
});

t.test('a backup is taken and brought back as the page says', async (t) => {
  const home = testFolder(t);
  mkdirSync(join(home, 'data'));
  const directory = join(home, 'data/storage');
  const commands = new Map(
    snippetsOf(pagePath).map(({ attributes, text }) => [attributes['backup'] ?? '', text]),
  );
  const before = await filesystemStorage({ directory });
  const key = await before.secretKey?.();
  await before.documents.write([{ op: 'put', collection: 'users', key: 'ann', value: { roles: [] } }]);
  await before.close();
  await run('bash', ['-ec', commands.get('save') ?? 'exit 1'], { cwd: home });

  const changed = await filesystemStorage({ directory });
  await changed.documents.write([{ op: 'delete', collection: 'users', key: 'ann' }]);
  await changed.close();
  await run('bash', ['-ec', commands.get('restore') ?? 'exit 1'], { cwd: home });

  const after = await filesystemStorage({ directory });
  t.match(await after.documents.get('users', 'ann'), { value: { roles: [] } });
  t.strictSame(await after.secretKey?.(), key);
  t.equal(statSync(join(directory, 'secrets.key')).mode & 0o077, 0, 'for its owner only');
  t.strictSame(
    readdirSync(directory).filter((name) => !page.includes(`\`${name}`)),
    [],
    'the page names what is in the directory',
  );
  await after.close();
});
