import t from 'tap';
import type { Client } from '../../../../lib/client.js';
import { createValidations } from '../../../../lib/features/system-alerts/validations.js';
import { faultyCluster } from '../../../doubles/cluster.js';
import { hot, alertInput as input, isActive, untilAlert as untilHeard } from '../../../helpers/alerts.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as, people } from '../../../helpers/people.js';
import { restarted } from '../../../helpers/restart.js';
import { until } from '../../../helpers/waiting.js';

// Alerts on a living gateway; rounds come every 100 ms. Conditions read a topic that clients write.

const { newClient, baseUrl } = await newGateway(t, { auth: people, alerts: { everyMillis: 100 } });
const clientOf = (userName: string, roles: string) =>
  newClient({ headers: { 'x-user': userName, 'x-roles': roles } });
const ada = clientOf('ada', 'developer');
const bob = clientOf('bob', 'developer');
const admin = clientOf('root', 'admin');

/** Free topics are anybody's. */
type Rest = Parameters<typeof untilHeard> extends [unknown, ...infer R] ? R : never;
const untilAlert = (client: Client, ...rest: Rest) => untilHeard({ client, publisher: admin }, ...rest);

t.test('an alert fires, clears and leaves a history', async (t) => {
  const name = 'Temperature / 100% ☂ of “room 1”';
  const topic = 'test.room1';
  const startedAt = Date.now();
  await ada.putAlert({ params: { name }, body: input(hot(topic)) });
  t.match(await ada.getAlert({ params: { name } }), {
    name,
    owner: 'ada',
    timeThresholdMillis: 0,
    disabled: false,
    alertStatus: { isInAlert: false, emailSent: false },
  });
  const { alertStatus } = await untilAlert(ada, name, { topic, temperature: '21' }, isActive);
  t.ok((alertStatus.inTime ?? 0) >= startedAt);
  t.equal(alertStatus.message, 'Too warm');
  t.match(await ada.listAlerts({ query: { inAlert: true } }), { alerts: [{ name }] });
  t.match(await ada.listAlerts({ query: { inAlert: false } }), { alerts: [] });
  await untilAlert(ada, name, { topic, temperature: 20 }, (alert) => !isActive(alert));
  const { history } = await ada.listAlertHistory();
  t.match(history, [{ name, inTime: alertStatus.inTime, message: 'Too warm', emailSent: false }]);
  t.ok((history[0]?.outTime ?? 0) >= (alertStatus.inTime ?? Infinity));
  await ada.deleteAlert({ params: { name } });
  await t.rejects(ada.getAlert({ params: { name } }), { code: 'NOT_FOUND' });
});

t.test('an error keeps the state and says what is wrong', async (t) => {
  const name = 'errors';
  const topic = 'test.errors';
  const condition = '_topic["test.errors"].temperature.value > 20';
  await ada.putAlert({ params: { name }, body: input(condition) });
  const without = await untilAlert(
    ada,
    name,
    { topic: 'test.elsewhere', temperature: 1 },
    ({ alertStatus }) => alertStatus.message !== 'Too warm',
  );
  t.match(without.alertStatus, { isInAlert: false, message: /there is no data of test\.errors/ });
  await untilAlert(ada, name, { topic, temperature: { value: 21 } }, isActive);
  const broken = await untilAlert(
    ada,
    name,
    { topic, temperature: null },
    ({ alertStatus }) => alertStatus.message !== 'Too warm',
  );
  t.match(broken.alertStatus, { isInAlert: true, message: /TypeError/ });
  await untilAlert(ada, name, { topic, temperature: { value: 1 } }, (alert) => !isActive(alert));
  await ada.deleteAlert({ params: { name } });
});

