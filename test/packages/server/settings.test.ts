import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { rowsOf as rowsOfFlags } from '../../../packages/server/flags.js';
import { flags, readSettings, usage } from '../../../packages/server/settings.js';
import { testFolder } from '../../helpers/folder.js';
import { rowsOf, unquoted } from '../../helpers/pages.js';
import { root } from '../../helpers/sources.js';

// What the bundled server takes from the command line and from the environment.

t.test('each flag is told by --help and by the page, with its variable', async (t) => {
  const page = readFileSync(join(root, 'docs/deployment.md'), 'utf8');
  const told = rowsOf('Options', page).filter(([flag]) => flag?.startsWith('`--'));
  t.strictSame(
    told.map(([flag, variable, help]) => [unquoted(flag), unquoted(variable), help]),
    rowsOfFlags(flags).map(({ flag, variable = '', help }) => [flag, variable, help.replaceAll('\n', ' ')]),
  );
  for (const { flag, variable = flag } of rowsOfFlags(flags)) {
    t.ok(usage.includes(`  ${flag} `), flag);
    t.ok(usage.includes(variable), variable);
  }
});

const passwordFile = join(testFolder(t), 'password');
writeFileSync(passwordFile, 'from a file\n');

t.test('the environment says what the command line may say, and the command line goes first', async (t) => {
  const yarn = ['--cluster', 'yarn', '--resource-manager', 'http://a:8088'];
  const table: readonly (readonly [readonly string[], Readonly<Record<string, string>>, object])[] = [
    [[], {}, { place: { port: 9090, host: '127.0.0.1' }, isPlaced: false, demo: false, trustProxy: false }],
    [[], { HEADGATE_PORT: '8080' }, { place: { port: 8080, host: '127.0.0.1' }, isPlaced: true }],
    [['--port', '1'], { HEADGATE_PORT: '8080', HEADGATE_HOST: '::1' }, { place: { port: 1, host: '::1' } }],
    [[], { HEADGATE_PORT: '', HEADGATE_HELP: 'yes', HEADGATE_VERSION: '1.2' }, { isPlaced: false }],
    [['--demo'], {}, { demo: true }],
    [['--demo', '--no-demo'], {}, { demo: false }],
    [[], { HEADGATE_DEMO: 'true', HEADGATE_SECURE_COOKIES: 'false' }, { demo: true, secureCookies: false }],
    [['--trust-proxy', '2'], {}, { trustProxy: 2 }],
    [[], { HEADGATE_TRUST_PROXY: 'loopback, 10.0.0.0/8' }, { trustProxy: 'loopback, 10.0.0.0/8' }],
    [
      ['--origin', 'https://a.org', '--origin', 'https://b.org'],
      {},
      { origins: ['https://a.org', 'https://b.org'] },
    ],
    [
      [],
      { HEADGATE_ORIGIN: 'https://a.org, https://b.org' },
      { origins: ['https://a.org', 'https://b.org'] },
    ],
    [[], { HEADGATE_ADMIN_PASSWORD: 'given' }, { adminPassword: 'given' }],
    [
      [],
      { HEADGATE_ADMIN_PASSWORD: 'given', HEADGATE_ADMIN_PASSWORD_FILE: passwordFile },
      { adminPassword: 'from a file' },
    ],
    [[], { HEADGATE_MIN_PASSWORD_LENGTH: '12' }, { minPasswordLength: 12 }],
    [yarn, { JAVA_HOME: '/java' }, { yarn: { resourceManager: ['http://a:8088'] }, demo: false }],
    [
      [],
      {
        HEADGATE_CLUSTER: 'yarn',
        HEADGATE_RESOURCE_MANAGER: 'http://a:1,http://b:1',
        HEADGATE_APEX: 'apex',
        PATH: '/bin',
        KEY: 'k',
      },
      {
        yarn: {
          resourceManager: ['http://a:1', 'http://b:1'],
          cli: { command: 'apex', environment: { PATH: '/bin', KEY: undefined } },
        },
      },
    ],
    [
      ['--flink', 'http://a:8081', '--demo'],
      {},
      { flink: { jobManagers: ['http://a:8081'] }, yarn: undefined, demo: false },
    ],
    [
      [],
      { HEADGATE_FLINK: 'http://a:1,http://b:2/' },
      { flink: { jobManagers: ['http://a:1', 'http://b:2/'], sqlGateway: undefined } },
    ],
    [
      ['--flink', 'http://a:8081', '--flink-sql', 'http://a:8083/'],
      {},
      { flink: { jobManagers: ['http://a:8081'], sqlGateway: 'http://a:8083/' } },
    ],
    [
      [],
      { HEADGATE_FLINK: 'http://a:1', HEADGATE_FLINK_SQL: 'http://b:2' },
      { flink: { jobManagers: ['http://a:1'], sqlGateway: 'http://b:2' } },
    ],
    [['--help'], {}, { asks: 'help' }],
    [['--version'], {}, { asks: 'version' }],
  ];
  for (const [args, environment, wanted] of table)
    t.match(
      readSettings(args, environment),
      wanted,
      `${args.join(' ')} ${Object.keys(environment).join(' ')}`,
    );
});

