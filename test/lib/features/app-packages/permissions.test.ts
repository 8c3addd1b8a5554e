import t from 'tap';
import type { Client } from '../../../../lib/client.js';
import { type ListedRoute, listRoutes } from '../../../../lib/http/table.js';
import { routes } from '../../../../lib/routes.js';
import { refuses } from '../../../helpers/accounts.js';
import { type Answer, answerOf, type Caller, readers, shared, writers } from '../../../helpers/cast.js';
import { newGateway } from '../../../helpers/gateway.js';
import { configuration, fullFiles, packageOf } from '../../../helpers/packages.js';
import { as, people } from '../../../helpers/people.js';
import { sampleOf } from '../../../helpers/samples.js';

// Every route of one package, as they are listed: one that is added later is tested too.

const ofOnePackage = listRoutes(routes).filter(({ route }) => /^\/ws\/v2\/appPackages\/\{/.test(route.path));
const needsMore = ({ route }: ListedRoute) => route.access !== 'user';
/** Changes for which reading the package is enough. */
const isLaunch = ({ route }: ListedRoute) => /\/(?:launch|plan|sample)$/.test(route.path);
const isChange = (listed: ListedRoute) => listed.route.method !== 'GET' && !isLaunch(listed);

/** Names of things that the package has. */
const known: Readonly<Record<string, string>> = {
  name: 'sensors',
  appPackageName: 'sensors',
  configName: 'small.xml',
  appName: 'readings',
  applicationName: 'readings',
  classname: 'org.example.None',
  classSchemasName: 'org.example.None',
};
/** Bodies that make the call one that would do something. */
const bodies: Readonly<Record<string, unknown>> = {
  putPackagePermissions: shared,
  mergePackages: { version: '0.9' },
};

interface Place {
  readonly baseUrl: string;
  readonly owner: string;
  readonly version: string;
}

async function answerTo(
  { baseUrl, owner, version }: Place,
  { id, route }: ListedRoute,
  who: Caller | undefined,
): Promise<Answer> {
  const here: Readonly<Record<string, string>> = {
    ...known,
    owner,
    user: owner,
    version,
    appPackageVersion: version,
  };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = here[name];
    if (value === undefined) throw new Error(`Say what {${name}} of ${id} may be`);
    return encodeURIComponent(value);
  });
  const body =
    route.body?.kind === 'raw'
      ? configuration({})
      : route.body?.schema && JSON.stringify(bodies[id] ?? sampleOf(route.body.schema));
  const [type] = route.body?.contentTypes ?? [];
  const response = await fetch(`${baseUrl}${path}`, {
    method: route.method,
    headers: {
      ...who?.headers,
      ...(body === undefined || type === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body }),
  });
  return answerOf(response, `${owner}/sensors`, 'IT');
}

const upload = async (client: Client) => {
  await client.uploadPackage({ body: packageOf({ version: '0.9' }) });
  await client.uploadPackage({ body: packageOf({}, fullFiles) });
};

t.test('every route of a package obeys its permissions', async (t) => {
  const { baseUrl, newClient } = await newGateway(t, { auth: people });
  const owner = newClient(as('ada', 'developer'));
  await upload(owner);
  await owner.putPackagePermissions({ params: { owner: 'ada', name: 'sensors' }, body: shared });
  const place = { baseUrl, owner: 'ada', version: '1.0.0' };
  t.ok(ofOnePackage.length >= 11 && ofOnePackage.filter(isChange).length >= 5, 'the routes are found');

  await t.test('hidden: word by word what an unknown package gets', async (t) => {
    // May upload, but not see what others have.
    const eve = as('eve', 'uploader');
    for (const route of ofOnePackage.filter((one) => !needsMore(one))) {
      const answer = await answerTo(place, route, eve);
      t.match(
        answer,
        { status: 404, code: 'NOT_FOUND', message: /^There is no package "IT(\/1\.0\.0)?"$/ },
        route.id,
      );
      t.strictSame(answer, await answerTo({ ...place, owner: 'nobody' }, route, eve), route.id);
    }
  });

  await t.test('nobody is not told anything', async (t) => {
    for (const route of ofOnePackage)
      t.match(await answerTo(place, route, undefined), { status: 401, code: 'NOT_LOGGED_IN' }, route.id);
  });

  for (const [who, caller] of Object.entries(readers('developer')))
    await t.test(`${who}: reads all, changes nothing`, async (t) => {
      for (const route of ofOnePackage.filter((one) => !needsMore(one))) {
        const answer = await answerTo(place, route, caller);
        if (isChange(route))
          t.match(answer, { status: 403, code: 'FORBIDDEN', message: /is not yours to change/ }, route.id);
        else t.strictSame(answer, await answerTo(place, route, as('ada', 'developer')), route.id);
      }
      t.match(await owner.getPackage({ params: { owner: 'ada', name: 'sensors', version: '1.0.0' } }), {
        configs: ['large.xml', 'small.xml'],
      });
    });

  await t.test('what needs a permission besides needs it of the owner, too', async (t) => {
    for (const route of ofOnePackage.filter(needsMore))
      t.match(
        await answerTo(place, route, as('ada')),
        { status: 403, message: `This needs the permission ${route.route.access}` },
        route.id,
      );
    await refuses(t, newClient(as('ada')).uploadPackage({ body: packageOf() }), { status: 403 });
  });

  await t.test('with that permission a package of others must still be one to change', async (t) => {
    for (const route of ofOnePackage.filter((one) => needsMore(one) && isChange(one)))
      t.match(
        await answerTo(place, route, as('rita', 'developer')),
        { status: 403, message: /not yours/ },
        route.id,
      );
  });

  const deletesAll = ({ id }: ListedRoute) => id === 'deletePackage';
  for (const [who, caller] of Object.entries(writers('developer')))
    await t.test(`${who}: is refused nothing`, async (t) => {
      const changes = ofOnePackage.filter((one) => !deletesAll(one));
      for (const route of [...changes, ...ofOnePackage.filter(deletesAll)]) {
        const { status, message } = await answerTo(place, route, caller);
        t.notOk(
          [401, 403, 405, 415].includes(status) ||
            (status >= 500 && status !== 501) ||
            /no package/.test(message),
          `${route.id}: ${status} ${message}`,
        );
      }
      await owner.uploadPackage({ body: packageOf({}, fullFiles) });
    });
});

