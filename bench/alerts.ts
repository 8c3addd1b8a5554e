import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createContext, Script } from 'node:vm';
import { createConditionRunner } from '../lib/features/system-alerts/conditions/runner.js';
import { silent } from '../lib/options.js';
import { type Line, median, report } from './report.js';

// A thousand conditions once a second over the topics of an application with a thousand operators, and one that never ends.
//   node build/bench/alerts.js
// Beside them in the same run: the same conditions as functions of this process, and as scripts of node:vm with a timeout.

const count = 1000;
const seconds = 5;
const topic = 'applications.app_1.physicalOperators';

/** A new text for each round, as a publisher makes it. */
const textOf = (round: number): string =>
  JSON.stringify({
    operators: Array.from({ length: 1000 }, (_, id) => ({
      id: String(id),
      name: `operator ${id}`,
      className: 'headgate.aggregate.Count',
      container: `container_${id % 16}`,
      host: `node-${id % 16}.example.org`,
      status: 'ACTIVE',
      logicalName: `operator ${id % 50}`,
      cpuPercentageMA: (id + round) % 100,
      latencyMA: (id * 7 + round) % 500,
      totalTuplesEmitted: 1_000_000 + id + round,
      totalTuplesProcessed: 1_000_000 + id + round,
      tuplesEmittedPSMA: 12_000 + id,
      tuplesProcessedPSMA: 12_000 + id,
      recoveryWindowId: '6218935174120407041',
      currentWindowId: '6218935174120407042',
      lastHeartbeat: 1_790_000_000_000 + round,
      failureCount: 0,
      ports: [{ name: 'input', type: 'input', tuplesPSMA: 12_000 + id, bufferServerBytesPSMA: 400_000 + id }],
    })),
  });

const shapes: Readonly<Record<string, (limit: number) => string>> = {
  'a field': (limit) => `_topic['${topic}'].operators.length > ${limit}`,
  'a some()': (limit) => `_topic['${topic}'].operators.some((one) => one.latencyMA > ${500 + limit})`,
  'a loop': (limit) =>
    `let sum = 0; const { operators } = _topic['${topic}']; for (let i = 0; i < operators.length; i++) sum += operators[i].latencyMA; sum > ${1e6 + limit}`,
};

const ticks = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
};
/** The clock of /proc on Linux, a second. */
const ticksPerSecond = 100;
const children = (): number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);

/** Percent of a core, once a second. */
const perRound = (work: () => void): number => {
  const startedAt = performance.now();
  work();
  return (performance.now() - startedAt) / 10;
};

const lines: Line[] = [];
for (const [shape, scriptOf] of Object.entries(shapes)) {
  const scripts = Array.from({ length: count }, (_, limit) => scriptOf(limit));
  const conditions = scripts.map((script, index) => ({ id: String(index), script }));
  const texts = Array.from({ length: seconds + 1 }, (_, index) => textOf(index));
  const runner = createConditionRunner({}, silent);
  const evaluate = (text: string | undefined) =>
    runner.evaluate({ snapshots: [{ topics: new Map([[topic, text ?? '{}']]), conditions }] });
  await evaluate(texts[0]);
  const [child = 0] = children();
  const before = { child: ticks(child), host: process.cpuUsage(), at: performance.now() };
  for (const text of texts.slice(1)) {
    const next = performance.now() + 1000;
    await evaluate(text);
    await delay(next - performance.now());
  }
  const elapsed = performance.now() - before.at;
  const { user, system } = process.cpuUsage(before.host);
  const host = (user + system) / 1000 / elapsed;
  const all = host + ((ticks(child) - before.child) / ticksPerSecond) * (1000 / elapsed);
  lines.push({
    what: `${shape}: all processes`,
    figure: all * 100,
    unit: '% of a core',
    goal: { atMost: 5 },
  });
  lines.push({ what: `${shape}: the host`, figure: host * 100, unit: '% of a core', goal: { atMost: 0.2 } });

  const functions = scripts.map(
    (script) =>
      new Function(
        '_topic',
        script.replace(/[^;]*$/, (last) => `return (${last})`),
      ),
  );
  const native = texts.slice(1).map((text) =>
    perRound(() => {
      const data = { [topic]: JSON.parse(text) };
      for (const one of functions) one(data);
    }),
  );
  lines.push({ what: `${shape}: as functions of the host`, figure: median(native), unit: '% of a core' });
  const compiled = scripts.slice(0, 50).map((script) => new Script(`{${script}}`));
  const vm = perRound(() => {
    const context = createContext({ _topic: { [topic]: JSON.parse(texts[0] ?? '{}') } });
    for (const one of compiled) one.runInContext(context, { timeout: 250 });
  });
  lines.push({ what: `${shape}: in node:vm`, figure: vm * (count / compiled.length), unit: '% of a core' });

  const startedAt = performance.now();
  const results = await runner.evaluate({
    snapshots: [
      {
        topics: new Map([[topic, texts[0] ?? '{}']]),
        conditions: [{ id: 'runaway', script: 'for (;;); true' }, ...conditions],
      },
    ],
  });
  const stopped = results.get('runaway')?.is === 'stopped' ? performance.now() - startedAt : Number.NaN;
  lines.push({
    what: `${shape}: a runaway is named and the others are evaluated`,
    figure: stopped,
    unit: 'ms',
    goal: { atMost: 250 + 50 + 250 },
  });
  await runner.close();
}
report('1,000 conditions a second', lines);
