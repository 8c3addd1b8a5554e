import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { processRuntime } from '../../../packages/containers/index.js';
import { refuses } from '../../helpers/accounts.js';
import { engineGateway, untilState, words } from '../../helpers/applications.js';
import { packageOf } from '../../helpers/packages.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// Services that are applications, and applications that need services, on the real engine.

const directory = mkdtempSync(join(tmpdir(), 'headgate-needs-'));
t.teardown(() => rmSync(directory, { recursive: true, force: true }));

const limits = { pollMillis: 100, retryFirstMillis: 200, retryMostMillis: 1000, stopGraceMillis: 10_000 };
const container = { run: `sh -c 'trap "exit 0" TERM; while true; do sleep 0.05; done'` };
const program = (name: string, requiredServices: readonly string[] = []) => ({
  name,
  type: 'container',
  container,
  requiredServices,
});

/** `helper` needs `base`; `words` needs `helper` before its launch, and `later` some time. */
const wordy = packageOf(
  { name: 'wordy' },
  {
    'app/words.json': JSON.stringify(words().application),
    'app/plain.json': JSON.stringify(words().application),
    'app/lonely.json': JSON.stringify(words().application),
    'app/webbed.json': JSON.stringify(words().application),
    'app/round.json': JSON.stringify(words().application),
    'resources/services.json': JSON.stringify({
      services: [
        program('base'),
        program('helper', ['base']),
        program('later'),
        {
          name: 'far',
          type: 'engine',
          srcUrl: 'http://127.0.0.1:9/x.apa',
          engine: { appName: 'x' },
          proxy: { address: '169.254.169.254:80' },
        },
        program('ring', ['rang']),
        program('rang', ['ring']),
      ],
      applications: [
        {
          name: 'words',
          requiredServices: [
            { name: 'helper', requiredBeforeLaunch: 'true', transient: 'true' },
            { name: 'later' },
          ],
        },
        { name: 'lonely', requiredServices: [{ name: 'nobody' }] },
        { name: 'webbed', requiredServices: [{ name: 'far' }] },
        { name: 'round', requiredServices: [{ name: 'ring' }] },
      ],
    }),
  },
);

const gateway = await engineGateway(
  t,
  {},
  {
    containers: processRuntime({ directory: join(directory, 'programs') }),
    services: { limits, stopOnClose: true },
  },
);
const ada = gateway.newClient(as('ada', 'admin'));
const dev = gateway.newClient(as('dev', 'developer'));
const app = (appName: string) => ({ params: { owner: 'ada', name: 'wordy', version: '1.0.0', appName } });
const untilService = (name: string, state: string) =>
  until(
    () => ada.getService({ params: { name } }),
    (service) => service.state === state,
  );
const gone = (name: string) =>
  until(
    async () => (await ada.listServices()).services.map((service) => service.name),
    (names) => !names.includes(name),
  );

t.test('an application that is a service is launched, started again when it ends, and stopped', async (t) => {
  const file = join(directory, 'wordy.apa');
  writeFileSync(file, wordy);
  const params = { name: 'counting' };
  await ada.putService({
    params,
    body: {
      type: 'engine',
      srcUrl: pathToFileURL(file).href,
      engine: {
        appName: 'plain',
        launchArgs: { 'platform.operator.source.prop.tuplesPerSecond': '${counting.pace}' },
      },
      metadata: { pace: '50' },
    },
  });
  const { appId = '' } = await untilService('counting', 'RUNNING');
  const plan = await ada.getLogicalPlan({ params: { appid: appId } });
  t.equal(plan.operators.find(({ name }) => name === 'source')?.properties['tuplesPerSecond'], 50);
  t.match(await ada.getApplication({ params: { appid: appId } }), { isSystemApp: true, user: 'ada' });

  await ada.killApplication({ params: { appid: appId } });
  const next = await until(
    () => ada.getService({ params }),
    (service) => service.state === 'RUNNING' && service.appId !== appId,
  );
  await ada.stopService({ params });
  await untilService('counting', 'STOPPED');
  t.match(await ada.getApplication({ params: { appid: next.appId ?? '' } }), {
    finalStatus: /SUCCEEDED|KILLED/,
  });
  await ada.deleteService({ params });
  await gone('counting');
});

t.test('an application that can not be had is a service that failed, and says why', async (t) => {
  const junk = join(directory, 'junk.apa');
  writeFileSync(junk, 'no package');
  const good = join(directory, 'wordy.apa');
  for (const [name, path, appName, reason] of [
    ['absent', join(directory, 'nothing.apa'), 'plain', /There is no file/],
    ['junk', junk, 'plain', /zip|archive|package/i],
    ['unknown', good, 'nobody', /nobody/],
  ] as const) {
    const params = { name };
    const body = { type: 'engine', srcUrl: pathToFileURL(path).href, engine: { appName } } as const;
    await ada.putService({ params, body });
    const { stateDetail } = await untilService(name, 'FAILED');
    t.match(stateDetail, reason, name);
    t.match(stateDetail, /tried again/);
    await ada.deleteService({ params });
    await gone(name);
  }
});

