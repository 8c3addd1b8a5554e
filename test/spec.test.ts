import { readFileSync } from 'node:fs';
import t from 'tap';
import { listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';

// `spec/endpoints.tsv`: the operations that clients of the API count on, one a line.
const rows = readFileSync(new URL('../../test/spec/endpoints.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .map(([section = '', method = '', path = '']) => ({ section, method, path, room: roomOf(path) }));

/** Rooms of which a part comes with a later version. An entry that is no longer needed fails. */
const incomplete: Readonly<Record<string, string>> = {};

/** What this gateway offers besides. */
const beyond = [
  'GET /ws/v2/openapi.json',
  'GET /ws/v2/asyncapi.json',
  'GET /ws/v2/capabilities',
  'GET /ws/v2/health',
  'GET /ws/v2/metrics',
  'GET /ws/v2/audit',
  'GET /ws/v2/topics/{}',
  'POST /ws/v2/appPackages/{}/{}/{}/applications/{}/plan',
  'POST /ws/v2/appPackages/{}/{}/{}/applications/{}/sample',
  'GET /ws/v2/applications/{}/checkpoints',
  'GET /ws/v2/applications/{}/savepoints',
  'POST /ws/v2/applications/{}/savepoints',
  'DELETE /ws/v2/applications/{}/savepoints/{}',
  'GET /ws/v2/applications/{}/logicalPlan/operators/{}/flameGraph',
  'GET /ws/v2/applications/{}/logicalPlan/operators/{}/backPressure',
  'GET /ws/v2/applications/{}/physicalPlan/containers/{}/profiles',
  'POST /ws/v2/applications/{}/physicalPlan/containers/{}/profiles',
  'GET /ws/v2/applications/{}/physicalPlan/containers/{}/profiles/{}',
  'GET /ws/v2/config/groupMapping',
  'DELETE /ws/v2/config/properties/platform.phoneHome.enable',
  'POST /ws/v2/config/auth/test',
  'GET /ws/v2/config/knownProperties',
  'GET /ws/v2/profile/sessions',
  'DELETE /ws/v2/profile/sessions/{}',
  'GET /ws/v2/tokens',
  'POST /ws/v2/tokens',
  'DELETE /ws/v2/tokens/{}',
  'GET /ws/v2/auth/tokens',
  'DELETE /ws/v2/auth/users/{}/tokens',
  'GET /ws/v2/configPackages',
  'POST /ws/v2/configPackages',
  'GET /ws/v2/configPackages/{}',
  'GET /ws/v2/configPackages/{}/{}',
  'DELETE /ws/v2/configPackages/{}/{}',
  'GET /ws/v2/configPackages/{}/{}/download',
  'GET /proxy/services/*',
  'POST /proxy/services/*',
  'PUT /proxy/services/*',
  'PATCH /proxy/services/*',
  'DELETE /proxy/services/*',
];

/** The first that fits. */
function roomOf(path: string): string {
  const rooms: readonly [string, RegExp][] = [
    ['recordings', /\/recordings(\/|$)/],
    ['containers', /\/physicalPlan\/containers/],
    ['physicalPlan', /\/physicalPlan/],
    ['logicalPlan', /\/logicalPlan/],
    ['applications', /^\/ws\/v2\/applications/],
    ['cluster', /^\/ws\/v2\/(about$|cluster\/)/],
    ['mail', /^\/ws\/v2\/config\/smtp$/],
    ['usage', /phoneHome/],
    ['containerRuntime', /\/config\/containerRuntime$/],
    ['properties', /^\/ws\/v2\/config\/properties/],
    ['system', /^\/ws\/v2\/config\/(installMode|clusterExecutable|ipAddresses)$/],
    ['configuration', /^\/ws\/v2\/config\//],
    ['licenses', /^\/ws\/v2\/licenses/],
    ['appPackages', /^\/ws\/v2\/appPackages/],
    ['services', /^\/ws\/v2\/services/],
    ['accounts', /^\/ws\/v2\/(profile|auth)\//],
    ['session', /^\/ws\/v2\/(login|logout)$/],
    ['alertTemplates', /^\/ws\/v2\/systemAlerts\/templates/],
    ['systemAlerts', /^\/ws\/v2\/systemAlerts/],
    ['proxy', /^\/proxy\//],
  ];
  return rooms.find(([, pattern]) => pattern.test(path))?.[0] ?? 'nowhere';
}

/** Parameters count by their place, not by their name; `...` and `{rest...}` are the rest of a path. */
const shapeOf = (method: string, path: string): string =>
  `${method} ${path.replace(/\{\w+\.\.\.\}$|\.\.\.$/, '*').replace(/\{\w+\}/g, '{}')}`;

const listed = listRoutes(routes);
const offered = new Set(listed.map(({ route }) => shapeOf(route.method, route.path)));
const missing = rows.filter(({ method, path }) => !offered.has(shapeOf(method, path)));
const isThere = (room: string) => Object.hasOwn(routes, room);

t.test('the list is whole, and every operation of it has a room', async (t) => {
  t.equal(rows.length, 151);
  t.strictSame(
    rows.filter(({ room }) => room === 'nowhere'),
    [],
  );
});

t.test('a room that exists has all its operations', async (t) => {
  const lacking = missing.filter(({ room }) => isThere(room) && !Object.hasOwn(incomplete, room));
  t.strictSame(
    lacking.map(({ method, path, room }) => `${room}: ${method} ${path}`),
    [],
  );
});

t.test('rooms are called incomplete only while they are', async (t) => {
  const unneeded = Object.keys(incomplete).filter(
    (room) => !isThere(room) || !missing.some((row) => row.room === room),
  );
  t.strictSame(unneeded, []);
});

t.test('what is offered besides is meant to be', async (t) => {
  const specified = new Set(rows.map(({ method, path }) => shapeOf(method, path)));
  const extra = listed
    .map(({ route }) => shapeOf(route.method, route.path))
    .filter((shape) => !specified.has(shape));
  t.strictSame(extra.sort(), [...beyond].sort());
});

t.comment(`${rows.length - missing.length} of ${rows.length} operations; still missing, by room:`);
for (const room of new Set(missing.map((row) => row.room))) {
  const ofRoom = missing.filter((row) => row.room === room);
  t.comment(`${room}${isThere(room) ? ' (incomplete)' : ''}: ${ofRoom.length}`);
  for (const { method, path } of ofRoom) t.comment(`  ${method} ${path}`);
}
