import { readFileSync } from 'node:fs';
import type { FlinkClusterOptions } from '@headgate/flink';
import type { YarnClusterOptions } from '@headgate/yarn';
import type { GatewayOptions } from 'headgate';
import { type Flags, readFlags, type Said, usageOf } from './flags.js';

const logLevels = ['debug', 'info', 'warn', 'error'];
const clusters = ['local', 'yarn', 'flink'];

const oneOf =
  (values: readonly string[]) =>
  (text: string): string | undefined =>
    values.includes(text)
      ? undefined
      : `is unknown; there are ${values.slice(0, -1).join(', ')} and ${values.at(-1)}`;

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const general: Flags = {
  port: {
    value: 'N',
    help: 'port to listen on (default 9090; 0 takes a free one)',
    problem: (text) =>
      /^\d+$/.test(text) && Number(text) <= 65535 ? undefined : 'is no port; write a number from 0 to 65535',
  },
  host: {
    value: 'H',
    help: 'address to listen on (default 127.0.0.1); without both,\nplatform.gateway.listenAddress of the site files',
  },
  data: { value: 'DIR', help: 'where everything is kept (default ./data)' },
  cluster: {
    value: 'C',
    help: 'local: the embedded engine (default); yarn: Apache Apex on a Hadoop YARN cluster;\nflink: Apache Flink',
    problem: oneOf(clusters),
  },
  demo: { help: 'launch the demo application, which follows the access log of this server' },
  'no-demo': { isTyped: true, help: 'do not, whatever --demo or its variable says' },
  'import-packages': {
    value: 'DIR',
    help: 'packages that users may import from this machine (default none)',
  },
  rescue: { help: 'local accounts only, whatever PUT /ws/v2/config/auth has said' },
  'admin-password-file': {
    value: 'FILE',
    help: 'password of the user admin at the first start (default: a generated one, printed\nonce); HEADGATE_ADMIN_PASSWORD holds one itself',
  },
  'min-password-length': {
    value: 'N',
    help: 'characters that new passwords have at least (default 8)',
    problem: (text) =>
      /^[1-9]\d{0,2}$/.test(text) && Number(text) <= 256
        ? undefined
        : 'is no length; write a number from 1 to 256',
  },
  'log-level': { value: 'L', help: 'debug, info (default), warn or error', problem: oneOf(logLevels) },
  'log-file': {
    value: 'FILE',
    help: 'where the log goes (default headgate.log of the data directory; - is\nstandard output)',
  },
  version: { isTyped: true, help: 'which version this is' },
  help: { isTyped: true, help: 'this text' },
};

const behindProxy: Flags = {
  'trust-proxy': {
    value: 'P',
    help: 'proxies that are believed about their clients: how many there are (1), or their\naddresses (loopback, 10.0.0.0/8; several with commas between; default: none)',
  },
  'secure-cookies': { help: 'cookies for TLS only, whatever the proxy says' },
  origin: {
    value: 'URL',
    isMany: true,
    help: 'https://console.example.org, whose pages may change things too; several times where\nthere are several',
    problem: (text) => (isOrigin(text) ? undefined : 'is no origin; write https://console.example.org'),
  },
};

const withYarn: Flags = {
  'resource-manager': {
    value: 'URL',
    isMany: true,
    help: 'http://rm.example.org:8088; several times where there are several',
  },
  files: {
    value: 'URL',
    help: 'http://namenode:50070, or file:/// (default: what the resource manager says)',
  },
  user: { value: 'NAME', help: 'who the gateway is to the cluster (default hadoop)' },
  apex: {
    value: 'FILE',
    help: "the engine's command line, which launches (default: nothing can be launched)",
  },
  'gateway-address': {
    value: 'H:P',
    help: 'where the nodes find this server (default: applications are not told)',
  },
};

const withFlink: Flags = {
  flink: {
    value: 'URL',
    isMany: true,
    help: 'REST address of the JobManager, http://jm.example.org:8081; several times where there\nare several. It says --cluster flink, too',
    problem: (text) =>
      isOrigin(text.replace(/\/+$/, '')) ? undefined : 'is no address; write http://jm.example.org:8081',
  },
  'flink-sql': {
    value: 'URL',
    help: 'address of its SQL gateway, http://sql.example.org:8083, for applications in SQL\n(default: none, and they are refused)',
    problem: (text) =>
      isOrigin(text.replace(/\/+$/, '')) ? undefined : 'is no address; write http://sql.example.org:8083',
  },
};

/** Every flag that there is. */
export const flags: Flags = { ...general, ...behindProxy, ...withYarn, ...withFlink };

export const usage = `Usage: headgate serve [options]
Each option can be said in the environment too, under the name below it; on and off are true and false there.

${usageOf(general)}

Behind a reverse proxy (docs/deployment.md of the package headgate):
${usageOf(behindProxy)}

With --cluster yarn:
${usageOf(withYarn)}

With a Flink cluster:
${usageOf(withFlink)}
`;

