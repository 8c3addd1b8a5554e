import type { ZodType } from 'zod';
import { fromHost } from '../../../adapters/auth/from-host.js';
import type { Client } from '../../../lib/client.js';
import { type Master, masterFacets } from '../../../lib/driver-kit.js';
import type { ListedRoute } from '../../../lib/http/table.js';
import { type CallerRequest, Conflict, type ContainerRuntime, type Identity } from '../../../lib/index.js';
import { faultyCluster } from '../../doubles/cluster.js';
import { newGateway } from '../gateway.js';
import { configuration, fullFiles, packageOf } from '../packages.js';
import { as } from '../people.js';
import { sampleOf } from '../samples.js';
import { zipBytes } from '../zip-bytes.js';

// A living gateway with one of everything that has an owner, and ways to ask it as anybody.

export const appid = 'application_1_0001';
export const systemAppid = 'application_1_0002';

/** The columns of `test/spec/rights.tsv`. All but the last four have a role without permissions, where they have one. */
export const callers: Readonly<Record<string, { readonly headers: Readonly<Record<string, string>> }>> = {
  anonymous: { headers: {} },
  roleless: as('nora', ''),
  other: as('eve'),
  reader: as('rita'),
  writer: as('will'),
  owner: as('ada'),
  operator: as('oscar', 'operator'),
  developer: as('dana', 'developer'),
  ownerDeveloper: as('ada', 'developer'),
  admin: as('root', 'admin'),
};

const shared = {
  readOnly: { users: ['rita'], roles: [], everyone: false },
  readWrite: { users: ['will'], roles: [], everyone: false },
};

/** Who a header says, with the roles that it says: also none. */
function named({ headers }: CallerRequest): Identity | undefined {
  const userName = headers['x-user'];
  if (typeof userName !== 'string') return undefined;
  return { userName, roles: String(headers['x-roles']).split(',').filter(Boolean) };
}

/** Answers every question about a running application with a conflict: then the right to ask it was there. */
const refusing = new Proxy(Object.create(null), {
  get: (_, name) =>
    name === 'then'
      ? undefined
      : async () => {
          throw new Conflict('CONFLICT', 'The double does nothing');
        },
});

function cluster() {
  const facets: Partial<Master> = Object.fromEntries(masterFacets.map((facet) => [facet, refusing]));
  const double = faultyCluster(
    [
      { id: appid, user: 'ada', name: 'Words' },
      { id: systemAppid, user: 'system', name: 'Inner', isSystemApp: true },
    ],
    facets,
  );
  const manager = double.resourceManager;
  const more = {
    queues: refusing,
    configuration: refusing,
    forwarder: refusing,
    sampler: refusing,
    planner: refusing,
  };
  const executable = { path: () => '/bin/true', probe: { arguments: [], environment: {} } };
  return { ...double, executable, resourceManager: { ...manager, ...more } };
}

/** Takes every definition and does nothing. */
export const containers: ContainerRuntime = {
  host: { current: () => 'unix:///nowhere/docker.sock', use() {} },
  name: 'double',
  open: async () => {},
  info: refusing.info,
  check: () => [],
  install: refusing.install,
  start: refusing.start,
  stop: refusing.stop,
  remove: refusing.remove,
  list: async () => [],
  close: async () => {},
};

export const configPackage = (): Buffer =>
  zipBytes({
    entries: [
      {
        name: 'META-INF/MANIFEST.MF',
        content: 'Manifest-Version: 1.0\r\nDT-Conf-Package-Name: slow\r\n\r\n',
      },
    ],
  });

/** With another `cluster` than its own there are no applications yet. `first` is done before anything is there. */
export async function place(
  t: Parameters<typeof newGateway>[0],
  more: Parameters<typeof newGateway>[1] = {},
  first: (root: Client) => Promise<unknown> = async () => {},
) {
  const living = await newGateway(t, {
    auth: fromHost((_, request) => named(request)),
    cluster: cluster(),
    containers,
    mailer: { send: async () => [] },
    ...more,
  });
  const ada = living.newClient(as('ada', 'developer'));
  const root = living.newClient(as('root', 'admin'));
  await first(root);
  await ada.uploadPackage({ body: packageOf({ version: '0.9' }) });
  await ada.uploadPackage({ body: packageOf({}, fullFiles) });
  await ada.putPackagePermissions({ params: { owner: 'ada', name: 'sensors' }, body: shared });
  if (!more.cluster) await ada.putApplicationPermissions({ params: { appid }, body: shared });
  await ada.uploadConfigPackage({ body: configPackage() });
  await root.createUser({ params: { user: 'ada' }, body: { password: 'the word of ada', roles: [] } });
  return { ...living, ada, root };
}