t.test('disabling, and replacing while active', async (t) => {
  const name = 'replaced';
  const topic = 'test.replaced';
  const params = { name };
  await ada.putAlert({ params, body: input(hot(topic)) });
  await untilAlert(ada, name, { topic, temperature: 30 }, isActive);
  await ada.putAlert({ params, body: input(hot(topic), { disabled: 'true' }) });
  t.match(await ada.getAlert({ params }), { disabled: true, alertStatus: { isInAlert: false } });
  t.match(await ada.listAlertHistory(), { history: [{ name }, { name: 'errors' }] });
  await admin.putAlert({ params, body: input(hot(topic), { timeThresholdMillis: '86400000' }) });
  t.match(await ada.getAlert({ params }), { owner: 'ada', disabled: false, timeThresholdMillis: 86_400_000 });
});

t.test('everybody has alerts of their own, and administrators see all', async (t) => {
  await bob.putAlert({ params: { name: 'of bob' }, body: input('true') });
  t.match(await ada.listAlerts(), { alerts: [{ name: 'replaced' }] });
  t.match(await bob.listAlerts(), { alerts: [{ name: 'of bob' }] });
  t.match(await admin.listAlerts(), { alerts: [{ name: 'of bob' }, { name: 'replaced' }] });
  t.strictSame((await bob.listAlertHistory()).history, []);
  t.ok((await admin.listAlertHistory()).history.length >= 3);
  await t.rejects(ada.getAlert({ params: { name: 'of bob' } }), { code: 'NOT_FOUND' });
  await t.rejects(ada.deleteAlert({ params: { name: 'of bob' } }), { code: 'NOT_FOUND' });
  await t.rejects(ada.putAlert({ params: { name: 'of bob' }, body: input('true') }), { code: 'FORBIDDEN' });
});

t.test('a condition reads only what its owner may', async (t) => {
  const eve = clientOf('eve', 'guest');
  const params = { name: 'forbidden' };
  await t.rejects(eve.listAlerts(), { code: 'FORBIDDEN' });
  for (const topic of ['audit', '_internal.x', 'applications.nobodys', 'cluster.metrix']) {
    await t.rejects(
      ada.putAlert({ params, body: input(hot(topic)) }),
      { code: 'FORBIDDEN', message: new RegExp(topic.replace('.', '\\.')) },
      topic,
    );
  }
  await ada.putAlert({ params, body: input('_topic["cluster.metrics"].numAppsRunning > 0') });
  await ada.deleteAlert({ params });
});

t.test(
  'what an owner may see at once is bounded, and the log says when it is less than was asked for',
  async (t) => {
    for (const limits of [{ topics: 1 }, { characters: 20 }]) {
      const { client, logs } = await newGateway(t, { alerts: { everyMillis: 100, limits } });
      const [first, second] = ['test.first', 'test.second'];
      await client.putAlert({ params: { name: 'first' }, body: input(hot(first)) });
      await client.putAlert({ params: { name: 'second' }, body: input(hot(second)) });
      const truncated = () => logs.filter(({ message }) => message.includes('fewer topics than they name'));
      await until(
        async () => {
          for (const topic of [first, second]) client.publish(topic, { temperature: 30 });
          return truncated();
        },
        ({ length }) => length > 0,
      );
      const { alertStatus } = await until(
        () => client.getAlert({ params: { name: 'second' } }),
        ({ alertStatus }) => alertStatus.message !== 'Too warm',
      );
      t.match(alertStatus, { isInAlert: false, message: /there is no data of test\.second/ });
      await client.deleteAlert({ params: { name: 'first' } });
      await untilHeard({ client }, 'second', { topic: second, temperature: 30 }, isActive);
      t.match(truncated(), [{ level: 'warn', fields: { leftOut: 1 } }], 'once, in all these rounds');
    }
  },
);

