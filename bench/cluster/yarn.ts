import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createClient } from '../../lib/client.js';
import { type Line, report } from '../report.js';
import { ask, started } from './processes.js';

const applications = 1000;
const watched = 10;
const millis = 10_000;

const Place = z.object({ manager: z.string(), files: z.string(), ids: z.array(z.string()) });
const Cpu = z.object({ cpuMillis: z.number() });
const Asked = z.object({ manager: z.number(), masters: z.number() });

/** Whether each goal was reached, over a resource manager with as many applications that run. */
export async function onYarn(): Promise<boolean> {
  const double = await started('./yarn-double.js', [String(applications)], Place);
  const { manager, files, ids } = double.told;
  const server = await started('./server.js', ['yarn', manager, files], z.object({ baseUrl: z.string() }));
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
  client.close();

  const goal = { atMost: 6 };
  const lines: Line[] = [
    { what: 'nobody looks', figure: idle.percent, unit: '% of a core', goal: { atMost: 1 } },
    {
      what: 'a bare fetch and JSON.parse of the list each second',
      figure: bare.percent,
      unit: '% of a core',
    },
    { what: 'topic applications', figure: list.percent, unit: '% of a core', goal },
    { what: '  calls to the manager', figure: list.manager, unit: '/s', goal: { atMost: 1.2 } },
    { what: '  calls to masters', figure: list.masters, unit: '/s', goal: { atMost: 0 } },
    { what: '+ cluster.metrics', figure: metrics.percent, unit: '% of a core' },
    { what: '  calls to masters', figure: metrics.masters, unit: '/s' },
    { what: `+ ${watched} applications, four topics each`, figure: looked.percent, unit: '% of a core' },
    { what: '  calls to masters', figure: looked.masters, unit: '/s' },
  ];
  return report(`${applications} running applications`, lines) && messages > 0;
}
