import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { configuredAuth } from '../adapters/auth/configured.js';
import { firstOf } from '../adapters/auth/first-of.js';
import { fromHost } from '../adapters/auth/from-host.js';
import { passwordSessions } from '../adapters/auth/password.js';
import { apiTokens } from '../adapters/auth/tokens.js';
import { trustedProxy } from '../adapters/auth/trusted-proxy.js';
import { expressMiddleware } from '../adapters/host/express.js';
import { attachWebSocket, httpHandler, inFrontOf } from '../adapters/host/http.js';
import { koaMiddleware } from '../adapters/host/koa.js';
import { smtpMailer } from '../adapters/mail/smtp.js';
import { memoryStorage } from '../adapters/storage/memory.js';
import { createGateway } from '../lib/index.js';
import { dockerRuntime, processRuntime } from '../packages/containers/index.js';
import { kerberosScheme, ldapScheme, pamScheme } from '../packages/directory/index.js';
import { localCluster } from '../packages/engine/index.js';
import { flinkCluster } from '../packages/flink/index.js';
import { jarReader } from '../packages/jars/index.js';
import { filesystemStorage } from '../packages/level/index.js';
import { yarnCluster } from '../packages/yarn/index.js';
import { emptyCluster } from './helpers/empty-cluster.js';
import { newGateway } from './helpers/gateway.js';

// What hosts get wrong, and what each of them is told at the start. Hosts in JavaScript have no compiler to tell it.

/** As a host in JavaScript may call it. */
const call = (of: (...given: never[]) => unknown, ...given: readonly unknown[]): unknown =>
  Reflect.apply(of, undefined, given);

/** A gateway that has all it needs, but for this mistake. */
const start = (mistake: object) =>
  call(createGateway, { storage: memoryStorage(), cluster: emptyCluster(), ...mistake });

class OwnSessions {
  async authenticate() {
    return undefined;
  }
}
class HalfAStorage {
  documents = memoryStorage().documents;
  blobs = memoryStorage().blobs;
  async close() {}
}

const anAuthenticator = 'an authenticator, such as passwordSessions() of headgate/auth/password';
const aStorage = 'filesystemStorage() of @headgate/level, or one of your own';
const aCluster = 'localCluster() of @headgate/engine, or one of your own';

type Row = readonly [written: string, act: () => unknown, told: string];

