import t, { type Test } from 'tap';
import { httpHandler } from '../../../adapters/host/http.js';
import { checkReplies } from '../../../lib/client/replies.js';
import { type Client, createClient } from '../../../lib/client.js';
import { LogList } from '../../../lib/model/containers.js';
import { engineGateway, untilItRuns, untilState, words } from '../../helpers/applications.js';
import type { TestGateway } from '../../helpers/gateway.js';
import { hostOf } from '../../helpers/hosts.js';
import { as, people } from '../../helpers/people.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';

// Addresses in answers, opened as somebody would who sees nothing but the gateway, wherever that is mounted.

/** May see her own applications and read logs, and nothing of the cluster. */
const ada = as('ada', 'operator');
const prefix = '/some/prefix';

interface Mount {
  /** With a slash at its end. */
  readonly base: string;
  readonly client: Client;
}

/** At the root of one host, and below a path of another. */
async function mountsOf(
  t: { teardown(close: () => Promise<void>): unknown },
  { baseUrl, gateway, newClient }: TestGateway,
): Promise<readonly Mount[]> {
  const below = await hostOf(gateway, httpHandler(gateway, { prefix }), prefix);
  const client = createClient({ baseUrl: below.baseUrl, checkReplies, ...ada });
  t.teardown(async () => {
    client.close();
    await below.close();
  });
  return [
    { base: `${baseUrl}/`, client: newClient(ada) },
    { base: `${below.baseUrl}/`, client },
  ];
}

const open = async (address: string, base: string): Promise<string> => {
  const { status } = await fetch(new URL(address, base), ada);
  return `${status} ${address}`;
};

const namesOf = (listed: unknown) => LogList.parse(listed).logs.map(({ name }) => name);

/** All addresses of an application, as each answer gives them. */
async function addressesOf({ client }: Mount, appid: string) {
  const params = { appid };
  const app = await client.getApplication({ params });
  const { apps } = await client.listApplications();
  const { containers } = await client.listContainers({ params });
  const alone = await Promise.all(
    containers.map(({ id: containerId }) => client.getContainer({ params: { appid, containerId } })),
  );
  return {
    app,
    containers,
    master: app.appMasterTrackingUrl,
    tracking: [app, ...apps.filter(({ id }) => id === appid)].map(({ trackingUrl }) => trackingUrl),
    logs: [...containers, ...alone].map(({ containerLogsUrl }) => containerLogsUrl),
  };
}

async function holdsWhileItRuns(t: Test, mount: Mount, appid: string): Promise<void> {
  const { base } = mount;
  const { app, containers, master, tracking, logs } = await addressesOf(mount, appid);
  t.ok(containers.length >= 2);
  t.ok(containers.some(({ containerType }) => containerType === 'APP_MASTER'));
  for (const address of [master, ...tracking, ...logs])
    t.equal(await open(address, base), `200 ${address}`, base);
  const told = await (await fetch(new URL(master, base), ada)).json();
  t.match(told, { id: appid }, 'it is the master of this one');
  for (const [index, { id: containerId }] of containers.entries()) {
    const shown = await (await fetch(new URL(logs[index] ?? '', base), ada)).json();
    const listed = await mount.client.listLogs({ params: { appid, containerId } });
    t.strictSame(namesOf(shown), namesOf(listed), 'the same logs, which grow in between');
  }
  const gateway = `http://${app.gatewayAddress}${new URL(base).pathname}`;
  t.equal(await open('ws/v2/about', gateway), '200 ws/v2/about', 'the gateway itself');
}

async function holdsAfterItsEnd(t: Test, mount: Mount, appid: string): Promise<void> {
  const { master, tracking, logs } = await addressesOf(mount, appid);
  t.equal(master, '', 'no master runs any more');
  t.ok(logs.length >= 2);
  for (const address of [...tracking, ...logs])
    t.equal(await open(address, mount.base), `200 ${address}`, mount.base);
}

t.test('of the embedded engine', async (t) => {
  const place = await engineGateway(t);
  const mounts = await mountsOf(t, place);
  const owner = place.newClient(ada);
  const appid = await place.gateway.launch(words());
  await untilItRuns(owner, appid);
  for (const mount of mounts) await holdsWhileItRuns(t, mount, appid);
  await owner.killApplication({ params: { appid } });
  await untilState(owner, appid, 'KILLED');
  for (const mount of mounts) await holdsAfterItsEnd(t, mount, appid);
});

t.test('on YARN, whose own addresses are for those inside the cluster', async (t) => {
  const place = await yarnGateway(t, {}, { auth: people });
  const { double } = place;
  const mounts = await mountsOf(t, place);
  for (const mount of mounts) {
    const GATEWAY_CONNECT_ADDRESS = new URL(mount.base).host;
    const { id } = await double.run(pipeline({ user: 'ada', attributes: { GATEWAY_CONNECT_ADDRESS } }));
    await holdsWhileItRuns(t, mount, id);
    await mount.client.killApplication({ params: { appid: id } });
    await untilState(mount.client, id, 'KILLED');
    await holdsAfterItsEnd(t, mount, id);
  }
  const waiting = double.launch(pipeline({ user: 'ada', starts: new Promise(() => {}) }));
  for (const { base, client } of mounts) {
    const app = await client.getApplication({ params: { appid: waiting.id } });
    t.match(app, { state: 'ACCEPTED', appMasterTrackingUrl: '' });
    t.equal(await open(app.trackingUrl, base), `200 ${app.trackingUrl}`, 'before there is a master');
  }
});