t.test('the list holds what the caller may see', async (t) => {
  const { newClient } = await newGateway(t, { auth: people });
  const owner = newClient(as('ada', 'developer'));
  await upload(owner);
  await newClient(as('will', 'developer')).uploadPackage({ body: packageOf({ name: 'of will' }) });
  await owner.putPackagePermissions({ params: { owner: 'ada', name: 'sensors' }, body: shared });
  const seen = async (who: ReturnType<typeof as>) => {
    const { appPackages } = await newClient(who).listPackages({ query: { hasServices: true } });
    const all = (await newClient(who).listPackages()).appPackages;
    return [
      all.map(({ owner, appPackageVersion }) => `${owner} ${appPackageVersion}`).join(),
      appPackages.map(({ canWrite }) => canWrite).join(),
    ];
  };
  t.strictSame(await seen(as('ada')), ['ada 0.9,ada 1.0.0', 'true']);
  t.strictSame(await seen(as('rita')), ['ada 0.9,ada 1.0.0', 'false']);
  t.strictSame(await seen(as('will')), ['ada 0.9,ada 1.0.0,will 1.0.0', 'true']);
  t.strictSame(await seen(as('oscar', 'operator')), ['ada 0.9,ada 1.0.0,will 1.0.0', 'false']);
  t.strictSame(await seen(as('eve')), ['', '']);
  t.strictSame(await seen(as('root', 'admin')), ['ada 0.9,ada 1.0.0,will 1.0.0', 'true']);
});

t.test('an upload is always the own package, and merging needs both sides', async (t) => {
  const { newClient } = await newGateway(t, { auth: people });
  const ada = newClient(as('ada', 'developer'));
  const eve = newClient(as('eve', 'uploader,developer'));
  await upload(ada);
  t.equal((await eve.uploadPackage({ body: packageOf() })).owner, 'eve');
  t.strictSame((await ada.listPackageVersions({ params: { owner: 'ada', name: 'sensors' } })).versions, [
    '0.9',
    '1.0.0',
  ]);
  const nobody = { roles: [], users: [], everyone: false };
  await eve.putPackagePermissions({
    params: { owner: 'eve', name: 'sensors' },
    body: { readOnly: nobody, readWrite: { ...nobody, users: ['will'] } },
  });
  const target = { user: 'eve', appPackageName: 'sensors', appPackageVersion: '1.0.0' };
  const source = { user: 'ada', version: '1.0.0' };
  // Reads everybody's, but may write only that of eve.
  await newClient(as('will', 'developer')).mergePackages({ params: target, body: source });
  await refuses(t, newClient(as('tom', 'developer')).mergePackages({ params: target, body: source }), {
    status: 403,
  });
});

t.test('rights are live', async (t) => {
  const { newClient } = await newGateway(t, { auth: people });
  const owner = newClient(as('ada', 'developer'));
  await upload(owner);
  const params = { owner: 'ada', name: 'sensors' };
  const sees = (who: Client) =>
    who.getPackage({ params: { ...params, version: '1.0.0' } }).then(
      ({ canWrite }) => (canWrite ? 'writes' : 'reads'),
      (error) => error.status,
    );
  const [rita, eve] = [newClient(as('rita')), newClient(as('eve'))];
  t.strictSame([await sees(rita), await sees(eve)], [404, 404]);
  await owner.putPackagePermissions({ params, body: { readOnly: { users: ['rita'] } } });
  t.strictSame([await sees(rita), await sees(eve)], ['reads', 404]);
  await refuses(t, rita.putPackagePermissions({ params, body: shared }), { status: 403 });
  await refuses(t, eve.putPackagePermissions({ params, body: shared }), { status: 404 });
  await owner.putPackagePermissions({ params, body: { readWrite: { everyone: true } } });
  t.strictSame([await sees(rita), await sees(eve)], ['writes', 'writes']);
  await eve.putPackagePermissions({ params, body: {} });
  t.strictSame(
    [await sees(rita), await sees(eve)],
    [404, 404],
    'whoever may write may also give rights away',
  );
  t.equal(await sees(owner), 'writes');
});
