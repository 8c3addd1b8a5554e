import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { randomNumbers } from './application-package.js';
import { type EngineClient, engineClients } from './engine-client.js';
import { endedThroughProxy, managerThroughProxy, masterThroughProxy } from './proxies.js';
import { until, type YarnSession, yarnSession } from './session.js';

// The engine's own connections to the hub: with the credential that the launch injects, while the gateway asks everybody
// who they are. And what the proxies show of the servers behind them while it runs.

/** How long the engine's own clients have nothing to say: longer than from the first ping to the time for its answer. */
const quietMillis = Number(process.env['HEADGATE_QUIET_SECONDS'] ?? 45) * 1000;

t.setTimeout(600_000 + quietMillis);
const whole = t;
let session: YarnSession;
let appid = '';
const params = () => ({ appid });
const Attributes = z.object({ GATEWAY_USER_NAME: z.string(), GATEWAY_PASSWORD: z.string() });
let credential: z.output<typeof Attributes> | undefined;

const operator = async (name: string) => {
  const { operators } = await session.client.listPhysicalOperators({ params: params() });
  const found = operators.find((one) => one.name === name);
  if (!found) throw new Error(`No operator ${name}`);
  return found;
};
const login = async () => {
  const { GATEWAY_USER_NAME: userName, GATEWAY_PASSWORD: password } = Attributes.parse(credential);
  const answer = await fetch(`http://${session.address}/ws/v2/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName, password }),
  });
  return { status: answer.status, cookie: answer.headers.get('set-cookie') ?? '' };
};

let blast = 5;
/** Which is one event each time. */
const changeProperty = async () => {
  blast = blast === 5 ? 6 : 5;
  await session.client.setOperatorProperties({
    params: { appid, opName: 'rand' },
    body: { tuplesBlast: blast },
  });
};

/** Changes a property once. */
async function heardLive(): Promise<unknown> {
  const heard: unknown[] = [];
  let isListening = false;
  const stops = [
    session.client.subscribe(`applications.${appid}.events`, (event) => heard.push(event)),
    // Of the same socket, in its order: when this comes, events are listened to as well.
    session.client.subscribe(`applications.${appid}`, () => {
      isListening = true;
    }),
  ];
  try {
    await until(
      async () => isListening,
      (yes) => yes,
    );
    await changeProperty();
    await until(
      async () => heard.length,
      (count) => count > 0,
    );
  } finally {
    for (const stop of stops) stop();
  }
  return heard[0];
}

const untilConnected = () =>
  until(
    () => session.client.getApplication({ params: params() }),
    ({ connectedToThisGateway }) => connectedToThisGateway,
  );

t.test('an application launches that is told of its gateway', async () => {
  session = await yarnSession(whole, {
    yarn: { 'yarn.log-aggregation-enable': true },
    gateway: { aggregatedLogs: true },
  });
  const source = await session.upload({ applications: { Random: randomNumbers } });
  const { appId } = await session.client.launchPackageApplication({
    params: { ...source, appName: 'Random' },
  });
  appid = appId;
  await session.untilItRuns(appid);
});

t.test('its engine has logged in, and connected to this gateway', async (t) => {
  const app = await until(
    () => session.client.getApplication({ params: params() }),
    ({ gatewayConnected }) => gatewayConnected,
  );
  t.match(app, { connectedToThisGateway: true, gatewayAddress: session.address });

  const { resourceManager } = session.cluster;
  const told = await fetch(`${resourceManager}/proxy/${appid}/ws/v2/stram/logicalPlan/attributes`);
  credential = Attributes.parse(await told.json());
  t.match(await login(), { status: 200, cookie: /^headgate_application=/ });
  const shown = JSON.stringify([
    app,
    await session.client.getApplicationAttributes({ params: params() }),
    await session.client.getLogicalPlan({ params: params() }),
  ]);
  t.notOk(shown.includes(credential.GATEWAY_PASSWORD), 'the gateway does not show what the engine shows');
});

t.test('the resource manager answers through the proxy', (t) => managerThroughProxy(t, session, appid));

t.test('its master answers through the proxy, and tells no secrets', (t) =>
  masterThroughProxy(t, session, { appid, password: credential?.GATEWAY_PASSWORD ?? '' }),
);

t.test('events arrive as they happen', async (t) => {
  const data = { operatorName: 'rand', propertyName: 'tuplesBlast', propertyValue: '6' };
  t.match(await heardLive(), { type: 'SetOperatorProperty', data });
});

/** Records, listens, and asks that nothing came to harm. */
async function recordsLive(t: Test) {
  const { id, container } = await operator('rand');
  const port = { appid, opid: id, portName: 'integer_data' };
  const { id: recording } = await session.client.startPortRecording({ params: port });
  const { startTime } = await until(
    () => session.client.getRecording({ params: { appid, opid: id, id: recording } }).catch(() => undefined),
    (one) => (one?.startTime ?? 0) > 0,
  ).then((one) => one ?? { startTime: 0 });
  const tuples: unknown[] = [];
  const stop = session.client.subscribe(`applications.${appid}.tupleRecorder.${startTime}`, (tuple) =>
    tuples.push(tuple),
  );
  await until(
    async () => tuples.length,
    (count) => count >= 5,
  );
  stop();
  t.match(tuples[0], { windowId: /^7\d{18}$/ });
  const after = await operator('rand');
  t.equal(after.container, container, 'it is recorded where it was');
  t.equal(after.status, 'ACTIVE');
  await session.client.stopPortRecording({ params: port });
  await until(
    () => session.client.getRecording({ params: { appid, opid: id, id: recording } }),
    (one) => one.ended,
  );
}

t.test('recorded tuples arrive as they are recorded, and the operator lives on', recordsLive);

t.test('the credential holds for a gateway that was started anew', async (t) => {
  await session.restartGateway();
  t.match(await login(), { status: 200 });
  // The engine comes back when it has something to tell, and does not tell that.
  await changeProperty();
  await untilConnected();
  t.match(await heardLive(), { type: 'SetOperatorProperty', data: { propertyValue: String(blast) } });
  await recordsLive(t);
});

/** Each with what was heard of it. The engine's class answers no pings, and tells nobody who does not publish that it was cut. */
const quiet: { client: EngineClient; heard: unknown[]; saysMore: boolean }[] = [];
let quietSince = 0;

t.test(
  "the engine's own client connects, with the credential of the application and as one that is trusted",
  async (t) => {
    const { GATEWAY_USER_NAME: userName, GATEWAY_PASSWORD: password } = Attributes.parse(credential);
    const open = await engineClients(session.parts, session.cluster.directory);
    const { address } = session;
    for (const { topic, login, saysMore } of [
      { topic: `applications.${appid}.tupleRecorder.1`, login: { userName, password }, saysMore: false },
      { topic: 'test.quiet', login: undefined, saysMore: true },
    ]) {
      const heard: unknown[] = [];
      whole.teardown(session.client.subscribe(topic, (data) => heard.push(data)));
      const client = await open({ address, topic, ...(login ? { login } : {}) });
      whole.teardown(() => client.close());
      // Until it is heard: a subscription may come later than the first.
      await until(
        async () => {
          client.publish('at first');
          return heard.length;
        },
        (count) => count > 0,
      );
      quiet.push({ client, heard, saysMore });
    }
    quietSince = performance.now();
    t.equal(quiet.length, 2);
  },
);

t.test('the successor of a killed container is told live', async (t) => {
  const types = new Set<string>();
  const stop = session.client.subscribe(`applications.${appid}.events`, ({ type }) => types.add(type));
  const { container } = await operator('console');
  await session.client.killContainer({ params: { appid, containerId: container ?? '' } });
  await until(
    async () => [...types],
    (seen) => ['StartContainer', 'StartOperator'].every((type) => seen.includes(type)),
  );
  stop();
  t.pass();
});

t.test('neither is cut for answering no pings, and what it says at last is heard', async (t) => {
  // Who proves an application may be silent for ever, others for five minutes.
  const sayEvery = 120_000;
  const left = () => quietMillis - (performance.now() - quietSince);
  while (left() > 0) {
    await delay(Math.max(1, Math.min(left(), sayEvery)));
    for (const { client, saysMore } of quiet) if (saysMore && left() > 0) client.publish('meanwhile');
  }
  for (const { client, heard } of quiet) {
    client.publish('at last');
    await until(
      async () => heard,
      (all) => all.includes('at last') || client.told().includes('closed'),
    );
    t.equal(heard.at(-1), 'at last');
    t.notOk(client.told().includes('closed'), client.told().join('\n'));
  }
  t.match(await session.client.getApplication({ params: params() }), { connectedToThisGateway: true });
  t.match(await heardLive(), { type: 'SetOperatorProperty' }, "and the master's own");
});

t.test('it is dead as soon as the application is', async (t) => {
  await session.client.killApplication({ params: params() });
  await session.untilState(appid, 'KILLED');
  t.not((await login()).status, 200);
  await endedThroughProxy(t, session, appid);
});

t.test('its logs are read where the node managers have put them', async (t) => {
  const { containers } = await session.client.listContainers({ params: params() });
  const { id: containerId } = containers.find(({ containerType }) => containerType === 'STREAMING') ?? {};
  const container = { appid, containerId: containerId ?? '' };
  await until(
    () => readdir(join(session.cluster.directory, 'logs/userlogs', appid)).catch(() => []),
    (left) => left.length === 0,
  );
  const { logs } = await until(
    () => session.client.listLogs({ params: container }),
    (all) => all.logs.length > 0,
  );
  t.strictSame(logs.map(({ name }) => name).sort(), ['apex.log', 'stderr', 'stdout']);
  const log = await session.client.readLog({
    params: { ...container, logName: 'apex.log' },
    query: { start: 0, end: 30 },
  });
  t.match(log instanceof Response ? await log.text() : '', /^\d{4}-\d\d-\d\d /);
});
