import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterDriver, JsonApplication } from '../lib/driver-kit.js';
import { withEngine } from './engine/driver.js';
import { median, report } from './report.js';

// What a container of the embedded engine costs before it has anything to do: how soon it is live, and the memory of its
// process. The floor is a process of Node with one thread beside its own, as each container has one that watches over it.
// Of the resident set most is Node's program, which all processes share; `its own` is what one more container takes.
// Linux alone tells that.

const rounds = 7;

const chainOf = (containers: number): JsonApplication => ({
  operators: [
    { name: 'ticks', class: 'headgate.io.Timer' },
    ...Array.from({ length: containers - 1 }, (_, index) => ({
      name: `pass${index}`,
      class: 'headgate.transform.Filter',
      properties: { condition: 'true' },
    })),
  ],
  streams: Array.from({ length: containers - 1 }, (_, index) => ({
    name: `stream${index}`,
    source: { operatorName: index === 0 ? 'ticks' : `pass${index - 1}`, portName: 'output' },
    sinks: [{ operatorName: `pass${index}`, portName: 'input' }],
  })),
});

interface Memory {
  readonly resident: number;
  readonly own: number;
}

function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) * 1024) / 1e6;
  return { resident: megabytes('Rss'), own: megabytes('Private_Dirty') + megabytes('Private_Clean') };
}

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

interface Live {
  readonly millis: number;
  readonly memory: readonly Memory[];
}

async function launched({ resourceManager }: ClusterDriver, containers: number): Promise<Live> {
  const { launcher } = resourceManager;
  if (!launcher) throw new Error('The engine launches');
  const before = new Set(childrenOf(process.pid));
  const from = performance.now();
  const application = chainOf(containers);
  const id = await launcher.launch({ user: 'ann', name: `of ${containers}`, application });
  while ((await resourceManager.getApplication(id)).state !== 'RUNNING') await delay(1);
  const millis = performance.now() - from;
  await delay(2000);
  const memory = childrenOf(process.pid)
    .filter((pid) => !before.has(pid))
    .map(memoryOf);
  await resourceManager.kill(id);
  while ((await resourceManager.getApplication(id)).finalStatus === 'UNDEFINED') await delay(5);
  return { millis, memory };
}

/** Of a process that does nothing but have a thread. */
async function bare(program: string): Promise<Live> {
  const from = performance.now();
  const child = fork(program, { execArgv: ['--max-old-space-size=128'] });
  await once(child, 'message');
  const millis = performance.now() - from;
  await delay(500);
  const memory = child.pid === undefined ? [] : [memoryOf(child.pid)];
  child.kill();
  await once(child, 'exit');
  return { millis, memory };
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'));
const program = join(folder, 'bare.mjs');
writeFileSync(
  program,
  `import { Worker } from 'node:worker_threads';
  new Worker('setInterval(() => {}, 1000)', { eval: true }).once('online', () => process.send('live'));`,
);

const of: Record<'bare' | 'one' | 'three', Live[]> = { bare: [], one: [], three: [] };
await withEngine(async (driver) => {
  // The first one finds no program on the disk.
  await launched(driver, 1);
  for (let round = 0; round < rounds; round++) {
    of.bare.push(await bare(program));
    of.one.push(await launched(driver, 1));
    of.three.push(await launched(driver, 3));
  }
}, []);
rmSync(folder, { recursive: true, force: true });

const millis = (what: keyof typeof of) => median(of[what].map((live) => live.millis));
const megabytes = (what: keyof typeof of, part: keyof Memory) =>
  median(of[what].flatMap(({ memory }) => memory.map((process) => process[part])));

const isGood = report('Containers of the embedded engine', [
  { what: 'a bare process with a thread, live', figure: millis('bare'), unit: 'ms' },
  { what: 'a container, live after its launch', figure: millis('one'), unit: 'ms', goal: { atMost: 150 } },
  {
    what: 'three containers, live after the launch',
    figure: millis('three'),
    unit: 'ms',
    goal: { atMost: 1000 },
  },
  { what: 'resident: a bare process with a thread', figure: megabytes('bare', 'resident'), unit: 'MB' },
  { what: 'resident: an idle container', figure: megabytes('three', 'resident'), unit: 'MB' },
  { what: 'its own: a bare process with a thread', figure: megabytes('bare', 'own'), unit: 'MB' },
  { what: 'its own: an idle container', figure: megabytes('three', 'own'), unit: 'MB', goal: { atMost: 40 } },
]);
process.exitCode = isGood ? 0 : 1;