t.test('bad input is refused with the place', async (t) => {
  const params = { name: 'bad' };
  await t.rejects(ada.putAlert({ params, body: input('var a = 1;\n1 +') }), {
    code: 'CONDITION_NOT_VALID',
    message: /line 2, column 4/,
    details: { line: 2, column: 4 },
  });
  for (const more of [
    { email: '' },
    { email: 'ops' },
    { email: 'a@example.org\r\nbcc: b@example.org' },
    { email: Array.from({ length: 51 }, (_, index) => `a${index}@example.org`).join() },
    { timeThresholdMillis: -1 },
    { timeThresholdMillis: 31 * 24 * 3_600_000 },
    { disabled: 'perhaps' },
    { name: 'another' },
    { condition: ' '.repeat(65 * 1024) },
  ]) {
    await t.rejects(
      ada.putAlert({ params, body: input('true', more) }),
      { code: /INVALID_INPUT|NAME_MISMATCH/ },
      JSON.stringify(more).slice(0, 60),
    );
  }
  const { timeThresholdMillis: _, ...without } = input('true');
  const sent = await fetch(`${baseUrl}/ws/v2/systemAlerts/alerts/bad`, {
    method: 'PUT',
    headers: { 'x-user': 'ada', 'x-roles': 'developer', 'content-type': 'application/json' },
    body: JSON.stringify(without),
  });
  t.match(await sent.json(), { details: [{ path: 'body.timeThresholdMillis', message: 'is missing' }] });
  await t.rejects(ada.putAlert({ params: { name: 'line\nbreak' }, body: input('true') }), {
    code: 'MALFORMED_PATH',
  });
});

t.test('a condition may come with its HTML escaped', async (t) => {
  const params = { name: 'escaped' };
  const condition = '1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;&amp; &quot;&amp;lt;&quot; !== &#39;&apos;';
  await ada.putAlert({ params, body: input(condition) });
  const { condition: kept } = await ada.getAlert({ params });
  // Whatever was escaped, however often: what is read can be written back and stays the same.
  t.equal(kept, `1 < 2 && 3 > 2 && "<" !== ''`);
  t.match(await ada.validateScript({ body: { script: condition } }), { valid: true, result: true });
  t.match(await ada.validateScript({ body: { script: kept } }), { valid: true });
  await ada.deleteAlert({ params });
});

t.test('a script is tried out', async (t) => {
  t.match(await ada.validateScript({ body: { script: '_topic["cluster.metrics"].numAppsRunning === 0' } }), {
    valid: true,
    result: true,
    topics: ['cluster.metrics'],
    missingTopics: [],
    elapsedMillis: Number,
  });
  // This topic says something each five seconds, and nobody waits for that who can be told the last of it.
  await new Promise((resolve) => admin.subscribe('cluster.metrics', resolve));
  for (let time = 1; time <= 2; time++) {
    const script = '_topic["cluster.metrics"].numAppsRunning === 0';
    t.match(
      await ada.validateScript({ body: { script } }),
      { valid: true, missingTopics: [] },
      `time ${time}`,
    );
  }
  t.match(await ada.validateScript({ body: { script: '_topic["audit"].x > 1' } }), {
    valid: false,
    error: /TypeError/,
    missingTopics: ['audit'],
  });
  t.match(await ada.validateScript({ body: { script: '1 +' } }), { valid: false, line: 1, column: 4 });
  t.match(await ada.validateScript({ body: { script: 'for (;;); true' } }), {
    valid: false,
    error: /250 ms/,
  });
  t.match(await ada.validateScript({ body: { script: 'true', email: 'ops@example.org' } }), {
    valid: true,
    emailSent: false,
    emailError: /mail/,
  });
});

t.test('trying scripts is bounded: one of a user, some in line, and test mails in an hour', async (t) => {
  const slow = { body: { script: 'for (;;); true' } };
  const codesOf = async (clients: readonly Client[]) =>
    (await Promise.allSettled(clients.map((client) => client.validateScript(slow))))
      .map((one) => (one.status === 'rejected' ? one.reason.code : 'done'))
      .toSorted();
  t.strictSame(await codesOf([bob, bob, bob]), ['TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS', 'done']);
  const many = await codesOf(Array.from({ length: 14 }, (_, i) => clientOf(`user-${i}`, 'developer')));
  t.strictSame(many, ['TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS', ...Array<string>(12).fill('done')]);
  const mailing = { body: { script: 'true', email: 'ops@example.org' } };
  for (let sent = 0; sent < 20; sent++) t.notMatch(await bob.validateScript(mailing), { emailError: /20/ });
  t.match(await bob.validateScript(mailing), {
    valid: true,
    emailSent: false,
    emailError: /sent 20 test mails/,
  });
});

