import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { flinkGateway } from '../../helpers/flink.js';
import { testFolder } from '../../helpers/folder.js';
import { until, untilTrue } from '../../helpers/waiting.js';

// What the gateway keeps of jobs, which Flink forgets.

/** An id of a job. */
const digits = (digit: string) => digit.repeat(32);

const completed = (id: number) => ({
  id,
  status: 'COMPLETED',
  trigger_timestamp: 1_700_000_000_000 + id,
  latest_ack_timestamp: 1_700_000_000_100 + id,
});

t.test('events outlive the gateway, and what Flink keeps of them', async (t) => {
  const directory = testFolder(t);
  const first = await flinkGateway(t, { directory });
  const { double } = first;
  const job = double.start();
  const params = { appid: job.id };
  for (const id of [1, 2, 3]) job.checkpoints.push(completed(id));
  const { events: before } = await first.client.listEvents({ params });
  t.equal(before.filter(({ type }) => type === 'CheckpointCompleted').length, 3);
  await first.gateway.close();

  job.checkpoints.splice(0, 2);
  job.checkpoints.push(completed(4));
  const jobManagers = double.jobManagers.map(({ url }) => url);
  const second = await flinkGateway(t, { directory, jobManagers });
  const { events: after } = await second.client.listEvents({ params });
  t.strictSame(
    after.filter(({ id }) => before.some((event) => event.id === id)),
    before,
    'none is lost or told differently',
  );
  t.equal(after.length, before.length + 1, 'and what came meanwhile is there');
  const [from, to] = [1_700_000_000_000, 1_700_000_001_000];
  t.strictSame(
    (await second.client.listEvents({ params, query: { from, to, offset: 1, limit: 2 } })).events.map(
      ({ timestamp }) => timestamp,
    ),
    [1_700_000_000_102, 1_700_000_000_103],
    'an offset means the same event as before',
  );
});

t.test('a job that Flink forgot has its events', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  const params = { appid: job.id };
  const { events } = await client.listEvents({ params });
  t.ok(events.length > 0);
  double.jobs.delete(job.id);
  await until(
    () => client.getApplication({ params }),
    ({ observedAt }) => observedAt !== undefined,
  );
  t.strictSame((await client.listEvents({ params })).events, events);
});

t.test('of more events than are kept the newest are told, and each is news once', async (t) => {
  const { newClient, double } = await flinkGateway(t, { limits: { events: 3 } });
  const job = double.start();
  for (const id of [1, 2, 3, 4, 5]) job.checkpoints.push(completed(id));
  const client = newClient();
  const params = { appid: job.id };
  const { events } = await client.listEvents({ params });
  t.equal(events.length, 3);
  const heard: string[] = [];
  await client.listApplications();
  client.subscribe(`applications.${job.id}.events`, (data: unknown) => {
    heard.push(String(Reflect.get(Object(data), 'id')));
  });
  await until(
    async () => {
      job.checkpoints.push({ ...completed(job.checkpoints.length + 1), latest_ack_timestamp: Date.now() });
      await client.listEvents({ params });
      return heard.length;
    },
    (count) => count >= 6,
  );
  t.equal(new Set(heard).size, heard.length);
});

t.test(
  'folders of jobs go when nothing was added for as long as it is kept, and nothing else goes',
  async (t) => {
    const directory = testFolder(t);
    const folderOf = (name: string, ...within: string[]) => {
      const folder = join(directory, name, ...within);
      mkdirSync(folder, { recursive: true });
      return folder;
    };
    const day = 24 * 3600;
    const age = (path: string, days: number) => {
      const at = Date.now() / 1000 - days * day;
      utimesSync(path, at, at);
    };
    const [old, recent, busy] = [digits('a'), digits('b'), digits('c')];
    writeFileSync(join(folderOf(old, 'stats', 'containers'), 'part0.txt'), '');
    for (const path of [['stats', 'containers'], ['stats'], []]) age(join(directory, old, ...path), 3);
    age(folderOf(recent), 1);
    folderOf(busy, 'events');
    age(join(directory, busy), 3);
    age(folderOf('notes'), 3);
    await flinkGateway(t, { directory, limits: { statsMillis: 2 * day * 1000 } });
    await untilTrue(() => !existsSync(join(directory, old)));
    for (const name of [recent, busy, 'notes']) t.ok(existsSync(join(directory, name)), name);
  },
);
