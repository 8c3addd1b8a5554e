import { once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import type { HostRules, OperationQuestion } from '../../../lib/index.js';
import { refuses } from '../../helpers/accounts.js';
import { newGateway } from '../../helpers/gateway.js';
import { as, people } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

const gatewayWith = (t: Parameters<typeof newGateway>[0], authorize: HostRules) =>
  newGateway(t, { auth: people, authorize });

t.test('operations: it takes away, and is asked after our own rights', async (t) => {
  const asked: OperationQuestion[] = [];
  let answer: unknown = true;
  const { baseUrl, newClient } = await gatewayWith(t, {
    async operation(question) {
      asked.push(question);
      if (answer instanceof Error) throw answer;
      return answer === true;
    },
  });
  const root = newClient(as('root', 'admin'));
  const eve = newClient(as('eve'));
  await root.putRole({ params: { role: 'a/b' }, body: { permissions: [] } }).catch(() => {});
  t.match(asked, [
    {
      kind: 'operation',
      operation: 'putRole',
      method: 'PUT',
      path: '/ws/v2/auth/roles/{role}',
      params: { role: 'a/b' },
      user: { userName: 'root', isAdmin: true },
      caller: { remoteAddress: '127.0.0.1' },
    },
  ]);
  await refuses(t, eve.listUsers(), { status: 403, message: /MANAGE_USERS/ });
  t.equal(asked.length, 1, 'a no of ours is not asked about: a yes would change nothing');

  answer = false;
  await refuses(t, root.listUsers(), { status: 403, message: /host of this gateway/ });
  await refuses(t, root.getHealth(), { status: 403 }, 'public ones, too');
  const late = await fetch(`${baseUrl}/ws/v2/auth/users/x`, {
    method: 'PUT',
    headers: { ...as('root', 'admin').headers, 'content-type': 'application/json' },
    body: 'no JSON',
  });
  t.equal(late.status, 403, 'before the body is looked at');
  answer = 'yes';
  await refuses(t, root.listUsers(), { status: 403 }, 'only true is a yes');
  answer = new Error('the host is down');
  await refuses(t, root.listUsers(), { status: 502, message: /host's permission check/ });
  answer = true;
  await root.listUsers();
});

t.test('topics: subscriptions and messages, also those that are open', async (t) => {
  const closed = new Set<string>();
  const { baseUrl, gateway } = await gatewayWith(t, {
    topic({ action, topic, user }) {
      if (topic === 'broken') throw new Error('the host is down');
      return !closed.has(`${action} ${topic} ${user.userName}`);
    },
  });
  const open = async (who: string) => {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub?errors=true`, as(who));
    const got: string[] = [];
    socket.on('message', (text) => {
      const { type, topic, data } = JSON.parse(String(text));
      got.push(type === 'error' ? `no ${topic}` : `${topic}: ${data}`);
    });
    await once(socket, 'open');
    t.teardown(() => socket.terminate());
    return { got, send: (message: object) => socket.send(JSON.stringify(message)) };
  };
  const [ada, eve] = [await open('ada'), await open('eve')];
  const has = (got: readonly string[], text: string) =>
    until(
      async () => got,
      (all) => all.includes(text),
    );

  closed.add('subscribe news eve').add('publish news ada');
  for (const socket of [ada, eve]) socket.send({ type: 'subscribe', topic: 'news' });
  await has(eve.got, 'no news');
  ada.send({ type: 'publish', topic: 'news', data: 1 });
  await has(ada.got, 'no news');
  eve.send({ type: 'publish', topic: 'news', data: 2 });
  await has(ada.got, 'news: 2');

  closed.add('subscribe news ada');
  gateway.rightsChanged('ada');
  await until(
    async () => ada.got.filter((one) => one === 'no news').length,
    (count) => count === 2,
  );
  eve.send({ type: 'publish', topic: 'news', data: 3 });
  eve.send({ type: 'subscribe', topic: 'fence' });
  ada.send({ type: 'subscribe', topic: 'fence' });
  await until(
    async () => {
      eve.send({ type: 'publish', topic: 'fence', data: 0 });
      return ada.got;
    },
    (all) => all.includes('fence: 0'),
  );
  t.notOk(ada.got.includes('news: 3'));

  ada.send({ type: 'subscribe', topic: 'broken' });
  await has(ada.got, 'no broken');
  ada.send({ type: 'subscribe', topic: 'audit' });
  await has(ada.got, 'no audit');
  t.pass('a yes of the host gives nothing');
});
