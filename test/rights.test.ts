import { once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import { type ListedRoute, listRoutes } from '../lib/http/table.js';
import { allPermissions } from '../lib/model/permissions.js';
import { routes } from '../lib/routes.js';
import { mapLimited } from '../lib/runtime/map-limited.js';
import { topics } from '../lib/topics.js';
import { as } from './helpers/people.js';
import { appid, ask, callers, configPackage, place, systemAppid, verdict } from './helpers/rights/place.js';
import { shapeOf, tableOf } from './helpers/rights/tables.js';
import { until } from './helpers/waiting.js';

// Who may what, held against `spec/rights.tsv`, `spec/topic-rights.tsv` and `spec/permissions.tsv`. Those are written by
// hand, from what each permission is meant to allow, also for operations that come later: each is tested when it is there.

const listed = listRoutes(routes);
const byShape = new Map(listed.map((one) => [shapeOf(one.route.method, one.route.path), one]));
const routeOf = (row: Readonly<Record<string, string>>): ListedRoute | undefined =>
  byShape.get(shapeOf(row['method'] ?? '', row['path'] ?? ''));

const matrix = tableOf('rights.tsv');

/** What the walk must not do while others are asked: it comes first, or last with a fresh thing each time. */
const isRestart = ({ route }: ListedRoute) =>
  route.path.endsWith('/restart') && route.path.includes('/config');
const isRemoval = ({ id }: ListedRoute) => id === 'deleteConfigPackage';

/** The topic of a row of `topic-rights.tsv`. */
const nameOf = (row: Readonly<Record<string, string>>): string =>
  (row['topic'] ?? '').replace('{appid}', appid).replace('{startTime}', '17');

t.test('every operation has its row, once', async (t) => {
  const shapes = matrix.map((row) => shapeOf(row['method'] ?? '', row['path'] ?? ''));
  t.strictSame(
    [...byShape.keys()].filter((shape) => !shapes.includes(shape)),
    [],
    'write a row from what is meant, not from the code',
  );
  t.strictSame(
    shapes.filter((shape, i) => shapes.indexOf(shape) !== i),
    [],
  );
  const specified = tableOf('endpoints.tsv').map((row) => shapeOf(row['method'] ?? '', row['path'] ?? ''));
  t.strictSame(
    specified.filter((shape) => !shapes.includes(shape)),
    [],
  );
});

t.test('what a route says of who may call is what is meant', async (t) => {
  const ruleOf = ({ route: { access, resource } }: ListedRoute) =>
    [resource, access === 'user' && resource ? undefined : access].filter(Boolean).join(' and ');
  for (const row of matrix) {
    const one = routeOf(row);
    if (one) t.equal(ruleOf(one), row['rule'], one.id);
  }
});

t.test('a living gateway', async (t) => {
  const { baseUrl, ada, newClient } = await place(t);

  await t.test('every operation answers everybody as its row says', async (t) => {
    const rows = matrix.flatMap((row) => {
      const one = routeOf(row);
      return one ? [{ row, one }] : [];
    });
    const walk = async ({ row, one }: (typeof rows)[number]) => {
      const wrong: string[] = [];
      for (const caller of Object.keys(callers)) {
        if (isRemoval(one)) await ada.uploadConfigPackage({ body: configPackage() }).catch(() => {});
        const answer = await ask(baseUrl, one, caller);
        const found = verdict(answer);
        if (found === row[caller]) continue;
        wrong.push(
          `${one.route.method} ${one.route.path} by ${caller}: ${found}, not ${row[caller]} (${answer.message})`,
        );
      }
      return wrong;
    };
    const first = rows.filter(({ one }) => isRestart(one));
    const last = rows.filter(({ one }) => isRemoval(one));
    const rest = rows.filter(({ one }) => !isRestart(one) && !isRemoval(one));
    const wrong = [
      ...(await mapLimited(first, 1, walk)),
      ...(await mapLimited(rest, 16, walk)),
      ...(await mapLimited(last, 1, walk)),
    ].flat();
    t.strictSame(wrong, []);
    t.ok(rows.length > 100, `${rows.length} operations, ${Object.keys(callers).length} callers each`);
    await ada.uploadConfigPackage({ body: configPackage() });
  });

  await t.test('lists hold what the caller may see', async (t) => {
    const sees = matrix.find(
      ({ path, method }) => path === '/ws/v2/applications/{appid}' && method === 'GET',
    );
    const seesPackage = matrix.find(
      ({ path, method }) => path?.startsWith('/ws/v2/appPackages/{owner}/{packageName}/') && method === 'GET',
    );
    for (const [caller, who] of Object.entries(callers)) {
      if (caller === 'anonymous' || caller === 'roleless') continue;
      const client = newClient(who);
      const apps = (await client.listApplications()).apps.map(({ id }) => id);
      t.equal(apps.includes(appid), sees?.[caller] === 'ok', `applications: ${caller}`);
      t.equal(apps.includes(systemAppid), caller === 'admin', `system applications: ${caller}`);
      const { appPackages } = await client.listPackages();
      t.equal(
        appPackages.some(({ appPackageName }) => appPackageName === 'sensors'),
        seesPackage?.[caller] === 'ok',
        `packages: ${caller}`,
      );
      const { configPackages } = await client.listConfigPackages();
      t.equal(configPackages.length > 0, /owner|admin/.test(caller), `configuration packages: ${caller}`);
    }
  });

  await t.test('each permission does what it says, alone', async (t) => {
    const rows = tableOf('permissions.tsv');
    t.strictSame(rows.map(({ permission }) => permission ?? '').sort(), [...allPermissions].sort());
    const root = newClient(callers['admin']);
    for (const row of rows) {
      const { permission = '', as: who = '', method = '', path = '', also = '' } = row;
      const one = routeOf({ method, path: path.replace('{systemAppid}', '{appid}') });
      if (!one) continue;
      const others = allPermissions.filter((name) => name !== permission && name !== also);
      const sets: Record<string, readonly string[]> = { none: [], alone: [permission], others };
      const found: Record<string, boolean> = {};
      for (const [set, permissions] of Object.entries(sets)) {
        const role = `${set}-${permission}`;
        await root.putRole({ params: { role }, body: { permissions: [...permissions] } });
        if (isRemoval(one)) await ada.uploadConfigPackage({ body: configPackage() }).catch(() => {});
        const caller = as(who === 'reader' ? 'rita' : 'stranger', role);
        found[set] = verdict(await ask(baseUrl, one, `${set}-${permission}`, caller, path)) === 'ok';
      }
      t.strictSame(found, { none: false, alone: true, others: false }, permission);
    }
  });

  await t.test('every topic opens to whom its row says', async (t) => {
    const rows = tableOf('topic-rights.tsv');
    const subscribed = rows.filter(({ action }) => action === 'subscribe').map(({ topic }) => topic);
    const known = Object.values(topics).flatMap((room) => Object.values(room).map(({ name }) => name));
    t.strictSame(
      known.filter((name) => !subscribed.includes(name)),
      [],
      'write a row from what is meant, not from the code',
    );
    for (const [caller, who] of Object.entries(callers)) {
      const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub?errors=true`, {
        headers: who.headers,
      });
      socket.on('error', () => {});
      if (caller === 'anonymous' || caller === 'roleless') {
        const [, response] = await once(socket, 'unexpected-response');
        t.equal(response.statusCode, caller === 'anonymous' ? 401 : 403, caller);
        socket.terminate();
        continue;
      }
      await once(socket, 'open');
      const refused: string[] = [];
      const send = (message: object) => socket.send(JSON.stringify(message));
      for (const action of ['subscribe', 'publish']) {
        const errors = new Set<string>();
        let fences = 0;
        socket.removeAllListeners('message').on('message', (text) => {
          const { type, topic, code } = JSON.parse(String(text));
          if (type === 'data' && topic === '_latestTopics') fences++;
          else if (type === 'error' && code === 'FORBIDDEN') errors.add(topic);
        });
        const ofAction = rows
          .filter((row) => row['action'] === action)
          .map((row) => ({
            topic: nameOf(row),
            isOpen: row[caller] === 'yes',
          }));
        for (const { topic } of ofAction) send({ type: action, topic, data: 1 });
        // The answers come in their own time; three rounds behind them, all of them are there.
        for (let round = 1; round <= 3; round++) {
          send({ type: 'getLatestTopics' });
          await until(
            async () => fences,
            (count) => count >= round,
          );
        }
        for (const { topic, isOpen } of ofAction) {
          if (errors.has(topic) === isOpen)
            refused.push(`${action} ${topic}: ${isOpen ? 'refused' : 'open'}`);
        }
      }
      t.strictSame(refused, [], caller);
      socket.terminate();
    }
  });

  await t.test('a condition of an alert reads what its row says', async (t) => {
    const rows = tableOf('topic-rights.tsv');
    const of = (action: string) => rows.filter((row) => row['action'] === action);
    t.strictSame(
      of('_topic').map(({ topic }) => topic),
      of('subscribe').map(({ topic }) => topic),
      'write a row from what is meant: docs/decisions.md, Topics of an application are for who started it',
    );
    for (const [caller, who] of Object.entries(callers)) {
      const client = newClient(who);
      const mayAtAll = ['operator', 'developer', 'ownerDeveloper', 'admin'].includes(caller);
      const wrong: string[] = [];
      for (const row of of('_topic')) {
        const topic = nameOf(row);
        const condition = `_topic[${JSON.stringify(topic)}].some > 1`;
        const found = await client
          .putAlert({
            params: { name: `of ${caller}` },
            body: { condition, email: 'ops@example.org', timeThresholdMillis: 0 },
          })
          .then(
            () => 'yes',
            ({ status, details }) => (mayAtAll && details?.topic !== topic ? `no, and why ${status}` : 'no'),
          );
        if (found !== (row[caller] ?? 'no')) wrong.push(`${topic}: ${found}`);
      }
      t.strictSame(wrong, [], caller);
    }
  });
});
