import t from 'tap';
import { configuredAuth } from '../adapters/auth/configured.js';
import { firstOf } from '../adapters/auth/first-of.js';
import { type ListedRoute, listRoutes } from '../lib/http/table.js';
import type { LoginScheme } from '../lib/index.js';
import { routes } from '../lib/routes.js';
import { words } from './helpers/applications.js';
import { configuration, fullFiles, packageOf } from './helpers/packages.js';
import { as, people } from './helpers/people.js';
import { appid, containers, place } from './helpers/rights/place.js';

// What is read can be written back: whoever reads a thing, changes nothing of it and sends it back is not refused, and
// changes nothing. For each thing that has a GET and a PUT, by the table of routes.

/** One of each, with what it takes to be there: `at` are the names in its path. */
interface Thing {
  readonly at: Readonly<Record<string, string>>;
  /** What is sent to make it; absent: it is there. */
  readonly made?: unknown;
  /** The part of what was read that the PUT takes. Default: all of it. */
  readonly sent?: (read: Readonly<Record<string, unknown>>) => unknown;
}

const sensors = { owner: 'ada', name: 'sensors' };
const version = { ...sensors, version: '1.0.0' };
const alert = {
  condition: '_topic["cluster.metrics"].numContainers &gt; 3 && "&amp;gt;" !== ""',
  email: 'ops@example.org, ada@example.org',
  description: 'Too many',
  timeThresholdMillis: '60000',
  disabled: 'true',
};
const smtp = {
  host: 'mail.example.org',
  port: 2525,
  fromAddr: 'gate@example.org',
  fromName: 'Gate',
  encryptionType: 'none',
  authType: 'password',
  username: 'gate',
  password: 'secret',
  testAddr: 'ops@example.org',
};
const service = {
  type: 'container',
  enabled: 'false',
  container: { run: '-e API_TOKEN=hidden example/search' },
  proxy: { address: 8080, requestHeaders: { 'x-token': 'hidden' } },
  metadata: { shard: 3 },
};
const ldap = {
  type: 'ldap',
  configuration: {
    server: 'ldap.example.org',
    Port: 636,
    userBaseDn: 'ou=people',
    bindDn: 'cn=gate',
    bindPassword: 'hidden',
    groupSupport: 'true',
    roleBaseDn: 'ou=groups',
  },
  groupMapping: [{ group: 'ops', roles: ['operator'] }],
};
const template = {
  description: 'Many containers',
  parameters: [{ variable: 'count', label: 'How many', type: 'number', default: 3, required: 'true' }],
  script: '_topic["cluster.metrics"].numContainers > {{count}}',
};
const property = (name: string, made?: unknown): Thing => ({
  at: { PROPERTY_NAME: name },
  ...(made === undefined ? {} : { made }),
});

const things: Readonly<Record<string, readonly Thing[]>> = {
  putAlertTemplate: [{ at: { name: 'many containers' }, made: template }],
  putService: [{ at: { name: 'search' }, made: service }],
  putAlert: [{ at: { name: 'too many/100%' }, made: alert }],
  putSmtpConfig: [{ at: {}, made: smtp }],
  putUsageSwitch: [{ at: {} }, { at: {}, made: { value: false } }],
  putAuthConfig: [{ at: {} }, { at: {}, made: ldap }],
  putGroupMapping: [{ at: {} }, { at: {}, made: { groupMapping: [{ group: 'dev', role: ['developer'] }] } }],
  putProperty: [
    property('platform.some.property', { value: 12, description: ' Some ' }),
    property('platform.some.local', { value: 'here', local: true }),
    property('platform.some.password', { value: 'hidden', local: 'true' }),
    property('platform.phoneHome.enable', { value: true }),
    property('platform.attr.DEBUG', { value: '<&> "quoted" ${other}' }),
    // Said by the gateway itself, so that nobody can change it.
    property('platform.version'),
  ],
  putClusterExecutable: [{ at: {} }, { at: {}, made: { value: process.execPath } }],
  putContainerRuntime: [{ at: {} }],
  putSetting: [
    { at: { user: 'root', key: 'layout/of a%' }, made: { value: { columns: [1, null, 'x'], wide: true } } },
    { at: { user: 'root', key: 'nothing' }, made: { value: null } },
  ],
  putRole: [
    { at: { role: 'admin' } },
    { at: { role: 'operator' } },
    { at: { role: 'watchers' }, made: { permissions: ['VIEW_GLOBAL_CONFIG'] } },
  ],
  createUser: [{ at: { user: 'mia' }, made: { password: 'well hidden', roles: ['operator', 'developer'] } }],
  putApplicationPermissions: [
    { at: { appid } },
    { at: { appid }, made: { readOnly: { users: ['eve', 'bob', 'bob'] }, readWrite: { everyone: true } } },
  ],
  putPackageApplication: [
    { at: { ...version, appName: 'readings' }, sent: ({ fileContent }) => fileContent },
    {
      at: { ...version, appName: 'mine' },
      made: words().application,
      sent: ({ fileContent }) => fileContent,
    },
  ],
  putPackageConfig: [{ at: { ...version, configName: 'small.xml' } }],
  putPackagePermissions: [{ at: sensors, made: { readOnly: { roles: ['operator'] } } }],
};

