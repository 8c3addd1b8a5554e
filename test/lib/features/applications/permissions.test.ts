import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import type { Client } from '../../../../lib/client.js';
import { capabilitiesOf } from '../../../../lib/http/capabilities.js';
import { type ListedRoute, listRoutes } from '../../../../lib/http/table.js';
import { routes } from '../../../../lib/routes.js';
import { topics } from '../../../../lib/topics.js';
import { localCluster } from '../../../../packages/engine/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { engineGateway, untilItRuns, untilState, words } from '../../../helpers/applications.js';
import { bareRuntime } from '../../../helpers/bare-runtime.js';
import { type Answer, answerOf, type Caller, readers, shared, writers } from '../../../helpers/cast.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as, people } from '../../../helpers/people.js';
import { sampleOf } from '../../../helpers/samples.js';
import { until } from '../../../helpers/waiting.js';

// Every route and topic of one application, as they are listed: one that is added later is tested too.

const base = '/ws/v2/applications/{appid}';
/** Of savepoints and checkpoints, which the embedded engine has not: `test/packages/flink/savepoints.test.ts`. */
const offered = capabilitiesOf(localCluster({ directory: 'never opened' }));
const ofOneApplication = listRoutes(routes).filter(
  ({ route }) =>
    (route.path === base || route.path.startsWith(`${base}/`)) &&
    (route.requires === undefined || offered.has(route.requires)),
);
const isChange = ({ route }: ListedRoute) => route.method !== 'GET';
const isEnd = ({ id }: ListedRoute) => id === 'shutdownApplication' || id === 'killApplication';

/** Bodies that make the call one that would do something. */
const bodies: Readonly<Record<string, unknown>> = { putApplicationPermissions: shared };

interface Place {
  readonly baseUrl: string;
  readonly appid: string;
}

/** Names of things that the application `words` has. */
const known: Readonly<Record<string, string>> = {
  opid: '1',
  opName: 'source',
  operatorName: 'source',
  portName: 'output',
  containerId: 'container_none',
  logName: 'headgate.log',
  operatorClass: 'headgate.io.Timer',
  id: '202001010000-0000',
};

