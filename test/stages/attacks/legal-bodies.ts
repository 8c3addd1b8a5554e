import type { HostLaunch } from '../../../lib/index.js';
import { allPermissions } from '../../../lib/model/permissions.js';

// The largest bodies that are right from end to end, of each operation whose own are not found by its schema alone: what
// they name is there on the server of `bodies-server.ts`. `{unique}` is another number each time.

export interface LegalBody {
  readonly what: string;
  readonly body: string;
  /** In place of names in the path of the route. */
  readonly names?: Readonly<Record<string, string>>;
}

/** What the server has told. */
export interface Living {
  readonly operatorIds: Readonly<Record<string, string>>;
  readonly license: string;
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const long = (length: number, letter = 'v') => letter.repeat(length);
const named = (index: number, length: number) => `n${index}-`.padEnd(length, 'n');
const byName = (count: number, nameLength: number, value: unknown) =>
  Object.fromEntries(many(count, (i) => [named(i, nameLength), value]));

export const longRole = long(64, 'r');
/** In as many bytes as it may have. */
export const longPassword = '\n'.repeat(1024);
/** Files of the import directory. */
export const importable = many(100, (i) => `${named(i, 250)}.apa`);

/** With an operator that takes any number of properties. */
export function openMap(application: HostLaunch['application']): HostLaunch['application'] {
  const { operators, streams } = application;
  return {
    ...application,
    operators: [...operators, { name: 'map', class: 'headgate.transform.Map', properties: {} }],
    streams: streams.map((stream) =>
      stream.name === 'records'
        ? { ...stream, sinks: [...stream.sinks, { operatorName: 'map', portName: 'input' }] }
        : stream,
    ),
  };
}

const permissions = {
  readOnly: { users: many(1000, (i) => named(i, 128)), roles: many(1000, (i) => named(i, 128)) },
  readWrite: { users: many(1000, (i) => named(i, 128)), roles: many(1000, (i) => named(i, 128)) },
};

const constant = 'dt.operator.map.prop.constants';
const launches = {
  'many properties': Object.fromEntries(many(1_990, (i) => [`${constant}.key${i}`, long(400)])),
  'one long value': { [`${constant}.key`]: long(900_000) },
  'long keys': Object.fromEntries(many(950, (i) => [`${constant}.${named(i, 200)}`, long(700)])),
  'deep keys': Object.fromEntries(many(165, (i) => [`${constant}.k${i}${long(58, '.a')}`, 1])),
  'properties of all': Object.fromEntries(
    many(1_900, (i) => [`dt.application.*.operator.*.prop.constants.key${i}`, long(400)]),
  ),
  'properties of all ports': Object.fromEntries(
    many(1_200, (i) => [`dt.operator.*.port.*.attr.c${i}.QUEUE_CAPACITY`, '1024']),
  ),
  'many containers': { 'dt.operator.map.attr.PARTITIONER': '20' },
};

const property = { requestType: 'SetOperatorPropertyRequest', operatorName: 'source', propertyName: 'seed' };
/** The last one is wrong, so that everything before it is looked at and nothing is done. */
const undone = (requests: readonly object[]) => ({
  requests: [...requests, { requestType: 'RemoveOperatorRequest', operatorName: 'nobody' }],
});
const create = (i: number) => ({
  requestType: 'CreateOperatorRequest',
  operatorName: named(i, 120),
  operatorFQCN: 'headgate.transform.Map',
});
const connect = (i: number) => ({
  requestType: 'AddStreamSinkRequest',
  streamName: 'records',
  sinkOperatorName: named(i, 120),
  sinkOperatorPortName: 'input',
});

const planChanges = {
  'many operators': undone(many(990, create)),
  'many operators with streams': undone(many(495, (i) => [create(i), connect(i)]).flat()),
  'many properties': undone(many(990, (i) => ({ ...property, propertyValue: `${i}` }))),
  'many properties, to the end': { requests: many(990, (i) => ({ ...property, propertyValue: `${i}` })) },
  'long values': undone(
    many(9, () => ({
      ...property,
      operatorName: 'map',
      propertyName: 'constants',
      propertyValue: JSON.stringify(byName(200, 60, long(300))),
    })),
  ),
};

const ofSource = {
  'many words': { words: many(1_900, (i) => `word ${i}`) },
  'a long word': { kind: 'numbers', words: [long(900_000)] },
};
const ofMap = {
  'many constants': { constants: byName(1_900, 60, long(400)) },
  'long names': { constants: byName(1_900, 200, long(200)) },
  'no constants': { constants: {} },
};

const container = {
  type: 'container',
  container: { run: `image ${long(8_000)}`, exec: `true ${long(8_000)}` },
};
const services = {
  metadata: { ...container, metadata: byName(1_900, 30, long(25)) },
  'metadata of variables': { ...container, metadata: byName(15, 60, '${port}'.repeat(1_000)) },
  headers: { ...container, proxy: { address: '8080', requestHeaders: byName(1_900, 30, long(25)) } },
  replacements: {
    ...container,
    proxy: {
      address: '8080',
      replaceStrings: many(100, () => ({
        matchMime: 'text/html',
        matchUrl: long(200),
        matchText: '(a|b)*[c-x]+'.repeat(16),
        replaceText: long(650),
      })),
    },
  },
  needs: { ...container, requiredServices: many(100, (i) => named(i, 128)) },
  secrets: {
    ...container,
    container: { run: 'PASSWORD="a" http://me:you@there/ '.repeat(240) },
    metadata: byName(14, 60, 'PASSWORD="a" http://me:you@there/ '.repeat(200)),
  },
  'words that might be secrets': { ...container, metadata: byName(13, 60, 'A=1 '.repeat(2_000)) },
};

/** Each but those at the beginning needs so many before it. */
const installed = (needed: number, more: object) =>
  many(100, (i) => ({
    ...more,
    type: 'container',
    name: named(i, 60),
    container: { run: 'x' },
    requiredServices: many(Math.min(i, needed), (k) => named(i - k - 1, 60)),
  }));

const groups = (count: number, roles: number) =>
  many(count, (i) => ({ group: named(i, 512), roles: many(roles, () => longRole) }));
const ldap = {
  server: 'ldap://directory.example.org '.repeat(8),
  userBaseDn: `ou=${long(4_000)}`,
  userSearchFilter: `(|${'(uid={USERNAME})'.repeat(200)})`,
  userIdAttribute: 'uid',
  userObjectClass: 'person',
  bindDn: `cn=${long(4_000)}`,
  bindPassword: long(1_024),
  roleBaseDn: `ou=${long(4_000)}`,
  userRdnAttribute: 'member',
  roleNameAttribute: 'cn',
  roleObjectClass: 'group',
};

const properties = (value: string) => ({
  properties: many(990, (i) => ({ name: named(i, 200), value: `${value}${long(600)}` })),
});

const address = (i: number) => `${named(i, 60)}@${long(60, 'd')}.${long(60, 'e')}.${long(60, 'f')}.org`;

/** Conditions may have 64 KiB. */
const room = 64 * 1024;
const filled = (part: (index: number) => string, end = 'true') => {
  let text = '';
  for (let i = 0; text.length + part(i).length + end.length <= room; i++) text += part(i);
  return text + end;
};
/** Conditions, and scripts of templates: what a parser of JavaScript takes longest for. */
const scripts: Readonly<Record<string, string>> = {
  lines: filled(() => 'true;\n'),
  'escaped signs': filled(() => '1 &gt; 0 &amp;&amp; '),
  'many names': filled((i) => `let a${i};`),
  'many variables': filled((i) => `var a${i};`),
  'many functions': filled((i) => `function a${i}(){}`),
  'many parameters': `((${filled((i) => `a${i},`, 'b')}) => true)()`.slice(-room),
  'many members': filled((i) => `_topic["a"].b${i}||`),
  'many topics': filled((i) => `_topic["a${i % 90}.${i}"]||`.slice(0, 40)),
  'one topic over and over': filled(() => '_topic["a.b"].c > 1 || '),
  'a long chain': `${filled(() => '.a', '').slice(0, room - 20)}`.replace(/^/, '_topic["a"]'),
  'a long sum': filled(() => '1+', '1'),
  'nested a hundred deep': `${filled(() => `${'('.repeat(100)}1${')'.repeat(100)},`)}`,
  'nested as deep as it goes': `${'('.repeat(700)}true${')'.repeat(700)}`,
  'many choices': filled((i) => `if (a${i}) 1; else `, '2'),
  'one text': `"${long(room - 10)}" == ""`,
  'a text of escapes': `"${'\\u0041'.repeat((room - 20) / 6)}" == ""`,
  'a list': `[${filled(() => '1,', '1]')}.length > 1`.slice(0, room),
  'an object': `({${filled((i) => `a${i}:1,`, 'b:2})')}`.slice(0, room),
  patterns: filled((i) => `/(?<a${i}>[a-z])/.test("a")||`),
  'a pattern of groups': `/${filled((i) => `(?<a${i}>b)`, '/.test("a")')}`.slice(0, room),
  comments: filled(() => '/**/'),
};
const withoutTopics = (script: string) => script.replaceAll('_topic', 'topic');

const alert = { email: many(50, address).join(','), description: long(4_096), timeThresholdMillis: 0 };
const parameters = many(50, (i) => ({
  variable: named(i, 60).replace('-', '_'),
  label: long(200),
  type: 'text',
  placeholder: long(200),
  tooltip: long(1_000),
  values: byName(70, 60, long(100)),
}));

const jsonOf = (values: Readonly<Record<string, unknown>>, names?: LegalBody['names']): LegalBody[] =>
  Object.entries(values).map(([what, value]) => ({
    what: `legal: ${what}`,
    body: JSON.stringify(value),
    ...(names ? { names } : {}),
  }));

const plain = { name: 'plain', appName: 'readings' };

/** By operation. */
export const legalBodies = ({ operatorIds, license }: Living): Readonly<Record<string, LegalBody[]>> => ({
  putRole: jsonOf({
    permissions: { permissions: many(1000, (i) => allPermissions[i % allPermissions.length]) },
  }),
  createUser: jsonOf(
    { roles: { password: longPassword, roles: many(100, () => longRole) } },
    { user: 'new-{unique}' },
  ),
  changeUser: jsonOf(
    { roles: { oldPassword: longPassword, newPassword: longPassword, roles: many(100, () => longRole) } },
    { user: 'visitor' },
  ),
  login: jsonOf({ 'a long password': { userName: 'visitor', password: longPassword } }),
  createToken: jsonOf({
    permissions: { name: long(64), permissions: many(100, () => 'MANAGE_OTHER_USERS_APP_PACKAGES') },
  }),
  restartApplication: jsonOf(launches),
  launchPackageApplication: jsonOf(launches, plain),
  putApplicationPermissions: jsonOf({ permissions }),
  putPackagePermissions: jsonOf({ permissions }),
  setLoggers: jsonOf({
    loggers: {
      loggers: many(1000, (i) => ({ target: `org.${named(i, 500).replace('-', 'n')}`, logLevel: 'DEBUG' })),
    },
    'a package in place of them': { loggers: [{ target: 'org.*', logLevel: 'INFO' }] },
  }),
  startOperatorRecording: jsonOf({ windows: { numWindows: 1 } }, { opid: '1' }),
  startPortRecording: jsonOf({ windows: { numWindows: 1 } }, { opid: '1', portName: 'output' }),
  setOperatorProperties: [...jsonOf(ofSource, { opName: 'source' }), ...jsonOf(ofMap, { opName: 'map' })],
  setPhysicalOperatorProperties: [
    ...jsonOf(ofSource, { opid: operatorIds['source'] ?? '' }),
    ...jsonOf(ofMap, { opid: operatorIds['map'] ?? '' }),
  ],
  changeLogicalPlan: jsonOf(planChanges),
  mergePackages: [
    ...jsonOf(
      { 'into 99,000 entries': { name: 'sensors', version: '1.0.0', replaceExisting: true } },
      { appPackageName: 'vast' },
    ),
    ...jsonOf({ 'of 99,000 entries': { name: 'vast', version: '1.0.0', replaceExisting: true } }),
  ],
  importPackages: jsonOf({ files: { files: importable } }),
  putService: jsonOf(services, { name: 'service-{unique}' }),
  changeService: jsonOf(services, { name: 'still' }),
  installServices: jsonOf({
    metadata: installed(1, { metadata: byName(32, 30, long(25)) }),
    needs: installed(35, {}),
  }),
  putAuthConfig: jsonOf({
    groups: { type: 'password', groupMapping: groups(1000, 1) },
    'a directory': { type: 'ldap', configuration: ldap, groupMapping: groups(980, 2) },
  }),
  // With a mechanism that asks nobody: an address that is not there would be waited for.
  testAuthConfig: jsonOf({
    groups: {
      type: 'password',
      userName: 'visitor',
      password: longPassword,
      groupMapping: groups(1000, 1),
    },
  }),
  putGroupMapping: jsonOf({ groups: { groupMapping: groups(1000, 6) } }),
  setProperties: jsonOf({
    properties: properties('1'),
    'other values': properties('2'),
    'long values': {
      properties: many(5, (i) => ({ name: named(i, 200), value: long(16_000), description: long(16_000) })),
    },
  }),
  putProperty: jsonOf({ value: { value: long(16_384), description: long(16_384) } }),
  addLicense: [
    { what: 'legal: all of its texts', body: license },
    { what: 'legal: in many lines', body: license.padEnd(63 * 1024, '\n') },
  ],
  putClusterExecutable: jsonOf({ 'a long path': { value: `${'/.'.repeat(2_000)}/bin/true` } }),
  putUsageSwitch: jsonOf({ on: { value: true } }),
  putSmtpConfig: jsonOf({
    all: {
      host: long(255, 'h'),
      fromAddr: address(1),
      fromName: long(128),
      encryptionType: 'tls',
      authType: 'password',
      username: long(320),
      password: long(1_024),
      testAddr: address(2),
    },
  }),
  putAlertTemplate: jsonOf({
    parameters: {
      description: long(2_000),
      parameters,
      script: filled((i) => (i < 499 ? `{{${parameters[i % 50]?.variable}}} == "a" || ` : 'true || ')),
    },
    ...Object.fromEntries(
      Object.entries(scripts).map(([what, script]) => [what, { script: withoutTopics(script) }]),
    ),
  }),
  putAlert: jsonOf(
    Object.fromEntries(Object.entries(scripts).map(([what, condition]) => [what, { ...alert, condition }])),
  ),
  validateScript: jsonOf(
    Object.fromEntries(
      Object.entries(scripts).map(([what, script]) => [what, { ...alert, script, backtest: true }]),
    ),
  ),
});