t.test(
  'what an application needs is installed and started by its launch, and knows who needs it',
  async (t) => {
    await ada.uploadPackage({ body: wordy });
    await ada.putPackagePermissions({
      params: { owner: 'ada', name: 'wordy' },
      body: { readOnly: { everyone: true } },
    });
    await refuses(t, dev.launchPackageApplication(app('words')), {
      status: 403,
      message: /base|helper|later/,
    });
    await refuses(t, dev.launchPackageApplication(app('webbed')), { status: 403, message: /far/ });
    await refuses(t, ada.launchPackageApplication(app('lonely')), { status: 400, message: /nobody/ });
    await refuses(t, ada.launchPackageApplication(app('round')), { status: 400, message: /ring needs rang/ });
    t.strictSame((await ada.listServices()).services, [], 'nothing was installed for what was refused');

    const { appId } = await ada.launchPackageApplication(app('words'));
    t.match(await ada.getService({ params: { name: 'helper' } }), { state: 'RUNNING' }, 'it was waited for');
    t.match(await ada.getService({ params: { name: 'base' } }), { state: 'RUNNING' }, 'and what it needs');
    await untilService('later', 'RUNNING');
    await untilState(ada, appId, 'RUNNING');
    const { dependentApps } = await ada.getService({ params: { name: 'helper' } });
    t.match(dependentApps, [{ appId, appName: 'words', user: 'ada' }]);
    const { services = [] } = await ada.getApplication({ params: { appid: appId } });
    t.strictSame(services.map(({ name }) => name).sort(), ['base', 'helper', 'later']);
    t.ok(services.every(({ container }) => container !== undefined));
    await ada.putApplicationPermissions({
      params: { appid: appId },
      body: { readOnly: { everyone: true } },
    });
    const eve = gateway.newClient(as('eve'));
    const shared = await eve.getApplication({ params: { appid: appId } });
    t.match(shared.services, [{ name: /./, state: 'RUNNING', type: 'container', metadata: {} }]);
    t.notMatch(JSON.stringify(shared.services), /trap|container"?:|srcUrl/, 'not how they were made');
    t.match(await ada.stopService({ params: { name: 'later' } }), { message: new RegExp(appId) });

    const needing = { params: { name: 'needing' } };
    await ada.putService({
      ...needing,
      body: { type: 'container', container, requiredServices: ['base'], enabled: false },
    });
    await ada.killApplication({ params: { appid: appId } });
    await gone('helper');
    t.match(await ada.getService({ params: { name: 'base' } }), { state: 'RUNNING' }, 'another one needs it');
    await ada.deleteService(needing);
    await gone('base');
    await untilService('later', 'STOPPED');
  },
);

t.test('one that is started again from its saved state has its services again', async (t) => {
  const { appId } = await ada.launchPackageApplication(app('words'));
  const { containerId } = await untilService('later', 'RUNNING');
  await ada.killApplication({ params: { appid: appId } });
  await gone('helper');

  const again = await ada.restartApplication({ params: { appid: appId } });
  t.match(await ada.getService({ params: { name: 'helper' } }), { state: 'RUNNING', transient: undefined });
  const all = async () => (await ada.listServices()).services;
  t.strictSame(
    (await all()).map(({ name, dependentApps }) => [name, dependentApps.map((one) => one.appId)]),
    ['base', 'helper', 'later'].map((name) => [name, [again.appId]]),
  );
  t.match(await ada.getService({ params: { name: 'later' } }), { containerId }, 'what ran goes on');

  await untilState(ada, again.appId, 'RUNNING');
  await ada.deletePackage({ params: { owner: 'ada', name: 'wordy', version: '1.0.0' } });
  const before = await all();
  await ada.killApplication({ params: { appid: again.appId } });
  // It was seen to have ended, and what is transient goes.
  await until(
    () => ada.getApplication({ params: { appid: again.appId } }),
    ({ services = [] }) => services.length === 0,
  );
  const third = await ada.restartApplication({ params: { appid: again.appId } });
  const { services = [] } = await ada.getApplication({ params: { appid: third.appId } });
  t.ok(
    services.some(({ name }) => name === 'later'),
    'also without its package, as far as they are there',
  );
  t.equal((await ada.getService({ params: { name: 'later' } })).containerId, before.at(-1)?.containerId);
  await ada.killApplication({ params: { appid: third.appId } });
  await gone('helper');
});