async function answerTo(
  { baseUrl, appid }: Place,
  { id, route }: ListedRoute,
  who: Caller | undefined,
  names = known,
): Promise<Answer> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = name === 'appid' ? appid : names[name];
    if (value === undefined) throw new Error(`Say what {${name}} of ${id} may be`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(
    route.query ? Object.entries(z.record(z.string(), z.string()).parse(sampleOf(route.query))) : [],
  );
  const schema = route.body?.schema;
  const body = schema && (bodies[id] ?? (route.body?.optional ? undefined : sampleOf(schema)));
  const response = await fetch(`${baseUrl}${path}?${query}`, {
    method: route.method,
    headers: { ...who?.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answerOf(response, appid, 'ID');
}

/** What is answered of an application that was killed, other than 200 to who reads and 409 to who changes. */
const atTheEnd: Readonly<Record<string, number>> = {
  getFailureRootCause: 404,
  getStackTrace: 404,
  putApplicationPermissions: 200,
  // Of a recording that there never was.
  getRecording: 404,
  getRecordedTuples: 404,
  deleteRecording: 404,
};

async function streamingContainer(client: Client, appid: string): Promise<string> {
  const { containers } = await client.listContainers({ params: { appid } });
  return containers.find(({ containerType }) => containerType === 'STREAMING')?.id ?? '';
}

const hidden = { status: 404, code: 'NOT_FOUND', message: 'There is no application "ID"' };
const forbidden = { status: 403, code: 'FORBIDDEN', message: 'The application "ID" is not yours to change' };

t.test('every route of an application obeys its permissions', async (t) => {
  const { gateway, baseUrl, newClient } = await engineGateway(t);
  const owner = newClient(as('ada', 'developer'));
  const appid = await gateway.launch(words());
  const params = { appid };
  await untilItRuns(owner, appid);
  await owner.putApplicationPermissions({ params, body: shared });
  t.ok(ofOneApplication.length > 30 && ofOneApplication.filter(isChange).length > 6, 'the routes are found');
  const place = { baseUrl, appid };

  await t.test('hidden: word by word what an unknown application gets', async (t) => {
    for (const route of ofOneApplication) {
      const answer = await answerTo(place, route, as('eve', 'developer'));
      t.strictSame(answer, hidden, route.id);
      const unknown = await answerTo({ baseUrl, appid: 'application_1_0001' }, route, as('eve', 'developer'));
      t.strictSame(answer, unknown, route.id);
    }
  });

  await t.test('nobody is not told anything', async (t) => {
    for (const route of ofOneApplication)
      t.match(await answerTo(place, route, undefined), { status: 401, code: 'NOT_LOGGED_IN' }, route.id);
  });

  for (const [who, caller] of Object.entries(readers('developer')))
    await t.test(`${who}: reads all, changes nothing`, async (t) => {
      for (const route of ofOneApplication) {
        const answer = await answerTo(place, route, caller);
        if (isChange(route)) t.strictSame(answer, forbidden, route.id);
        else t.strictSame(answer, await answerTo(place, route, as('ada', 'developer')), route.id);
      }
      t.match(await owner.getApplication({ params }), { state: 'RUNNING' });
    });

  for (const [who, caller] of Object.entries(writers('developer')))
    await t.test(`${who}: is refused nothing`, async (t) => {
      for (const route of ofOneApplication.filter((one) => !isEnd(one))) {
        const { status, message } = await answerTo(place, route, caller);
        t.notOk(
          [401, 403, 405, 415].includes(status) || status >= 500 || message === hidden.message,
          `${route.id}: ${status} ${message}`,
        );
      }
    });

  await t.test('what needs a permission besides needs it of the owner, too', async (t) => {
    for (const route of ofOneApplication.filter(({ route }) => route.access !== 'user'))
      t.match(
        await answerTo(place, route, as('ada')),
        { status: 403, message: `This needs the permission ${route.route.access}` },
        route.id,
      );
  });

  await t.test('what an application has not is not found, whatever is asked of it', async (t) => {
    const containerId = await streamingContainer(owner, appid);
    for (const route of ofOneApplication)
      for (const [, name = ''] of route.route.path.matchAll(/\{(\w+)\}/g)) {
        if (name === 'appid') continue;
        const { status, code } = await answerTo(place, route, as('ada', 'developer'), {
          ...known,
          containerId,
          [name]: 'nobody',
        });
        // Collections of garbage are put together of the logs that there are.
        const isOfMany = /Collections$/.test(route.id) && name === 'logName';
        t.strictSame([status, code], isOfMany ? [200, ''] : [404, 'NOT_FOUND'], `${route.id}: ${name}`);
      }
  });

  await t.test('rights are live', async (t) => {
    const rita = newClient(as('rita', 'developer'));
    const tom = newClient(as('tom', 'developer,team'));
    const eve = newClient(as('eve', 'developer'));
    const writer = newClient(as('will', 'developer'));
    const sees = (client: Client) =>
      client.getLogicalPlan({ params }).then(
        () => true,
        (error) => {
          t.match(error, { status: 404, code: 'NOT_FOUND' });
          return false;
        },
      );
    const everybody = async () => [await sees(rita), await sees(tom), await sees(eve)];
    t.strictSame(await everybody(), [true, true, false]);
    await owner.putApplicationPermissions({ params, body: { readOnly: { everyone: true } } });
    t.strictSame(await everybody(), [true, true, true]);
    t.strictSame(
      (await eve.listApplications()).apps.map(({ id, canWrite }) => [id, canWrite]),
      [[appid, false]],
    );
    await t.rejects(
      writer.setLoggers({ params, body: { loggers: [] } }),
      { code: 'FORBIDDEN' },
      'no longer a writer',
    );
    await t.rejects(eve.putApplicationPermissions({ params, body: shared }), { code: 'FORBIDDEN' });
    await owner.putApplicationPermissions({ params, body: { readWrite: { everyone: true } } });
    await eve.putApplicationPermissions({ params, body: {} });
    t.strictSame(await everybody(), [false, false, false], 'whoever may write may also give rights away');
    t.strictSame((await eve.listApplications()).apps, []);
    await owner.putApplicationPermissions({ params, body: shared });
  });

  await t.test('who may write may end it, and start it again', async (t) => {
    const [kill] = ofOneApplication.filter(({ id }) => id === 'killApplication');
    if (kill) t.match(await answerTo(place, kill, as('will', 'developer')), { status: 200 });
    await untilState(owner, appid, 'KILLED');
    await t.test('an ended one is not changed, and its past is read', async (t) => {
      const names = { ...known, containerId: await streamingContainer(owner, appid) };
      for (const route of ofOneApplication.filter(({ id }) => id !== 'restartApplication')) {
        const { status, message } = await answerTo(place, route, as('ada', 'developer'), names);
        const expected = atTheEnd[route.id] ?? (isChange(route) ? 409 : 200);
        t.equal(status, expected, `${route.id} ${message}`);
      }
    });
    const { appId } = await newClient(as('will', 'developer')).restartApplication({ params });
    const rita = newClient(as('rita', 'developer'));
    t.match(await rita.getApplication({ params: { appid: appId } }), { user: 'will', canWrite: false });
    t.strictSame(
      await rita.getApplicationPermissions({ params: { appid: appId } }),
      shared,
      'what was shared stays shared',
    );
  });
});

t.test('every topic of an application is for its owner and for administrators', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const owner = newClient(as('ada', 'developer'));
  const appid = await gateway.launch(words());
  const params = { appid };
  await untilItRuns(owner, appid);
  await owner.putApplicationPermissions({ params, body: shared });
  const names = Object.values(topics)
    .flatMap((room) => Object.values(room))
    .map((topic): string => topic.name)
    .filter((name) => name.includes('{appid}'));
  t.ok(names.length >= 5);
  const listeners = {
    ada: 'developer',
    root: 'admin',
    rita: 'developer',
    will: 'developer',
    eve: 'developer',
  };
  const outcomes = new Map<string, 'heard' | 'refused'>();
  for (const [who, roles] of Object.entries(listeners)) {
    const client = newClient(as(who, roles));
    for (const name of names)
      client.subscribe(
        name.replace('{appid}', appid).replace(/\{\w+\}/g, '1'),
        () => outcomes.set(`${who} ${name}`, 'heard'),
        () => outcomes.set(`${who} ${name}`, 'refused'),
      );
  }
  // On topics of things that this application does not have, there is nothing to hear.
  const expected = names.flatMap((name) =>
    Object.keys(listeners).flatMap((who): [string, string][] => {
      if (who !== 'ada' && who !== 'root') return [[`${who} ${name}`, 'refused']];
      return name.replace('{appid}', '').includes('{') ? [] : [[`${who} ${name}`, 'heard']];
    }),
  );
  let windows = 1;
  await until(
    async () => {
      // An event, for those who listen to them.
      windows = 3 - windows;
      await owner.setOperatorProperties({ params: { appid, opName: 'count' }, body: { windows } });
      return outcomes;
    },
    () => expected.every(([key]) => outcomes.has(key)),
  );
  for (const [key, outcome] of expected) t.equal(outcomes.get(key), outcome, key);
});

t.test('permissions survive the host', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-permissions-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const start = async (t: { teardown(close: () => Promise<void>): unknown }) =>
    newGateway(t, {
      storage: await filesystemStorage({ directory: join(directory, 'storage') }),
      cluster: localCluster({ directory: join(directory, 'engine'), execPath: bareRuntime(directory) }),
      auth: people,
    });
  let appid = '';
  await t.test('before', async (t) => {
    const { gateway, newClient } = await start(t);
    appid = await gateway.launch(words());
    const owner = newClient(as('ada', 'developer'));
    await untilItRuns(owner, appid);
    await owner.putApplicationPermissions({ params: { appid }, body: shared });
  });
  const { newClient } = await start(t);
  const params = { appid };
  const rita = newClient(as('rita', 'developer'));
  t.match(await rita.getApplication({ params }), { state: 'FAILED', canWrite: false });
  t.strictSame(await rita.getApplicationPermissions({ params }), shared);
  t.match(await newClient(as('cleo', 'crew')).getApplication({ params }), { canWrite: true });
  await t.rejects(newClient(as('eve', 'developer')).getApplication({ params }), { code: 'NOT_FOUND' });
});