const ofTheGateway: readonly Row[] = [
  ['createGateway()', () => call(createGateway), `createGateway needs the option \`storage\`: ${aStorage}`],
  [
    "createGateway('./data')",
    () => call(createGateway, './data'),
    'createGateway takes an object with options, not a string',
  ],
  [
    'createGateway(null)',
    () => call(createGateway, null),
    `createGateway needs the option \`storage\`: ${aStorage}`,
  ],
  [
    '{ cluster }',
    () => start({ storage: undefined }),
    `createGateway needs the option \`storage\`: ${aStorage}`,
  ],
  [
    '{ storage }',
    () => start({ cluster: undefined }),
    `createGateway needs the option \`cluster\`: ${aCluster}`,
  ],
  [
    'orgins: [...]',
    () => start({ orgins: ['https://console.example.org'] }),
    'createGateway: there is no option `orgins`; did you mean `origins`?',
  ],
  [
    'authenticator: ...',
    () => start({ authenticator: passwordSessions() }),
    'createGateway: there is no option `authenticator`; did you mean `auth`?',
  ],
  [
    'mail: { consolUrl }',
    () => start({ mail: { consolUrl: 'https://console.example.org' } }),
    'createGateway: there is no option `mail.consolUrl`; did you mean `mail.consoleUrl`?',
  ],
  [
    'pubsub: { limits: { conections: 5 } }',
    () => start({ pubsub: { limits: { conections: 5 } } }),
    'createGateway: there is no option `pubsub.limits.conections`; did you mean `pubsub.limits.connections`?',
  ],
  [
    'site: { folder }',
    () => start({ site: { folder: './conf' } }),
    'createGateway: there is no option `site.folder`; there are directory, userFile',
  ],
  [
    'storage: memoryStorage',
    () => start({ storage: memoryStorage }),
    'createGateway: storage is the function memoryStorage: call it, storage: memoryStorage(...)',
  ],
  [
    'storage: filesystemStorage({ ... }), without await',
    () => start({ storage: Promise.resolve(memoryStorage()) }),
    `createGateway: storage is a promise: write \`await\` in front of what makes it: ${aStorage}`,
  ],
  [
    'storage: of a class that lacks a method',
    () => start({ storage: new HalfAStorage() }),
    `createGateway: storage lacks the method \`problems\`: give ${aStorage}`,
  ],
  [
    "storage: './data'",
    () => start({ storage: './data' }),
    `createGateway: storage must be ${aStorage}, not a string`,
  ],
  [
    'cluster: localCluster',
    () => start({ cluster: localCluster }),
    'createGateway: cluster is the function localCluster: call it, cluster: localCluster(...)',
  ],
  [
    'cluster: without a resource manager',
    () => start({ cluster: { ...emptyCluster(), resourceManager: undefined, master: undefined } }),
    `createGateway: cluster lacks the methods \`resourceManager.listApplications\`, \`resourceManager.getApplication\`, \`resourceManager.kill\`, \`resourceManager.metrics\`, \`resourceManager.about\`, \`master\`: give ${aCluster}`,
  ],
  [
    'auth: passwordSessions',
    () => start({ auth: passwordSessions }),
    'createGateway: auth is the function passwordSessions: call it, auth: passwordSessions(...)',
  ],
  [
    'auth: OwnSessions',
    () => start({ auth: OwnSessions }),
    'createGateway: auth is the class OwnSessions: write auth: new OwnSessions(...)',
  ],
  [
    'auth: async () => ...',
    () => start({ auth: async () => undefined }),
    `createGateway: auth is a function: give what it returns, ${anAuthenticator}, or 'none'`,
  ],
  [
    'auth: a promise',
    () => start({ auth: Promise.resolve(passwordSessions()) }),
    `createGateway: auth is a promise: write \`await\` in front of what makes it: ${anAuthenticator}, or 'none'`,
  ],
  [
    "auth: 'None'",
    () => start({ auth: 'None' }),
    `createGateway: auth must be 'none' or ${anAuthenticator}, not "None"`,
  ],
  [
    "auth: 'hunter2'",
    () => start({ auth: 'hunter2' }),
    `createGateway: auth must be 'none' or ${anAuthenticator}, not a string`,
  ],
  [
    'auth: { authentificate() {} }',
    () => start({ auth: { authentificate() {} } }),
    `createGateway: auth lacks the method \`authenticate\`: give ${anAuthenticator}, or 'none'`,
  ],
  [
    'authorize: a function',
    () => start({ authorize: () => true }),
    'createGateway: authorize must be an object with functions: { operation(question) {...} }, not the function authorize',
  ],
  [
    'authorize: { operations() {} }',
    () => start({ authorize: { operations: () => true } }),
    'createGateway: there is no option `authorize.operations`; did you mean `authorize.operation`?',
  ],
  [
    'lifecycle: { onRestart() {} }',
    () => start({ lifecycle: { onRestart() {} } }),
    'createGateway: lifecycle has none of the methods restart: give an object with functions: { restart() {...} }',
  ],
  [
    "initialAdmin: 'secret'",
    () => start({ initialAdmin: 'secret' }),
    'createGateway: initialAdmin must be an object, not a string',
  ],
  [
    'initialAdmin: { password: 12345678 }',
    () => start({ initialAdmin: { password: 12_345_678 } }),
    'createGateway: initialAdmin.password must be a string, not a number',
  ],
  [
    'passwords: { minlength: 12 }',
    () => start({ passwords: { minlength: 12 } }),
    'createGateway: there is no option `passwords.minlength`; did you mean `passwords.minLength`?',
  ],
  [
    'passwords: { minLength: 0 }',
    () => start({ passwords: { minLength: 0 } }),
    'createGateway: passwords.minLength must be at least 1 and at most 256, not 0',
  ],
  [
    'logger: a function',
    () => start({ logger: (line: string) => line }),
    'createGateway: logger is a function: give what it returns, a pino logger, or one of your own',
  ],
  [
    'logger: { info, error }',
    () => start({ logger: { info() {}, error() {} } }),
    'createGateway: logger lacks the methods `debug`, `warn`: give a pino logger, or one of your own',
  ],
  [
    'clock: { now }',
    () => start({ clock: { now: Date.now } }),
    'createGateway: clock lacks the method `monotonic`: give an object with both of them',
  ],
  [
    'mailer: smtpMailer',
    () => start({ mailer: smtpMailer }),
    'createGateway: mailer is the function smtpMailer: call it, mailer: smtpMailer(...)',
  ],
  [
    'containers: dockerRuntime',
    () => start({ containers: dockerRuntime }),
    'createGateway: containers is the function dockerRuntime: call it, containers: dockerRuntime(...)',
  ],
  [
    'packages: { jars: jarReader }',
    () => start({ packages: { jars: jarReader } }),
    'createGateway: packages.jars is the function jarReader: call it, packages.jars: jarReader(...)',
  ],
  [
    "origins: 'https://console.example.org'",
    () => start({ origins: 'https://console.example.org' }),
    'createGateway: origins must be a list, not a string: write origins: [...]',
  ],
  [
    "origins: ['console.example.org']",
    () => start({ origins: ['console.example.org'] }),
    'createGateway: origins[0] must be a whole origin, "https://console.example.org", not "console.example.org"',
  ],
  [
    "origins: ['https://console.example.org/streams/']",
    () => start({ origins: ['https://a.example.org', 'https://console.example.org/streams/'] }),
    'createGateway: origins[1] must be a whole origin, "https://console.example.org", not "https://console.example.org/streams/"',
  ],
  [
    "origins: ['https://Console.example.org:443']",
    () => start({ origins: ['https://Console.example.org:443'] }),
    'createGateway: origins[0] must be a whole origin, "https://console.example.org", not "https://Console.example.org:443"',
  ],
  [
    "origins: ['*']",
    () => start({ origins: ['*'] }),
    "createGateway: origins[0]: name each origin; '*' is none (pages of all origins: platform.gateway.allowCrossOrigin)",
  ],
  [
    "unknownPaths: 'pass'",
    () => start({ unknownPaths: 'pass' }),
    "createGateway: unknownPaths must be 'refuse' or 'host', not \"pass\"",
  ],
  [
    "timeouts: { masterMillis: '10s' }",
    () => start({ timeouts: { masterMillis: '10s' } }),
    'createGateway: timeouts.masterMillis must be a number of at least 1, not "10s"',
  ],
  [
    'timeouts: { launchMillis: -1 }',
    () => start({ timeouts: { launchMillis: -1 } }),
    'createGateway: timeouts.launchMillis must be at least 1, not -1',
  ],
  [
    'tokens: { perUser: NaN }',
    () => start({ tokens: { perUser: Number.NaN } }),
    'createGateway: tokens.perUser must be at least 0, not NaN',
  ],
  [
    'alerts: { everyMillis: 5 }',
    () => start({ alerts: { everyMillis: 5 } }),
    'createGateway: alerts.everyMillis must be at least 100, not 5',
  ],
  [
    "services: { stopOnClose: 'false' }",
    () => start({ services: { stopOnClose: 'false' } }),
    'createGateway: services.stopOnClose must be true or false, not "false"',
  ],
  [
    'mail: { limits: { mails: 0 } }',
    () => start({ mail: { limits: { mails: 0 } } }),
    'createGateway: mail.limits.mails must be at least 1, not 0',
  ],
  [
    "mail: { consoleUrl: 'console.example.org' }",
    () => start({ mail: { consoleUrl: 'console.example.org' } }),
    'createGateway: mail.consoleUrl must begin with http: or https:, not "console.example.org"',
  ],
  [
    "install: { mode: 'app' }",
    () => start({ install: { mode: 'app' } }),
    'createGateway needs the option `install.appPackageName`: the name of the package that is there from the start',
  ],
  [
    "pubsub: { trustedPublishers: [{ addresses: ['localhost'], topics: [''] }] }",
    () => start({ pubsub: { trustedPublishers: [{ addresses: ['localhost'], topics: [''] }] } }),
    'createGateway: pubsub.trustedPublishers[0].addresses[0]: "localhost" is no address; write 10.1.2.3 or 10.1.0.0/16',
  ],
  [
    'licensing: {}',
    () => start({ licensing: {} }),
    'createGateway needs the option `licensing.publicKeys`: those that licenses are signed with, as PEM',
  ],
];

