import t from 'tap';
import { WebSocket } from 'ws';
import { firstOf } from '../../../adapters/auth/first-of.js';
import { passwordSessions } from '../../../adapters/auth/password.js';
import type { HostLaunch } from '../../../lib/index.js';
import { untilState } from '../../helpers/applications.js';
import { as, people } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';
import { pipeline, type YarnGateway, yarnGateway } from '../../helpers/yarn.js';

// The engine's own connections to the hub: how it logs in, and what it sends and reads.

const request: HostLaunch = { user: 'ann', name: 'numbers', application: pipeline().application };

/** Logs in with what the launch injected. */
function loginOf({ baseUrl, double }: YarnGateway, change: { password?: string } = {}): Promise<Response> {
  const properties = double.launches[0]?.properties ?? {};
  return fetch(`${baseUrl}/ws/v2/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      userName: properties['apex.attr.GATEWAY_USER_NAME'],
      password: properties['apex.attr.GATEWAY_PASSWORD'],
      ...change,
    }),
  });
}

/** Resolves the cookies, as the engine sends them. */
async function login(yarn: YarnGateway, change: { password?: string } = {}): Promise<string> {
  const { headers } = await loginOf(yarn, change);
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return cookies.join('; ');
}

/** A socket, or the status of the refusal. */
async function connect({ baseUrl }: YarnGateway, cookie: string): Promise<WebSocket | number> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub`, { headers: { cookie } });
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_req, res) => {
      resolve(res.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('error', () => {});
  });
}

t.test('an application proves that it is itself, and writes about itself only', async (t) => {
  const yarn = await yarnGateway(t, { gatewayAddress: '127.0.0.1:9090' }, { auth: people });
  const { gateway, newClient, double, baseUrl } = yarn;
  const id = await gateway.launch(request);
  const ann = newClient(as('ann', 'developer'));
  await untilState(ann, id, 'RUNNING');
  const cookie = await login(yarn);
  t.match(cookie, /^headgate_application=/);
  t.equal(await login(yarn, { password: 'guessed' }), '', 'a wrong password opens nothing');
  const list = await fetch(`${baseUrl}/ws/v2/applications`, { headers: { cookie } });
  t.equal(list.status, 401, 'it is for the hub only');
  t.notMatch(JSON.stringify(await ann.getApplication({ params: { appid: id } })), /"GATEWAY_PASSWORD":"/);

  const socket = await connect(yarn, cookie);
  if (typeof socket === 'number') return t.fail(`refused with ${socket}`);
  const counts: string[] = [];
  socket.on('message', (message) => counts.push(String(message)));
  const publish = (topic: string, data: unknown) =>
    socket.send(JSON.stringify({ type: 'publish', topic, data }));
  const heard: unknown[] = [];
  await new Promise<void>((resolve) => {
    ann.subscribe(`applications.${id}.events`, (event) => {
      heard.push(event);
      resolve();
    });
    // Until the subscription is there; what it is told first, it is told of its own topic.
    const again = setInterval(() => {
      publish('applications.application_1_0001.events', { id: '1', timestamp: 1, type: 'Forged', data: {} });
      publish('cluster.metrics', { forged: true });
      publish(`applications.${id}.events`, { id: '7', timestamp: 1, type: 'StartContainer', data: {} });
    }, 50);
    t.teardown(() => clearInterval(again));
  });
  t.match(heard[0], { id: '7', type: 'StartContainer' });
  t.strictSame(
    // Another socket's: it may be told a little later than the subscriber hears its first event.
    await until(
      async () => counts.map((text) => JSON.parse(text)),
      (told) => told.at(-1)?.data === '1',
    ).then((told) => told.at(-1)),
    { type: 'data', topic: `applications.${id}.events.numSubscribers`, data: '1' },
    'it is told who listens, without asking: after a reconnect the engine does not ask',
  );
  const tuples = `applications.${id}.tupleRecorder.1795298731277`;
  const untilTold = (data: string) =>
    until(
      async () => JSON.parse(counts.at(-1) ?? '') as { topic: string; data: string },
      (told) => told.topic === `${tuples}.numSubscribers` && told.data === data,
    );
  for (const _ of ['once', 'and again']) {
    const stop = ann.subscribe(tuples, () => {});
    await untilTold('1');
    stop();
    await untilTold('0');
  }
  socket.terminate();

  await ann.killApplication({ params: { appid: id } });
  await untilState(ann, id, 'KILLED');
  t.equal(await login(yarn), '', 'dead when the application has ended');
  t.equal(await connect(yarn, cookie), 401);
  const { appId } = await ann.restartApplication({ params: { appid: id } });
  await untilState(ann, appId, 'RUNNING');
  t.match(await login(yarn), /^headgate_application=/, 'the engine goes on with what its saved state holds');
  t.equal(double.launches[1]?.properties['apex.attr.GATEWAY_PASSWORD'], undefined);
});

t.test('its cookie is for TLS only where those of sessions are', async (t) => {
  for (const secure of [true, false]) {
    const auth = firstOf(people, passwordSessions({ cookie: { secure } }));
    const yarn = await yarnGateway(t, { gatewayAddress: '127.0.0.1:9090' }, { auth });
    await untilState(yarn.newClient(as('ann', 'developer')), await yarn.gateway.launch(request), 'RUNNING');
    const { headers } = await loginOf(yarn);
    t.match(headers.getSetCookie(), secure ? [/; Secure$/] : [/SameSite=Strict$/]);
  }
});

t.test('a launch that fails leaves no credential, and none is made without an address', async (t) => {
  const failing = await yarnGateway(t, { gatewayAddress: '127.0.0.1:9090' });
  const broken = { operators: [{ name: 'x', class: 'no.such.Class' }], streams: [] };
  await t.rejects(failing.gateway.launch({ ...request, application: broken }), {
    status: 400,
    code: 'ENGINE_REFUSED',
  });
  const without = await yarnGateway(t);
  await without.gateway.launch(request);
  t.notOk(without.double.launches[0]?.properties['apex.attr.GATEWAY_PASSWORD']);
});