export interface Place {
  readonly port: number;
  readonly host: string;
}

export interface Settings {
  readonly place: Place;
  /** Whether the place was said, and not the default. */
  readonly isPlaced: boolean;
  readonly data: string;
  readonly demo: boolean;
  readonly importPackages: string | undefined;
  readonly rescue: boolean;
  readonly adminPassword: string | undefined;
  readonly minPasswordLength: number | undefined;
  readonly logLevel: string;
  readonly logFile: string | undefined;
  readonly trustProxy: NonNullable<GatewayOptions['trustProxy']>;
  readonly secureCookies: boolean;
  readonly origins: readonly string[];
  /** With neither of these: the embedded engine. */
  readonly yarn: YarnClusterOptions | undefined;
  readonly flink: Pick<FlinkClusterOptions, 'jobManagers' | 'sqlGateway'> | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line and the environment say. Throws an `Error` whose message says what to write. */
export function readSettings(
  args: readonly string[],
  environment: Environment,
): Settings | { readonly asks: 'help' | 'version' } {
  const said = readFlags(flags, args, environment);
  if (said.isOn('help')) return { asks: 'help' };
  if (said.isOn('version')) return { asks: 'version' };
  const cluster = clusterOf(said);
  const length = said.one('min-password-length');
  return {
    place: { port: Number(said.one('port') ?? 9090), host: said.one('host') ?? '127.0.0.1' },
    isPlaced: said.one('port') !== undefined || said.one('host') !== undefined,
    data: said.one('data') ?? './data',
    demo: cluster === 'local' && said.isOn('demo') && !said.isOn('no-demo'),
    importPackages: said.one('import-packages'),
    rescue: said.isOn('rescue'),
    adminPassword: adminPassword(said, environment),
    minPasswordLength: length === undefined ? undefined : Number(length),
    logLevel: said.one('log-level') ?? 'info',
    logFile: said.one('log-file'),
    trustProxy: trustedIn(said.one('trust-proxy')),
    secureCookies: said.isOn('secure-cookies'),
    origins: said.all('origin'),
    yarn: cluster === 'yarn' ? yarnOptions(said, environment) : undefined,
    flink: cluster === 'flink' ? flinkOptions(said) : undefined,
  };
}

function clusterOf(said: Said): string {
  const hasJobManager = said.all('flink').length > 0;
  const cluster = said.one('cluster') ?? (hasJobManager ? 'flink' : 'local');
  if ((cluster === 'yarn') !== said.all('resource-manager').length > 0)
    throw new Error('--cluster yarn and --resource-manager URL go together; write both, or neither');
  if ((cluster === 'flink') !== hasJobManager)
    throw new Error('--cluster flink and --flink URL go together; write --flink URL alone, or neither');
  if (cluster !== 'flink' && said.one('flink-sql') !== undefined)
    throw new Error('--flink-sql URL needs --flink URL: write both, or neither');
  return cluster;
}

/** A file may end in a line break, as editors write it. */
function adminPassword(said: Said, environment: Environment): string | undefined {
  const file = said.one('admin-password-file');
  if (file === undefined) return environment['HEADGATE_ADMIN_PASSWORD'] || undefined;
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new Error(`--admin-password-file ${file} can't be read${why}; name a file that holds the password`);
  }
}

/** A number of proxies, or where they are. */
function trustedIn(text: string | undefined): Settings['trustProxy'] {
  if (text === undefined) return false;
  return /^\d+$/.test(text) ? Number(text) : text;
}

function flinkOptions(said: Said): Settings['flink'] {
  const sqlGateway = said.one('flink-sql');
  return { jobManagers: said.all('flink'), ...(sqlGateway === undefined ? {} : { sqlGateway }) };
}

function yarnOptions(said: Said, environment: Environment): YarnClusterOptions {
  const files = said.one('files');
  const user = said.one('user');
  const apex = said.one('apex');
  const gatewayAddress = said.one('gateway-address');
  return {
    resourceManager: said.all('resource-manager'),
    ...(files === undefined ? {} : { files }),
    ...(user === undefined ? {} : { user }),
    ...(apex === undefined ? {} : { cli: { command: apex, environment: engineEnvironment(environment) } }),
    ...(gatewayAddress === undefined ? {} : { gatewayAddress }),
  };
}

/** What the command line of the engine needs to find Java and Hadoop; it gets nothing else of this process. */
function engineEnvironment(environment: Environment): Record<string, string> {
  const names = ['PATH', 'JAVA_HOME', 'HADOOP_HOME', 'HADOOP_PREFIX', 'HADOOP_CONF_DIR', 'DT_HADOOP'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value ? [[name, value]] : [];
    }),
  );
}

/** Of `host:port`, as the property `platform.gateway.listenAddress` has it. */
export function placeIn(address: string): Place {
  const { host = '', port = '' } = /^\[?(?<host>.*?)\]?:(?<port>\d+)$/.exec(address)?.groups ?? {};
  return { host, port: Number(port) };
}