t.test('what createGateway is given', async (t) => {
  for (const [written, act, told] of ofTheGateway)
    await t.rejects(Promise.resolve(act()), { name: 'TypeError', message: told }, written);
});

const ofFactories: readonly Row[] = [
  [
    "localCluster('./data')",
    () => call(localCluster, './data'),
    'localCluster takes an object with options, not a string',
  ],
  [
    'localCluster({ dir })',
    () => call(localCluster, { dir: './data' }),
    'localCluster: there is no option `dir`; did you mean `directory`?',
  ],
  [
    "localCluster({ directory: '' })",
    () => localCluster({ directory: '' }),
    'localCluster: directory must be a path, not ""',
  ],
  [
    'localCluster({ directory: a URL })',
    () => call(localCluster, { directory: pathToFileURL('/data') }),
    'localCluster: directory must be a path, not a URL: write fileURLToPath(url), of node:url',
  ],
  [
    "localCluster({ ..., operators: ['./operators.js'] })",
    () => localCluster({ directory: 'unused', operators: ['./operators.js'] }),
    'localCluster: operators[0] must be a whole URL, such as import.meta.resolve(\'./operators.js\'), not "./operators.js"',
  ],
  [
    "localCluster({ ..., addresses: 'private' })",
    () => call(localCluster, { directory: 'unused', addresses: 'private' }),
    "localCluster: addresses must be 'public', 'any' or a list such as ['public', '10.1.0.0/16']",
  ],
  [
    'localCluster({ ..., env: { PORT: 80 } })',
    () => call(localCluster, { directory: 'unused', env: { PORT: 80 } }),
    'localCluster: env.PORT must be a string, not a number',
  ],
  [
    'localCluster({ ..., limits: { container: 5 } })',
    () => call(localCluster, { directory: 'unused', limits: { container: 5 } }),
    'localCluster: there is no option `limits.container`; did you mean `limits.containers`?',
  ],
  [
    "filesystemStorage({ ..., cacheBytes: '8 MiB' })",
    () => call(filesystemStorage, { directory: 'unused', cacheBytes: '8 MiB' }),
    'filesystemStorage: cacheBytes must be a number of at least 1, not "8 MiB"',
  ],
  [
    'flinkCluster({ jobmanagers })',
    () => call(flinkCluster, { jobmanagers: ['http://jm.example.org:8081'] }),
    'flinkCluster: there is no option `jobmanagers`; did you mean `jobManagers`?',
  ],
  [
    "flinkCluster({ jobManagers: ['jm.example.org:8081'] })",
    () => flinkCluster({ jobManagers: ['jm.example.org:8081'] }),
    'flinkCluster: jobManagers[0] must be a URL such as http://jm.example.org:8081, not "jm.example.org:8081"',
  ],
  [
    'yarnCluster({ resourcemanager })',
    () => call(yarnCluster, { resourcemanager: 'http://rm.example.org:8088' }),
    'yarnCluster: there is no option `resourcemanager`; did you mean `resourceManager`?',
  ],
  [
    "yarnCluster({ resourceManager: 'rm.example.org:8088' })",
    () => yarnCluster({ resourceManager: 'rm.example.org:8088' }),
    'yarnCluster: resourceManager must be a URL such as http://rm.example.org:8088, not "rm.example.org:8088"',
  ],
  [
    'dockerRuntime({ socket })',
    () => call(dockerRuntime, { socket: '/run/docker.sock' }),
    'dockerRuntime: there is no option `socket`; there are host, hostPaths, hostNetwork, publishAddress, registries, limits',
  ],
  [
    'processRuntime({ ..., limits: { logFiles: 0 } })',
    () => processRuntime({ directory: 'unused', limits: { logFiles: 0 } }),
    'processRuntime: limits.logFiles must be at least 1, not 0',
  ],
  [
    'jarReader({ maxJar: 5 })',
    () => call(jarReader, { maxJar: 5 }),
    'jarReader: there is no option `maxJar`; did you mean `maxJars`?',
  ],
  [
    'ldapScheme({ url })',
    () => call(ldapScheme, { url: 'ldap://directory.example.org' }),
    'ldapScheme: there is no option `url`; there are connectMillis, answerMillis, avoidMillis, searchConnections, idleMillis',
  ],
  [
    'kerberosScheme({ keytab })',
    () => call(kerberosScheme, { keytab: '/etc/krb5.keytab' }),
    'kerberosScheme: there is no option `keytab`; there are krb5Config, replayCacheDirectory, execPath',
  ],
  [
    'pamScheme({ sockets })',
    () => call(pamScheme, { sockets: '/run/saslauthd/mux' }),
    'pamScheme: there is no option `sockets`; did you mean `socket`?',
  ],
  [
    'smtpMailer({ host })',
    () => call(smtpMailer, { host: 'mail.example.org' }),
    'smtpMailer: there is no option `host`; there are ca, pfx, passphrase, connectMillis, answerMillis',
  ],
  [
    'passwordSessions({ idleMilis })',
    () => call(passwordSessions, { idleMilis: 5 }),
    'passwordSessions: there is no option `idleMilis`; did you mean `idleMillis`?',
  ],
  [
    'passwordSessions({ cookie: { httpOnly } })',
    () => call(passwordSessions, { cookie: { httpOnly: true } }),
    'passwordSessions: there is no option `cookie.httpOnly`; there are name, domain, path, secure, sameSite',
  ],
  [
    'configuredAuth({ schemes: directorySchemes })',
    () => call(configuredAuth, { schemes: function directorySchemes() {} }),
    'configuredAuth: schemes must be an object, not the function directorySchemes',
  ],
  [
    'apiTokens(lookUp)',
    () => call(apiTokens, () => undefined),
    'apiTokens takes an object with options, not a function',
  ],
  ['fromHost()', () => call(fromHost), 'fromHost: the callback must be a function, not undefined'],
  [
    'firstOf([one, other])',
    () => call(firstOf, [passwordSessions(), apiTokens()]),
    'firstOf: argument 1 must be an authenticator: firstOf(one, other), not a list',
  ],
  [
    'trustedProxy()',
    () => call(trustedProxy),
    'trustedProxy needs the option `proof`: { secret } that the proxy sends along, or { certificates } that it shows',
  ],
];

