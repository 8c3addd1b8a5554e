import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterDriver } from '../../lib/driver-kit.js';
import { type Line, median } from '../report.js';
import { embeddedRunner } from './embedded.js';
import { withFlink } from './flink.js';
import type { Pipeline, Run, Runner } from './pipelines.js';
import { cpuSeconds } from './processor-time.js';
import { progressIn, rateBetween } from './progress.js';

// The same pipelines in the embedded engine and in a real Flink, in turns. Each counts by its own counter, and the
// processor time is that of all processes that it takes: containers and the process with the engine, task managers and
// the job manager.

const rounds = 3;
/** Of the processors, in seconds: until compilers have seen enough, for which a JVM takes longer. */
const warmUp = { embedded: 4, flink: 12 };
const measured = 6;
/** Where others use the processors too. */
const longestMillis = 60_000;

interface Throughput {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

type Sides = { readonly embedded: Runner; readonly flink: Runner };
const sides = ['embedded', 'flink'] as const;

export async function compareWithFlink(driver: ClusterDriver, directory: string): Promise<Line[]> {
  const embedded = embeddedRunner(driver);
  const compared = (pipeline: Pipeline) => (flink: Runner) =>
    compareThroughput({ embedded, flink }, pipeline, directory);
  const chain = await withFlink(1, compared({ kind: 'chain' }));
  const two = await withFlink(2, async (flink) => ({
    across: await compared({ kind: 'across' })(flink),
    keyed: await compared({ kind: 'keyed', perSecond: 0, from: 0 })(flink),
  }));
  return [
    ...throughputLines('one process', chain, 1),
    ...throughputLines('two processes, 200 B', two.across, 0.7),
    ...throughputLines('two processes, keyed, checkpoints each 2 s', two.keyed, 0.7),
    // One is there to take over.
    ...(await withFlink(3, (flink) => compareRecovery({ embedded, flink }, directory))),
  ];
}

type Compared = Record<(typeof sides)[number], Throughput[]>;

function throughputLines(what: string, compared: Compared, atLeast: number): Line[] {
  const middle = (side: (typeof sides)[number], figure: keyof Throughput) =>
    median(compared[side].map((one) => one[figure]));
  const lines = sides.flatMap((side): Line[] => [
    { what: `${what}: ${names[side]}`, figure: middle(side, 'perSecond'), unit: 'tuples/s' },
    { what: '  per CPU second', figure: middle(side, 'perCpuSecond'), unit: 'tuples' },
  ]);
  const ratio = median(
    compared.embedded.map((one, round) => one.perCpuSecond / (compared.flink[round]?.perCpuSecond ?? 0)),
  );
  return [...lines, { what: `${what}: embedded / Flink, per CPU second`, figure: ratio, goal: { atLeast } }];
}

const names = { embedded: 'embedded engine', flink: 'Flink 2.3.0, objects reused' };

async function compareThroughput(runners: Sides, pipeline: Pipeline, directory: string): Promise<Compared> {
  const compared: Compared = { embedded: [], flink: [] };
  for (let round = 0; round < rounds; round++)
    for (const side of sides) {
      const progress = join(directory, `${pipeline.kind}-${side}-${round}`);
      const run = await runners[side].start(pipeline, progress);
      await untilUsed(run, warmUp[side]);
      compared[side].push(await measure(run, progress));
      await run.stop();
    }
  return compared;
}

async function measure(run: Run, progress: string): Promise<Throughput> {
  const from = Date.now();
  const used = await untilUsed(run, measured);
  const to = Date.now();
  const perSecond = rateBetween(progressIn(progress), from, to);
  return { perSecond, perCpuSecond: (perSecond * (to - from)) / 1000 / used };
}

/** Waits until a run has used so many seconds of processors; resolves what it used. */
async function untilUsed(run: Run, seconds: number): Promise<number> {
  const used = () => run.pids().reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const [before, from] = [used(), Date.now()];
  while (used() - before < seconds && Date.now() - from < longestMillis) await delay(100);
  return used() - before;
}

/** Of each part: Flink takes half a minute. */
const recoveries = 2;
const perSecond = 20_000;
/** Behind the source by no more than this is whole. Milliseconds. */
const wholeMillis = 250;

/**
 * How long the counter is behind its source, which goes by the clock, after a process was killed: until the part is there
 * again, has its state, and has caught up. Seconds.
 */
async function compareRecovery(runners: Sides, directory: string): Promise<Line[]> {
  const lines: Line[] = [];
  for (const part of ['count', 'source'] as const) {
    const took = { embedded: [] as number[], flink: [] as number[] };
    for (let round = 0; round < recoveries; round++)
      for (const side of sides) {
        const progress = join(directory, `killed-${part}-${side}-${round}`);
        took[side].push(await recovery(runners[side], part, progress));
      }
    const what = `the process of the ${part === 'count' ? 'counter' : 'source'} killed, until whole again`;
    const flink = median(took.flink);
    lines.push(
      { what: `${what}: Flink`, figure: flink, unit: 's' },
      { what: `${what}: embedded`, figure: median(took.embedded), unit: 's', goal: { atMost: flink } },
    );
  }
  return lines;
}

async function recovery(runner: Runner, part: 'source' | 'count', progress: string): Promise<number> {
  const from = Date.now();
  const run = await runner.start({ kind: 'keyed', perSecond, from }, progress);
  const behind = ({ at, count }: { at: number; count: number }) => at - from - (count * 1000) / perSecond;
  const whole = async (since: number) => {
    for (;;) {
      const found = progressIn(progress).find((one) => one.at > since && behind(one) < wholeMillis);
      if (found) return found.at;
      await delay(20);
    }
  };
  await whole(from);
  // Compiled code, and checkpoints to begin from.
  await delay(7000);
  await run.kill(part);
  const killed = Date.now();
  // What was on its way comes first.
  const since = killed + wholeMillis;
  const at = await whole(since);
  await run.stop();
  return (at - killed) / 1000;
}
