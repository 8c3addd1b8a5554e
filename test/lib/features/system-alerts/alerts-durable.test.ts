import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { checkReplies } from '../../../../lib/client/replies.js';
import { type Client, createClient } from '../../../../lib/client.js';
import { alertInput, hot, isActive, smtpSettings, untilAlert } from '../../../helpers/alerts.js';
import { testFolder } from '../../../helpers/folder.js';
import { mailServer } from '../../../helpers/mail-server.js';
import { until } from '../../../helpers/waiting.js';

// `alerts: { durable: true }` over kill -9 of the host: status, history and unsent mails survive, and no mail comes twice.

/** `killAt`: as `alerts-crash.ts` takes it. */
async function startHost(
  directory: string,
  killAt: readonly string[] = [],
): Promise<{ readonly client: Client; readonly child: ChildProcess }> {
  const child = fork(new URL('./alerts-crash.js', import.meta.url), [directory, ...killAt], { execArgv: [] });
  t.teardown(() => child.kill('SIGKILL'));
  const [baseUrl] = await once(child, 'message');
  const client = createClient({ baseUrl: String(baseUrl), checkReplies });
  t.teardown(() => client.close());
  return { client, child };
}

async function crash({ client, child }: Awaited<ReturnType<typeof startHost>>): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  client.close();
}

const warm = (name: string) => ({ topic: `test.${name}`, temperature: 30 });
const cold = (name: string) => ({ topic: `test.${name}`, temperature: 10 });
const clear = (alert: Parameters<typeof isActive>[0]) => !isActive(alert);

t.test('what was so before a crash is so after it', async (t) => {
  const directory = testFolder(t);
  const server = await mailServer(t);
  const before = await startHost(directory);
  const { client } = before;
  await client.putSmtpConfig({ body: smtpSettings(server.port) });
  for (const name of ['active', 'over', 'unsent', 'gone', 'off'])
    await client.putAlert({ params: { name }, body: alertInput(hot(`test.${name}`)) });

  for (const name of ['active', 'over'])
    await untilAlert({ client }, name, warm(name), ({ alertStatus }) => alertStatus.emailSent);
  await untilAlert({ client }, 'over', cold('over'), clear);
  const active = await client.getAlert({ params: { name: 'active' } });
  await until(
    async () => server.received.length,
    (count) => count === 4,
  );
  await server.close();
  for (const name of ['unsent', 'gone']) await untilAlert({ client }, name, warm(name), isActive);
  await client.putAlert({ params: { name: 'off' }, body: alertInput('true', { disabled: true }) });
  await client.deleteAlert({ params: { name: 'gone' } });
  await until(
    () => client.listConfigIssues(),
    ({ issues }) => issues.some(({ key }) => key === 'SMTP_NOT_WORKING'),
  );
  const { history } = await client.listAlertHistory();
  t.strictSame(
    history.map(({ name }) => name),
    ['gone', 'over'],
  );
  await crash(before);

  const second = await mailServer(t, { port: server.port });
  const after = await startHost(directory);
  t.match(
    await after.client.getAlert({ params: { name: 'active' } }),
    active,
    'still active, since the same moment',
  );
  t.strictSame((await after.client.listAlertHistory()).history, history);
  const subjects = () => second.received.map(({ email }) => email.subject).sort();
  await until(
    async () => subjects(),
    ({ length }) => length >= 3,
  );
  const status = await until(
    () => after.client.getAlert({ params: { name: 'unsent' } }),
    ({ alertStatus }) => alertStatus.emailSent,
  );
  t.ok(isActive(status));

  // The next change of each alert says that nothing else came before it.
  for (const name of ['active', 'unsent']) {
    await untilAlert(after, name, warm(name), isActive);
    await untilAlert(after, name, cold(name), clear);
  }
  await until(
    async () => subjects(),
    ({ length }) => length >= 5,
  );
  await crash(after);
  t.strictSame(
    subjects(),
    [
      '"active" out of effect',
      '"gone" in effect',
      '"off" disabled',
      '"unsent" in effect',
      '"unsent" out of effect',
    ].map((rest) => `[Headgate] Alert ${rest}`),
  );
  const ids = [...server.received, ...second.received].map(({ email }) => email.messageId);
  t.equal(new Set(ids).size, ids.length, 'each mail once');
});

t.test('wherever it is killed, an activation and its mail are there both, or neither', async (t) => {
  const fires = { isKept: false, triggered: 1 };
  const cases = [
    { at: ['before', '1'], ...fires },
    { at: ['after', '1'], ...fires, isKept: true },
    { at: ['before', '2'], ...fires, isKept: true, triggered: 2 },
    { at: ['after', '2'], ...fires, isKept: true },
  ];
  for (const { at, isKept, triggered } of cases) {
    await t.test(at.join(' '), async (t) => {
      const directory = testFolder(t);
      const server = await mailServer(t);
      const first = await startHost(directory, at);
      const gone = once(first.child, 'exit');
      await first.client.putSmtpConfig({ body: smtpSettings(server.port) });
      await first.client.putAlert({ params: { name: 'room' }, body: alertInput(hot('test.room')) });
      await Promise.race([gone, untilAlert(first, 'room', warm('room'), () => false).catch(() => gone)]);
      first.client.close();

      const after = await startHost(directory);
      const { alertStatus } = await after.client.getAlert({ params: { name: 'room' } });
      t.equal(alertStatus.isInAlert, isKept);
      // One that is kept needs no data to be mailed: until now this host has none.
      if (!isKept) await untilAlert(after, 'room', warm('room'), isActive);
      await until(
        () => after.client.getAlert({ params: { name: 'room' } }),
        (alert) => isActive(alert) && alert.alertStatus.emailSent,
      );
      await untilAlert(after, 'room', cold('room'), clear);
      const mails = () => server.received.slice(1);
      await until(
        async () => mails().length,
        (count) => count > triggered,
      );
      await crash(after);
      t.strictSame(
        mails().map(({ email }) => email.subject),
        [...Array(triggered).fill('in effect'), 'out of effect'].map(
          (state) => `[Headgate] Alert "room" ${state}`,
        ),
      );
      const ids = new Set(mails().map(({ email }) => email.messageId));
      t.equal(ids.size, 2, 'a mail that comes again says so by its id');
    });
  }
});