/** What the path's names stand for. Changes go to things that nobody misses. */
function standsFor(name: string, { route }: ListedRoute, caller: string): string {
  const { method, path } = route;
  if (name === 'user' && path.startsWith('/ws/v2/auth/users/')) {
    return path.endsWith('/tokens') || method === 'DELETE'
      ? 'ghost'
      : method === 'PUT'
        ? `new-${caller}`
        : 'ada';
  }
  if (name === 'role') return method === 'GET' ? 'operator' : 'ghost';
  if (name === 'name' && path.startsWith('/ws/v2/configPackages/')) return 'slow';
  if (name === 'name' && !path.startsWith('/ws/v2/appPackages/')) return `of-${caller}`;
  if (name === 'rest' && path.startsWith('/proxy/master/')) return `${appid}/info`;
  if (/^(configName|appName|applicationName)$/.test(name) && method === 'DELETE') return 'ghost';
  const value = names[name];
  if (value === undefined) throw new Error(`Say what {${name}} of ${path} may be`);
  return value;
}

const names: Readonly<Record<string, string>> = {
  appid,
  systemAppid,
  owner: 'ada',
  user: 'ada',
  name: 'sensors',
  appPackageName: 'sensors',
  version: '1.0.0',
  appPackageVersion: '1.0.0',
  configName: 'small.xml',
  appName: 'readings',
  applicationName: 'readings',
  classname: 'org.example.None',
  classSchemasName: 'org.example.None',
  key: 'layout',
  opid: '1',
  opId: '1',
  opName: 'source',
  operatorName: 'source',
  operatorClass: 'headgate.io.Timer',
  portName: 'output',
  containerId: 'container_1',
  logName: 'headgate.log',
  id: '202001010000-0000',
  PROPERTY_NAME: 'platform.some.property',
  rest: 'info',
  topic: 'audit',
};

/** Bodies that a sample of the schema would not be enough for. */
function bodyOf({ id, route }: ListedRoute, caller: string): string | Buffer | undefined {
  if (route.path.endsWith('/permissions')) return JSON.stringify(shared);
  if (id === 'mergePackages') return JSON.stringify({ version: '0.9' });
  if (id === 'uploadPackage') return packageOf({ name: `of-${caller}` });
  if (id === 'putPackageConfig') return configuration({});
  if (route.body?.kind === 'raw') return 'not what it takes';
  const schema = route.body?.schema;
  return schema === undefined || route.body?.optional ? undefined : JSON.stringify(sampleFor(schema));
}

const samples = new WeakMap<ZodType, unknown>();
function sampleFor(schema: ZodType): unknown {
  const sample = samples.get(schema) ?? sampleOf(schema);
  samples.set(schema, sample);
  return sample;
}

export interface Answer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The whole body. */
  readonly text: string;
}

/** `path`: that of the route, or one with other names in it. `sent`: in place of a sample of the body. */
export async function ask(
  baseUrl: string,
  listed: ListedRoute,
  caller: string,
  { headers }: { readonly headers: Readonly<Record<string, string>> } = callers[caller] ?? { headers: {} },
  path: string = listed.route.path,
  sent?: string | Buffer,
): Promise<Answer> {
  const { route } = listed;
  const at = path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string) => standsFor(name, listed, caller));
  const query = route.query ? sampleFor(route.query) : {};
  const body = route.method === 'GET' ? undefined : (sent ?? bodyOf(listed, caller));
  const [type = 'application/json'] = route.body?.contentTypes ?? [];
  const response = await fetch(`${baseUrl}${at}?${new URLSearchParams(Object.entries(query ?? {}))}`, {
    method: route.method,
    headers: {
      ...headers,
      // What has no such version stays as it is: rights are asked first.
      ...(route.method === 'DELETE' ? { 'if-match': '"none"' } : {}),
      ...(body === undefined ? {} : { 'content-type': type === '*' ? 'application/octet-stream' : type }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await textOf(response);
  const { code = '', message = '' } = response.ok || !text.startsWith('{') ? {} : JSON.parse(text);
  return { status: response.status, code, message, text };
}

/** A stream of events has no end. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  await response.body?.cancel();
  return '';
}

const hidden = new RegExp(
  `^There is no (application|package|configuration package) "(${appid}|${systemAppid}|ada/(sensors|slow)[^"]*)"$`,
);

/** As the tables say it: `401`, `403`, `404` for what is hidden, `ok` for whatever comes after the rights. */
export function verdict({ status, code, message }: Answer): string {
  if (status === 401 && code === 'NOT_LOGGED_IN') return '401';
  if (status === 403) return '403';
  if (status === 404 && hidden.test(message)) return '404';
  // A facet that the double lacks would hide what the rights say; an authenticator without sessions hides nothing.
  return status === 500 || (status === 501 && !message.includes('authenticator'))
    ? `${status} ${code}`
    : 'ok';
}
