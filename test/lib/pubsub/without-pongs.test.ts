import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import type { HubLimits } from '../../../lib/pubsub/limits.js';
import { untilState } from '../../helpers/applications.js';
import { as, people } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';
import { pipeline, type YarnGateway, yarnGateway } from '../../helpers/yarn.js';
import { pongless } from './pongless.js';

// Clients that answer no pings, as the engine's own: raw sockets at a living gateway. With a number of seconds as its argument
// (`node build/test/lib/pubsub/without-pongs.test.js 600`) it lasts that long, under the limits that every host has.

const seconds = Number(process.argv[2] ?? 0);
const isLong = seconds > 0;
const limits: Partial<HubLimits> = isLong ? {} : { pingMs: 100, pongMs: 1000 };
/** Longer apart than pings are, and not as long as somebody without an application may be silent. */
const talkMillis = isLong ? 60_000 : 300;

/** Logs in as the engine does, with what the launch injected; resolves the header that it sends from then on. */
async function login({ baseUrl, double }: YarnGateway): Promise<string> {
  const properties = double.launches[0]?.properties ?? {};
  const { headers } = await fetch(`${baseUrl}/ws/v2/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      userName: properties['apex.attr.GATEWAY_USER_NAME'],
      password: properties['apex.attr.GATEWAY_PASSWORD'],
    }),
  });
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return `cookie: ${cookies.join('; ')}`;
}

const user = (name: string): string[] => {
  const { headers } = as(name, 'developer');
  return Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
};

t.setTimeout((seconds + 120) * 1000);

t.test('who proved an application, or shows life, is not cut for pings without an answer', async (t) => {
  const yarn = await yarnGateway(
    t,
    { gatewayAddress: '127.0.0.1:9090' },
    { auth: people, pubsub: { limits } },
  );
  const { gateway, newClient, baseUrl } = yarn;
  const id = await gateway.launch({ user: 'ann', name: 'numbers', application: pipeline().application });
  const ann = newClient(as('ann', 'developer'));
  await untilState(ann, id, 'RUNNING');
  const heard: unknown[] = [];
  ann.subscribe('talk', (data) => heard.push(data));
  ann.subscribe(`applications.${id}.events`, (event) => heard.push(event));

  const cookie = await login(yarn);
  const clients = {
    /** Says something now and then, with pauses that are longer than those between pings. */
    engine: await pongless(baseUrl, [cookie]),
    /** Has nothing to say until the end. */
    silentEngine: await pongless(baseUrl, [cookie]),
    talkingUser: await pongless(baseUrl, user('bob')),
    silentUser: await pongless(baseUrl, user('cid')),
  };
  t.teardown(() => {
    for (const client of Object.values(clients)) client.end();
  });
  const { engine, silentEngine, talkingUser, silentUser } = clients;
  const topic = `applications.${id}.events`;
  // The engine is told of its listeners, and those of the other topic came before.
  await until(
    async () => engine.texts,
    (texts) => texts.some((text) => text.includes('"1"')),
  );
  const event = (n: string) => ({ id: n, timestamp: 1, type: 'StartContainer', data: {} });
  const said: unknown[] = [];
  const say = (client: typeof engine, topic: string, data: unknown) => {
    said.push(data);
    client.say({ type: 'publish', topic, data });
  };
  const report = () => {
    if (!isLong) return;
    const states = Object.entries(clients).map(
      ([name, { pings, endedAfter }]) =>
        `${name}: ${pings} pings, ${endedAfter === undefined ? 'open' : `ended after ${Math.round(endedAfter / 1000)} s`}`,
    );
    t.comment(`${new Date().toISOString()} ${states.join('; ')}; ${heard.length} of ${said.length} heard`);
  };

  const since = performance.now();
  const isCut = () => [engine, silentEngine, talkingUser].some(({ endedAfter }) => endedAfter !== undefined);
  const isOver = () =>
    isLong
      ? performance.now() - since >= seconds * 1000
      : silentUser.endedAfter !== undefined && (isCut() || silentEngine.pings > 30);
  while (!isOver()) {
    say(engine, topic, event(`e${said.length}`));
    say(talkingUser, 'talk', { n: said.length });
    await delay(talkMillis);
    report();
  }
  say(silentEngine, topic, event('after a long silence'));
  while (heard.length < said.length && !isCut()) await delay(20);
  report();
  const byText = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).sort();
  t.strictSame(byText(heard), byText(said), 'nothing that was said is lost');
  for (const name of ['engine', 'silentEngine', 'talkingUser'] as const) {
    t.equal(clients[name].endedAfter, undefined, `${name} was not cut`);
    t.equal(clients[name].pings > 0, true, `${name} was pinged`);
  }
  if (!isLong || seconds > 400) t.not(silentUser.endedAfter, undefined, 'who is nobody and silent goes');
});