/** Whoever may come in besides: nobody. */
const directory: LoginScheme = { name: 'ldap', login: async () => undefined };

/** Proxies pass on what others have: they keep nothing. */
const passedOn = /^\/proxy\//;

/** They change by themselves, or are when something happened. */
const moving = new Set(['modificationTime', 'observedAt', 'memoryMB']);
const steady = (text: string): unknown => {
  try {
    return JSON.parse(text, (key, value: unknown) => (moving.has(key) ? undefined : value));
  } catch {
    return text;
  }
};

/** Pairs of a GET and a PUT of one path. */
function pairsIn(routes: readonly ListedRoute[]) {
  const form = (path: string) => path.replace(/\{\w+\}/g, '{}');
  const gets = new Set(routes.flatMap(({ route }) => (route.method === 'GET' ? [form(route.path)] : [])));
  return routes.filter(
    ({ route }) => route.method === 'PUT' && !passedOn.test(route.path) && gets.has(form(route.path)),
  );
}

t.test('what GET gives, PUT takes, and nothing changes', async (t) => {
  const { baseUrl, ada } = await place(t, {
    auth: firstOf(people, configuredAuth({ schemes: { ldap: async () => directory } })),
    // Takes every definition, and says so.
    containers: { ...containers, info: async () => ({ version: '24.0.0' }), install: async () => {} },
  });
  await ada.uploadPackage({
    body: packageOf({}, { ...fullFiles, 'conf/small.xml': configuration({ a: '&lt;' }) }),
  });
  const pairs = pairsIn(listRoutes(routes));
  t.ok(pairs.length > 12, `${pairs.length} pairs`);
  t.strictSame(
    pairs.map(({ id }) => id).filter((id) => !Object.hasOwn(things, id)),
    [],
    'each has an example here',
  );
  t.strictSame(
    Object.keys(things).filter((id) => !pairs.some((pair) => pair.id === id)),
    [],
    'each example is of a pair',
  );
  for (const { id, route } of pairs) {
    for (const { at, made, sent = (read: unknown) => read } of things[id] ?? []) {
      const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(at[name] ?? name),
      );
      const what = `${id} ${path}`;
      const isText = route.body?.kind !== 'json';
      const ask = async (method: string, body?: string) => {
        const type = isText ? 'application/xml' : 'application/json';
        const headers = {
          ...as('root', 'admin').headers,
          ...(body === undefined ? {} : { 'content-type': type }),
        };
        const init = { method, headers, ...(body === undefined ? {} : { body }) };
        const response = await fetch(`${baseUrl}${path}`, init);
        return { status: response.status, text: await response.text() };
      };
      if (made !== undefined)
        t.match(await ask('PUT', JSON.stringify(made)), { status: 200 }, `${what}: made`);
      const read = await ask('GET');
      t.equal(read.status, 200, `${what}: ${read.text.slice(0, 200)}`);
      const body = isText ? read.text : JSON.stringify(sent(JSON.parse(read.text)));
      const answer = await ask('PUT', body);
      t.equal(answer.status, 200, `${what} takes ${body.slice(0, 200)}: ${answer.text.slice(0, 300)}`);
      t.strictSame(steady((await ask('GET')).text), steady(read.text), `${what}: nothing changed`);
    }
  }
});
