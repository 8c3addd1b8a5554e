import { readFileSync } from 'node:fs';
import t from 'tap';
import type { Client } from '../../../lib/client.js';
import type { HostLaunch } from '../../../lib/index.js';
import { Meter } from '../../../packages/engine/container/meter.js';
import { engineGateway } from '../../helpers/applications.js';
import { op, stream } from '../../helpers/local-cluster.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// Processor time of operators: what the system says of their processes.

const isLinux = process.platform === 'linux';
const operators = [new URL('../../fixtures/local-operators.js', import.meta.url)];

/** One operator that waits in a container of its own; one that waits and one that works in another. */
const waiting: HostLaunch = {
  user: 'ada',
  name: 'waiting',
  application: {
    attributes: {
      STREAMING_WINDOW_SIZE_MILLIS: 100,
      HEARTBEAT_INTERVAL_MILLIS: 200,
      // The average goes back to the start.
      THROUGHPUT_CALCULATION_INTERVAL: 600_000,
    },
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 1000 }),
      op('alone', 'Waiter', { millis: 20 }),
      op('beside', 'Waiter', { millis: 10 }),
      op('works', 'Totals', { slowMillis: 10 }),
    ],
    streams: [
      stream('source.out -> alone.in, beside.in'),
      stream('beside.out -> works.in', 'CONTAINER_LOCAL'),
    ],
  },
};

/** Seconds of a processor that a process has used. Linux counts hundredths. */
function processorSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function pidOf(client: Client, appid: string, operator: string): Promise<number> {
  const { containers } = await until(
    () => client.listContainers({ params: { appid } }),
    (list) => list.containers.some((one) => Object.values(one.operators).includes(operator)),
  );
  const found = containers.find((one) => Object.values(one.operators).includes(operator));
  return Number(found?.jvmName.split('@')[0]);
}

async function shares(client: Client, appid: string) {
  const { operators } = await client.getPhysicalPlan({ params: { appid } });
  const shown = (name: string) => operators.find((one) => one.name === name)?.cpuPercentageMA ?? Number.NaN;
  return { alone: shown('alone'), beside: shown('beside'), works: shown('works') };
}

t.test('an operator that waits shows what its process takes', { skip: !isLinux }, async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators });
  const client = newClient(as('ada'));
  const appid = await gateway.launch(waiting);
  await until(
    () => shares(client, appid),
    ({ works }) => works > 0,
  );
  const [alone, shared] = [await pidOf(client, appid, 'alone'), await pidOf(client, appid, 'works')];
  const before = { at: performance.now(), alone: processorSeconds(alone), shared: processorSeconds(shared) };
  const measured = async () => {
    const seconds = (performance.now() - before.at) / 1000;
    const percent = (now: number, then: number) => ((now - then) * 100) / seconds;
    return {
      shown: await shares(client, appid),
      process: {
        alone: percent(processorSeconds(alone), before.alone),
        shared: percent(processorSeconds(shared), before.shared),
        sharedSeconds: processorSeconds(shared) - before.shared,
      },
    };
  };
  // Not of quite the same seconds, on a machine that has other things to do now and then: what is shown goes back to the start, and
  // comes the nearer the longer both are measured.
  const { shown, process } = await until(measured, ({ shown: { alone, beside, works }, process }) => {
    const both = beside + works;
    const isBoth = both > process.shared / 2 && both < process.shared * 2;
    return process.sharedSeconds > 1 && isBoth && Math.abs(alone - process.alone) < 10;
  });
  t.ok(
    shown.beside < process.shared / 3,
    'the one that waits beside another does not take what that one uses',
  );
});

t.test('processor time goes to the one who used it, in sampled turns and in all others', async (t) => {
  const owner = () => ({ account: { exact: 0, sampled: 0, settled: 0 } });
  const [waits, works] = [owner(), owner()];
  const meter = new Meter<typeof waits>();
  const never = new Int32Array(new SharedArrayBuffer(4));
  const call = (who: typeof waits, act: () => void) => {
    if (meter.timed) meter.switchTo(who);
    act();
    if (meter.timed) meter.switchTo(undefined);
  };
  const work = () => {
    const begun = process.cpuUsage().user;
    while (process.cpuUsage().user - begun < 5000);
  };
  for (let turn = 0; turn < 20; turn++) {
    meter.startTurn();
    call(waits, () => Atomics.wait(never, 0, 0, 15));
    call(works, work);
    meter.endTurn();
    meter.exactly(waits, () => Atomics.wait(never, 0, 0, 5));
  }
  meter.settle([waits, works]);
  t.ok(works.account.settled >= 100, 'at least what it used');
  t.ok(waits.account.settled < works.account.settled / 4, JSON.stringify([waits, works]));

  const [idle, other] = [owner(), owner()];
  const quiet = new Meter<typeof waits>(() => performance.now() / 2);
  Atomics.wait(never, 0, 0, 150);
  quiet.settle([idle, other]);
  t.ok(idle.account.settled >= 37, 'what nobody asked for is shared alike');
  t.equal(idle.account.settled, other.account.settled);
});
