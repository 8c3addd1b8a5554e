import t from 'tap';
import { flinkGateway } from '../../helpers/flink.js';
import { until } from '../../helpers/waiting.js';

// The REST API of the JobManager behind the proxy of masters: this job of it, and no more.

t.test('what Flink has of the job is passed on, and who asks is not', async (t) => {
  const headers = { authorization: 'Basic Z2F0ZXdheQ==' };
  const { baseUrl, double } = await flinkGateway(t, { headers });
  const job = double.start();
  const [jobManager] = double.jobManagers;
  if (!jobManager) throw new Error('There is no JobManager');
  jobManager.credential = headers.authorization;
  const ask = (rest: string, init?: RequestInit) => fetch(`${baseUrl}/proxy/master/v2/${rest}`, init);
  for (const id of [job.id, `applications/${job.id}`]) {
    const answer = await ask(`${id}/config`, { headers: { cookie: 'a=b', 'x-user': 'ada' } });
    t.equal(answer.status, 200);
    t.match(await answer.json(), { jid: job.id });
  }
  t.match(jobManager.heard.at(-1), {
    authorization: headers.authorization,
    cookie: undefined,
    'x-user': undefined,
  });
  t.match(await (await ask(`${job.id}/vertices/${job.vertices[0]?.id}`)).json(), { name: 'Source: numbers' });
  const posted = await ask(`${job.id}/savepoints`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  t.equal(posted.status, 202);
});

t.test('other jobs, and what ends a job by GET, are not reached', async (t) => {
  const { baseUrl, double } = await flinkGateway(t);
  const [job, other] = [double.start(), double.start('other')];
  const [jobManager] = double.jobManagers;
  const before = jobManager?.asked.length ?? 0;
  for (const rest of [
    'yarn-cancel',
    'yarn-stop',
    'yarn%2Dcancel',
    '/yarn-cancel',
    `..%2f${other.id}/config`,
    '..;/overview',
    'stop',
  ]) {
    const answer = await fetch(`${baseUrl}/proxy/master/v2/${job.id}/${rest}`);
    t.ok(answer.status === 404 || answer.status === 400, `${rest}: ${answer.status}`);
  }
  const reached = jobManager?.asked.slice(before).filter((asked) => /yarn|stop|config/.test(asked));
  t.strictSame(reached, []);
  t.equal(job.state, 'RUNNING');
});

t.test('stack traces of errors stay in Flink', async (t) => {
  const { baseUrl, double } = await flinkGateway(t);
  const job = double.start();
  const answer = await fetch(`${baseUrl}/proxy/master/v2/${job.id}/resource-requirements`);
  t.equal(answer.status, 500);
  t.strictSame(await answer.json(), {
    errors: [
      'The DefaultScheduler does not support changing the parallelism without a job restart. This feature is currently only expected to work with the AdaptiveScheduler.',
    ],
  });
});

t.test('a JobManager that is away is passed by, and an ended job is not there', async (t) => {
  const { baseUrl, client, double } = await flinkGateway(t, { managers: 2 });
  const job = double.start();
  await client.getApplication({ params: { appid: job.id } });
  await double.jobManagers[0]?.stop();
  const ask = () => fetch(`${baseUrl}/proxy/master/v2/${job.id}/config`);
  t.equal((await ask()).status, 200);
  await double.jobManagers[1]?.stop();
  t.equal((await ask()).status, 502);
  for (const server of double.jobManagers) await server.start();
  double.end(job, 'FINISHED');
  const ended = await until(ask, ({ status }) => status === 503);
  t.match(await ended.json(), { code: 'NOT_READY' });
});