t.test('what can not be taken is named as it was written, with what to write', async (t) => {
  const table: readonly (readonly [readonly string[], Readonly<Record<string, string>>, string | RegExp])[] =
    [
      [['--port', 'x'], {}, '--port x is no port; write a number from 0 to 65535'],
      [[], { HEADGATE_PORT: 'tcp://10.0.0.1:9090' }, /^HEADGATE_PORT tcp:\S+ is no port; write a number/],
      [['--nonsense'], {}, /Unknown option '--nonsense'/],
      [['serve'], {}, /Unexpected argument 'serve'/],
      [['--log-level', 'all'], {}, '--log-level all is unknown; there are debug, info, warn and error'],
      [['--cluster', 'storm'], {}, '--cluster storm is unknown; there are local, yarn and flink'],
      [
        ['--cluster', 'flink'],
        {},
        '--cluster flink and --flink URL go together; write --flink URL alone, or neither',
      ],
      [['--flink', 'jm:8081'], {}, '--flink jm:8081 is no address; write http://jm.example.org:8081'],
      [
        ['--flink', 'http://a:1', '--flink-sql', 'sql:8083'],
        {},
        '--flink-sql sql:8083 is no address; write http://sql.example.org:8083',
      ],
      [['--flink-sql', 'http://a:1'], {}, '--flink-sql URL needs --flink URL: write both, or neither'],
      [
        ['--cluster', 'yarn', '--resource-manager', 'http://a:1', '--flink', 'http://b:2'],
        {},
        /^--cluster flink and --flink URL go together/,
      ],
      [
        ['--cluster', 'yarn'],
        {},
        '--cluster yarn and --resource-manager URL go together; write both, or neither',
      ],
      [[], { HEADGATE_RESOURCE_MANAGER: 'http://a:1' }, /go together; write both, or neither/],
      [
        [],
        { HEADGATE_RESCUE: '1' },
        'HEADGATE_RESCUE 1 is neither true nor false; write HEADGATE_RESCUE=true',
      ],
      [
        [],
        { HEADGATE_ORIGIN: 'https://a.org,b.org' },
        'HEADGATE_ORIGIN b.org is no origin; write https://console.example.org',
      ],
      [
        ['--min-password-length', '0'],
        {},
        '--min-password-length 0 is no length; write a number from 1 to 256',
      ],
      [
        ['--admin-password-file', '/nowhere'],
        {},
        "--admin-password-file /nowhere can't be read (ENOENT); name a file that holds the password",
      ],
    ];
  for (const [args, environment, message] of table)
    t.throws(
      () => readSettings(args, environment),
      { message },
      `${args.join(' ')} ${Object.keys(environment).join(' ')}`,
    );
});
