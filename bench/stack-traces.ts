import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterDriver } from '../lib/driver-kit.js';
import { withEngine } from './engine/driver.js';
import { type Line, median, report } from './report.js';

// How long a busy container stands still when its stack is taken, beside how long it does anyway: the machine has other
// things to do, and so has the collector. In turns, of the same container.
//   node build/bench/stack-traces.js

const rounds = 15;
const tracesOfRound = 5;
const depths = [10, 200, 2000];

async function main(driver: ClusterDriver): Promise<boolean> {
  const lines: Line[] = [];
  for (const depth of depths) lines.push(...(await measured(driver, depth)));
  return report('a busy container stands still', lines);
}

async function measured(driver: ClusterDriver, depth: number): Promise<Line[]> {
  const id = await driver.resourceManager.launcher?.launch({
    user: 'bench',
    name: `busy-${depth}`,
    application: {
      attributes: { HEARTBEAT_INTERVAL_MILLIS: 100, STREAMING_WINDOW_SIZE_MILLIS: 100 },
      operators: [
        { name: 'source', class: 'bench.Source', properties: { perSecond: 25 } },
        { name: 'busy', class: 'bench.Busy', properties: { depth } },
      ],
      streams: [
        {
          name: 'numbers',
          source: { operatorName: 'source', portName: 'out' },
          sinks: [{ operatorName: 'busy', portName: 'in' }],
        },
      ],
    },
  });
  if (id === undefined) throw new Error('no launcher');
  const master = await driver.master(id);
  const busy = async () => (await master.physicalPlan()).operators.find(({ name }) => name === 'busy');
  const counted = async () => (await busy())?.counters ?? {};
  while (!(Number((await counted())['longestMillis']) > 0)) await delay(50);
  const containerId = (await busy())?.container ?? '';
  const trace = async () => {
    const dump = await master.stackTraces?.read(containerId);
    const main = dump?.threads.find(({ name }) => name === 'main');
    return main?.stackTraceElements.length ?? 0;
  };

  const longest = async (round: number, work: () => Promise<unknown>): Promise<number> => {
    await master.properties?.writeLogical('busy', { round });
    while ((await counted())['round'] !== round) await delay(20);
    await work();
    await delay(250);
    return Number((await counted())['longestMillis']);
  };
  const alone: number[] = [];
  const traced: number[] = [];
  let taken = 0;
  for (let round = 1; round <= rounds; round++) {
    const began = performance.now();
    const withTraces = await longest(2 * round, async () => {
      for (let i = 0; i < tracesOfRound; i++) if ((await trace()) > depth / 100) taken++;
    });
    const lasted = performance.now() - began;
    alone.push(await longest(2 * round + 1, () => delay(Math.max(0, lasted - 250))));
    traced.push(withTraces);
  }
  await driver.resourceManager.kill(id);
  const of = `${depth} calls deep`;
  return [
    { what: `${of}, alone: median of ${rounds} rounds`, figure: median(alone), unit: 'ms' },
    {
      what: `${of}, ${tracesOfRound} stack traces a round: median`,
      figure: median(traced),
      unit: 'ms',
      goal: { atMost: 100 },
    },
    { what: `${of}, alone: longest`, figure: Math.max(...alone), unit: 'ms' },
    { what: `${of}, stack traces: longest`, figure: Math.max(...traced), unit: 'ms' },
    {
      what: `${of}: longer by stack traces, at the longest`,
      figure: Math.max(...traced) - Math.max(...alone),
      unit: 'ms',
      goal: { atMost: 100 },
    },
    { what: `${of}: traces that told of the busy code`, figure: taken, goal: { atLeast: rounds } },
  ];
}

process.exitCode = (await withEngine(main)) ? 0 : 1;