t.test('what is given to what a gateway is made of', async (t) => {
  for (const [written, act, told] of ofFactories)
    await t.rejects(async () => act(), { name: 'TypeError', message: told }, written);
});

t.test('what is mounted', async (t) => {
  const { gateway } = await newGateway(t);
  const server = createServer();
  const coming = Promise.resolve(gateway);
  const notYet = (caller: string) =>
    `${caller}: gateway is a promise: write \`await\` in front of what makes it: \`await createGateway(...)\``;
  const rows: readonly Row[] = [
    ['httpHandler(createGateway(...))', () => call(httpHandler, coming), notYet('httpHandler')],
    [
      'expressMiddleware(createGateway(...))',
      () => call(expressMiddleware, coming),
      notYet('expressMiddleware'),
    ],
    ['koaMiddleware(createGateway(...))', () => call(koaMiddleware, coming), notYet('koaMiddleware')],
    ['inFrontOf(server, createGateway(...))', () => call(inFrontOf, server, coming), notYet('inFrontOf')],
    [
      'attachWebSocket(server, createGateway(...))',
      () => call(attachWebSocket, server, coming),
      notYet('attachWebSocket'),
    ],
    [
      'httpHandler()',
      () => call(httpHandler),
      'httpHandler: gateway must be `await createGateway(...)`, not undefined',
    ],
    [
      'app.use(expressMiddleware), which Express calls with a request',
      () => call(expressMiddleware, new EventEmitter(), {}, () => {}),
      'expressMiddleware: gateway lacks the methods `handle`, `owns`, `operationAt`, `pubsub.accept`: give `await createGateway(...)`',
    ],
    [
      "koaMiddleware(gateway, '/console')",
      () => call(koaMiddleware, gateway, '/console'),
      'koaMiddleware takes an object with options, not a string',
    ],
    [
      'httpHandler(gateway, { path })',
      () => call(httpHandler, gateway, { path: '/console' }),
      'httpHandler: there is no option `path`; there is only prefix',
    ],
    [
      "httpHandler(gateway, { prefix: 'console' })",
      () => httpHandler(gateway, { prefix: 'console' }),
      'The prefix "console" is no path: write it as in a URL, beginning with "/"',
    ],
    [
      "attachWebSocket(server, gateway, { prefix: 'https://example.org/console' })",
      () => attachWebSocket(server, gateway, { prefix: 'https://example.org/console' }),
      'The prefix "https://example.org/console" is no path: write it as in a URL, beginning with "/"',
    ],
    [
      'attachWebSocket(app, gateway)',
      () => call(attachWebSocket, new EventEmitter(), gateway),
      'attachWebSocket: server lacks the method `address`: give a server of Node: what createServer(app) of node:http or app.listen(...) returned',
    ],
  ];
  for (const [written, act, told] of rows) t.throws(act, { name: 'TypeError', message: told }, written);
  t.equal(server.listenerCount('upgrade'), 0, 'nothing was mounted');
});

t.test('what belongs to one gateway is refused by the next', async (t) => {
  const auth = passwordSessions();
  const cluster = emptyCluster();
  const first = await createGateway({ storage: memoryStorage(), cluster, auth });
  t.teardown(first.close);
  await t.rejects(createGateway({ storage: memoryStorage(), cluster: emptyCluster(), auth }), {
    message: 'passwordSessions: in use by another gateway; make one for each',
  });
});

t.test('what is no mistake', async (t) => {
  class Sessions extends OwnSessions {}
  const log = Object.assign(() => {}, { debug() {}, info() {}, warn() {}, error() {} });
  const options = {
    storage: memoryStorage(),
    cluster: emptyCluster(),
    auth: new Sessions(),
    logger: log,
    origins: ['https://console.example.org:8443', 'app://desktop', 'http://[::1]:3000'],
    // What a host in JavaScript has not set.
    licensing: undefined,
    lifecycle: { restart: undefined },
    authorize: {},
    timeouts: { launchMillis: 5000, masterMillis: undefined },
  };
  const gateway = await createGateway(Object.assign(Object.create(null), options));
  t.equal(gateway.owns('/ws/v2/about'), true);
  await gateway.close();
});
