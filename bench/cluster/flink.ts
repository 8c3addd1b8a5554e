import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type Client, createClient } from '../../lib/client.js';
import { type Line, report } from '../report.js';
import { ask, started } from './processes.js';

const running = 1000;
const watched = 50;
const past = 5000;
const beatMillis = 3000;
/** As many as an answer that lasts longest is good for, so that each is asked for once. */
const lastingBeats = 10;
/** Metrics are asked for twice in four beats: as many as both fit into. */
const allBeats = 20;

const measured = [0, 1, 2, 3]
  .map((subtask) => `${subtask}.numRecordsOutPerSecond,${subtask}.busyTimeMsPerSecond`)
  .join();

const Place = z.object({
  manager: z.string(),
  jobs: z.array(z.object({ id: z.string(), vertices: z.array(z.string()) })),
});
const Cost = z.object({ cpuMillis: z.number(), megabytes: z.number() });
const Asked = z.object({ calls: z.number(), most: z.number() });

/** Whether each goal was reached, over a JobManager with as many jobs that run. */
export async function onFlink(): Promise<boolean> {
  const double = await started('./flink-double.js', [String(running)], Place);
  const { manager, jobs } = double.told;
  const ids = jobs.map(({ id }) => id);
  /** What nobody can do without who tells of them in each beat: each vertex, and what it measures. */
  const paths = jobs
    .slice(0, watched)
    .flatMap(({ id, vertices }) =>
      vertices.flatMap((vertex) => [
        `/jobs/${id}/vertices/${vertex}`,
        `/jobs/${id}/vertices/${vertex}/metrics?get=${measured}`,
      ]),
    );
  const server = await started('./server.js', ['flink', manager], z.object({ baseUrl: z.string() }));
  const clients: Client[] = [];
  const newClient = () => {
    const client = createClient({ baseUrl: server.told.baseUrl });
    clients.push(client);
    return client;
  };

  /** Percent of a core, calls a second, and how often the same was asked in a beat. */
  async function measure({ order = '', beats = lastingBeats } = {}) {
    // The first beats warm it up.
    await delay(2 * beatMillis);
    await ask(server.child, order, Cost);
    await ask(double.child, '', Asked);
    const since = performance.now();
    await delay(beats * beatMillis);
    const seconds = (performance.now() - since) / 1000;
    const { cpuMillis } = await ask(server.child, '', Cost);
    const { calls, most } = await ask(double.child, '', Asked);
    const inBeats = Math.max(0, most - 1) / ((seconds * 1000) / beatMillis);
    return { percent: cpuMillis / 10 / seconds, calls: calls / seconds, inBeats };
  }

  let messages = 0;
  const listen = (client: Client) => {
    client.subscribe('applications', () => {
      messages++;
    });
    for (const id of ids.slice(0, watched))
      for (const topic of ['', '.containers', '.physicalOperators', '.logicalOperators'])
        client.subscribe(`applications.${id}${topic}`, () => {
          messages++;
        });
  };

  const idle = await measure();
  const bare = await measure({ order: 'bare' });
  const bareJobs = await measure({ order: ['bare', ...paths].join(' ') });
  const first = newClient();
  first.subscribe('applications', () => {
    messages++;
  });
  const list = await measure();
  listen(first);
  const looked = await measure({ beats: allBeats });
  for (let i = 0; i < 9; i++) listen(newClient());
  const lookedByTen = await measure({ beats: allBeats });
  for (const client of clients.splice(0)) client.close();

  await ask(double.child, String(past), Asked);
  const pastBare = await measure({ order: 'bare' });
  newClient().subscribe('applications', () => {
    messages++;
  });
  const pastList = await measure();

  const log = await logGrowth(
    newClient(),
    ids[0] ?? '',
    async () => (await ask(server.child, 'memory', Cost)).megabytes,
  );
  for (const client of clients) client.close();

  const core = '% of a core';
  const lines: Line[] = [
    { what: 'nobody looks', figure: idle.percent, unit: core, goal: { atMost: 1 } },
    { what: 'a bare fetch and JSON.parse of the list each beat', figure: bare.percent, unit: core },
    { what: 'topic applications', figure: list.percent, unit: core },
    {
      what: `  the same of ${watched} jobs: each vertex and its metrics`,
      figure: bareJobs.percent,
      unit: core,
    },
    { what: `+ ${watched} jobs, four topics each`, figure: looked.percent, unit: core, goal: { atMost: 10 } },
    { what: '  calls to Flink', figure: looked.calls, unit: '/s' },
    { what: '  of the same thing in a beat', figure: looked.inBeats, unit: '', goal: { atMost: 1 } },
    {
      what: '  calls, ten listeners / one',
      figure: lookedByTen.calls / looked.calls,
      unit: '',
      goal: { atMost: 1.05 },
    },
    { what: `${past} more that have ended: a bare fetch`, figure: pastBare.percent, unit: core },
    { what: '  topic applications', figure: pastList.percent, unit: core },
    {
      what: '  of those alone, more than their bare fetch',
      // What those that run cost was there before.
      figure: pastList.percent - list.percent - (pastBare.percent - bare.percent),
      unit: core,
      goal: { atMost: 1 },
    },
    { what: 'a log of 1 GB: its end and a search, growth', figure: log, unit: 'MB', goal: { atMost: 64 } },
  ];
  return report(`${running} running jobs of Flink`, lines) && messages > 0;
}

/** What reading the end of the large log and searching it take at most above what was there before, MB. */
async function logGrowth(client: Client, appid: string, megabytes: () => Promise<number>): Promise<number> {
  const { containers } = await client.listContainers({ params: { appid } });
  const containerId = containers.find(({ containerType }) => containerType !== 'APP_MASTER')?.id ?? '';
  const params = { appid, containerId, logName: 'large.log' };
  await megabytes();
  const before = await megabytes();
  const end = await client.textOf('readLog', { params, query: { lastNBytes: 10_000 } });
  const found = await client.textOf('readLog', { params, query: { grep: 'needle' } });
  if (!end.includes('needle') || !found.includes('needle'))
    throw new Error('The log was not read to its end');
  return (await megabytes()) - before;
}
