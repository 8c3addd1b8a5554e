import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createClient } from '../lib/client.js';
import { type Line, report } from './report.js';

// What a cluster of 1,000 running applications costs the host, as a part of one core. Cluster, gateway and clients are
// processes of their own. Beside it what the list alone would cost anybody: a fetch and JSON.parse of it each second.
//   node build/bench/cluster.js

const applications = 1000;
const watched = 10;
const millis = 10_000;

const children: ChildProcess[] = [];
async function started<T>(file: string, args: readonly string[], schema: z.ZodType<T>) {
  const child = fork(new URL(file, import.meta.url), args);
  children.push(child);
  const [told] = await once(child, 'message');
  return { child, told: schema.parse(told) };
}
async function ask<T>(child: ChildProcess, order: string, schema: z.ZodType<T>): Promise<T> {
  child.send(order);
  const [answer] = await once(child, 'message');
  return schema.parse(answer);
}

const Place = z.object({ manager: z.string(), files: z.string(), ids: z.array(z.string()) });
const Cpu = z.object({ cpuMillis: z.number() });
const Asked = z.object({ manager: z.number(), masters: z.number() });

const double = await started('./cluster/double.js', [String(applications)], Place);
const { manager, files, ids } = double.told;
const server = await started('./cluster/server.js', [manager, files], z.object({ baseUrl: z.string() }));
const client = createClient({ baseUrl: server.told.baseUrl });

/** Percent of a core, and calls a second to the manager and to masters. */
async function measure(order = '') {
  // The first seconds warm it up.
  await delay(3000);
  await ask(server.child, order, Cpu);
  await ask(double.child, '', Asked);
  const since = performance.now();
  await delay(millis);
  const seconds = (performance.now() - since) / 1000;
  const { cpuMillis } = await ask(server.child, '', Cpu);
  const asked = await ask(double.child, '', Asked);
  return {
    percent: cpuMillis / 10 / seconds,
    manager: asked.manager / seconds,
    masters: asked.masters / seconds,
  };
}

const idle = await measure();
const bare = await measure('bare');
let messages = 0;
const listen = (topic: string) =>
  client.subscribe(topic, () => {
    messages++;
  });
listen('applications');
const list = await measure();
listen('cluster.metrics');
const metrics = await measure();
for (const id of ids.slice(0, watched))
  for (const topic of ['', '.containers', '.physicalOperators', '.logicalOperators'])
    listen(`applications.${id}${topic}`);
const looked = await measure();

const goal = { atMost: 6 };
const lines: Line[] = [
  { what: 'nobody looks', figure: idle.percent, unit: '% of a core', goal: { atMost: 1 } },
  { what: 'a bare fetch and JSON.parse of the list each second', figure: bare.percent, unit: '% of a core' },
  { what: 'topic applications', figure: list.percent, unit: '% of a core', goal },
  { what: '  calls to the manager', figure: list.manager, unit: '/s', goal: { atMost: 1.2 } },
  { what: '  calls to masters', figure: list.masters, unit: '/s', goal: { atMost: 0 } },
  { what: '+ cluster.metrics', figure: metrics.percent, unit: '% of a core' },
  { what: '  calls to masters', figure: metrics.masters, unit: '/s' },
  { what: `+ ${watched} applications, four topics each`, figure: looked.percent, unit: '% of a core' },
  { what: '  calls to masters', figure: looked.masters, unit: '/s' },
];
const holds = report(`${applications} running applications`, lines) && messages > 0;
client.close();
for (const child of children) child.disconnect();
process.exitCode = holds ? 0 : 1;