t.test('who hangs up while a script stands in line may try another at once', async (t) => {
  const { run } = createValidations({ now: () => 0, monotonic: () => 0 });
  const never = () => new Promise<never>(() => {});
  const { signal } = new AbortController();
  for (const name of ['a', 'b']) void run(name, signal, never);
  const gone = new AbortController();
  const waiting = run('c', gone.signal, never);
  await t.rejects(run('c', signal, never), { code: 'TOO_MANY_REQUESTS' });
  gone.abort(new Error('hung up'));
  await t.rejects(waiting, { message: 'hung up' });
  void run('c', signal, never);
  for (let i = 0; i < 9; i++) void run(`d${i}`, signal, never);
  await t.rejects(run('e', signal, never), { message: /too many scripts/i }, 'ten stand in line');
});

t.test('a script is tried out on what was', async (t) => {
  const name = 'tried';
  const topic = 'test.tried';
  const params = { name };
  await ada.putAlert({ params, body: input(hot(topic)) });
  await untilAlert(ada, name, { topic, temperature: 21 }, isActive);
  await untilAlert(ada, name, { topic, temperature: 11 }, (alert) => !isActive(alert));
  const { history } = await ada.listAlertHistory();
  const { inTime, outTime } = history[0] ?? {};
  const body = { script: `!(_topic["${topic}"]?.temperature <= 20)`, backtest: true };
  const nowhere = await bob.validateScript({ body });
  t.match(nowhere, { valid: true, result: true, backtest: { activations: [{}] } });
  const { backtest } = await ada.validateScript({ body: { ...body, script: hot(topic) } });
  t.equal(backtest, undefined, 'a script that is not valid now is not tried');
  const found = await ada.validateScript({
    body: { ...body, script: `_topic["${topic}"]?.temperature > 20` },
  });
  t.match(found.backtest?.activations.at(-1), { inTime, outTime });
  t.equal(found.backtest?.errors, 0);
  t.ok((found.backtest?.evaluations ?? 0) > 1);
  await ada.deleteAlert({ params });
});

t.test('topic data is what the caller may read', async (t) => {
  t.match(await ada.getTopicData(), { 'cluster.metrics': { numAppsRunning: 0 }, applications: { apps: [] } });
  const reader = clientOf('reader', 'viewer');
  await admin.putRole({ params: { role: 'viewer' }, body: { permissions: ['VIEW_SYSTEM_ALERTS'] } });
  t.strictSame(await reader.getTopicData(), {});
});

t.test('a runaway condition is suspended, and the others go on', async (t) => {
  const topic = 'test.others';
  await ada.putAlert({ params: { name: 'runaway' }, body: input('for (;;); true') });
  await ada.putAlert({ params: { name: 'sound' }, body: input(hot(topic)) });
  const suspended = await until(
    () => ada.getAlert({ params: { name: 'runaway' } }),
    ({ alertStatus }) => /save it again/.test(alertStatus.message),
  );
  t.match(suspended.alertStatus, { isInAlert: false, message: /250 ms.*3 times/ });
  await untilAlert(ada, 'sound', { topic, temperature: 21 }, isActive);
  await ada.putAlert({ params: { name: 'runaway' }, body: input('true') });
  await until(() => ada.getAlert({ params: { name: 'runaway' } }), isActive);
  await ada.putAlert({ params: { name: 'runaway' }, body: input('false') });
  t.match(await ada.getAlert({ params: { name: 'runaway' } }), { alertStatus: { message: 'Too warm' } });
});

t.test('whatever name a condition puts together, it reads what its owner may at that moment', async (t) => {
  const mine = 'application_2_0001';
  const others = Array.from({ length: 600 }, (_, index) => ({ id: `application_1_${index}`, user: 'bob' }));
  const cluster = faultyCluster([...others, { id: mine, user: 'ada' }]);
  const { newClient } = await newGateway(t, { cluster, auth: people, alerts: { everyMillis: 100 } });
  const owner = newClient(as('ada', 'developer'));
  const guest = newClient(as('eve', 'developer'));
  const root = newClient(as('root', 'admin'));
  const params = { name: 'names' };
  const firesFor = async (client: Client, condition: string) => {
    const name = `of ${condition.length}`;
    await client.putAlert({ params: { name }, body: input(condition) });
    return until(() => client.getAlert({ params: { name } }), isActive);
  };
  const parts = ['', '.containers', '.physicalOperators', '.logicalOperators'];
  const readable = ['cluster.metrics', 'applications', ...parts.map((part) => `applications.${mine}${part}`)];
  t.strictSame(Object.keys(await owner.getTopicData()).sort(), readable.toSorted());
  const names = JSON.stringify(readable.toSorted().join());
  await firesFor(owner, `Object.keys(_topic).sort().join() === ${names}`);
  await firesFor(
    owner,
    '_topic.applications.apps.some(({ id }) => _topic["applications." + id].state === "RUNNING")',
  );

  await owner.putApplicationPermissions({
    params: { appid: mine },
    body: { readOnly: { users: ['eve'], roles: [], everyone: false } },
  });
  await firesFor(
    guest,
    '_topic.applications.apps.length === 1 && Object.keys(_topic).sort().join() === "applications,cluster.metrics"',
  );

  const role = (
    ...permissions: readonly Parameters<typeof root.putRole>[0]['body']['permissions'][number][]
  ) => root.putRole({ params: { role: 'watcher' }, body: { permissions: [...permissions] } });
  await role('MANAGE_SYSTEM_ALERTS', 'VIEW_SYSTEM_ALERTS', 'VIEW_GLOBAL_CONFIG');
  const wanda = newClient(as('wanda', 'watcher'));
  await wanda.putAlert({ params, body: input('_topic["cluster.metrics"].numAppsRunning >= 0') });
  await until(() => wanda.getAlert({ params }), isActive);
  await role('MANAGE_SYSTEM_ALERTS', 'VIEW_SYSTEM_ALERTS');
  const without = await until(
    () => wanda.getAlert({ params }),
    ({ alertStatus }) => alertStatus.message !== 'Too warm',
  );
  t.match(without.alertStatus, { isInAlert: true, message: /there is no data of cluster\.metrics/ });
  await role('MANAGE_SYSTEM_ALERTS', 'VIEW_SYSTEM_ALERTS', 'VIEW_GLOBAL_CONFIG');
  await until(
    () => wanda.getAlert({ params }),
    ({ alertStatus }) => alertStatus.message === 'Too warm',
  );
});

t.test('a restart keeps alerts, and clears status and history', async (t) => {
  await restarted(admin);
  const { alerts } = await until(
    () => admin.listAlerts(),
    (list) => list.alerts.every((alert) => !isActive(alert)),
  );
  t.strictSame(
    alerts.map(({ name }) => name),
    ['of bob', 'replaced', 'runaway', 'sound'],
  );
  t.strictSame((await admin.listAlertHistory()).history, []);
});

t.test('names go through the raw path as they are', async (t) => {
  const answer = await fetch(`${baseUrl}/ws/v2/systemAlerts/alerts/a%2Fb%20100%25%20%E2%98%82`, {
    method: 'PUT',
    headers: { 'x-user': 'ada', 'x-roles': 'developer', 'content-type': 'application/json' },
    body: JSON.stringify(input('false')),
  });
  t.equal(answer.status, 200);
  t.strictSame(await answer.json(), {});
  t.match(await ada.getAlert({ params: { name: 'a/b 100% ☂' } }), { name: 'a/b 100% ☂' });
});
