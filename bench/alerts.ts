import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createContext, Script } from 'node:vm';
import { memoryStorage } from '../adapters/storage/memory.js';
import type { Condition, ConditionRunner } from '../lib/features/system-alerts/conditions/condition.js';
import { createConditionRunner } from '../lib/features/system-alerts/conditions/runner.js';
import { createAlertService } from '../lib/features/system-alerts/service.js';
import { anonymous } from '../lib/http/principal.js';
import { machineClock, silent } from '../lib/options.js';
import { type Line, median, report } from './report.js';

// A thousand conditions once a second over the topics of an application with a thousand operators, and some that never end.
//   node build/bench/alerts.js
// What is measured is the whole of system alerts, with what reading their topics and their states costs. Beside them, in
// turn, some rounds each: the same conditions as functions of this process, which is the limit, and as scripts of node:vm
// with a timeout. Conditions live for days, so all three are measured after `warmRounds` of them; what the first rounds of a
// process cost, in which the runtime compiles a thousand functions, stands beside it. Rounds come five times a second,
// so that this has an end; what one of them costs is what it would cost in a second.

const count = 1000;
const warmRounds = 100;
const blocks = 4;
/** Of alerts in each block, and then as many of the others. */
const rounds = 10;
const everyMillis = 200;
const limitMillis = 250;
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
const texts = Array.from({ length: 16 }, (_, round) => textOf(round));
const textAt = (round: number): string => texts[round % texts.length] ?? '';

const shapes: Readonly<Record<string, (limit: number) => string>> = {
  'a field': (limit) => `_topic['${topic}'].operators.length > ${limit}`,
  'a some()': (limit) => `_topic['${topic}'].operators.some((one) => one.latencyMA > ${500 + limit})`,
  'a loop': (limit) =>
    `let sum = 0; const { operators } = _topic['${topic}']; for (let i = 0; i < operators.length; i++) sum += operators[i].latencyMA; sum > ${1e6 + limit}`,
};

/** What a thread has run. */
const ranMillis = (pid: number, thread: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
const threadMillis = (): number => ranMillis(process.pid, process.pid);
const childMillis = (): number =>
  children()
    .flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => ranMillis(pid, Number(thread))))
    .reduce((sum, millis) => sum + millis, 0);
/** All threads of this process. */
const processMillis = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const children = (): number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);

/** System alerts over a topic that says something new before each round. */
async function alertsOf(scripts: readonly string[]) {
  const storage = memoryStorage();
  const ada = { ...anonymous, userName: 'ada', identity: { userName: 'ada' } };
  let said = 0;
  let say = (_: string) => {};
  let ended = () => {};
  const alerts = createAlertService({
    documents: storage.documents,
    source: {
      watch(_, receive) {
        say = receive;
        say(textAt(0));
        return () => {};
      },
      isRead: () => true,
      hasViews: () => false,
      latest: () => undefined,
      latestAt: () => undefined,
      mayRead: async () => true,
    },
    appIds: async () => ['app_1'],
    principalOf: () => ada,
    mails: {
      prepare: async () => ({ writes: [], queue: async () => {} }),
      onSent: () => () => {},
      shown: () => ({ subject: '', text: '' }),
      sendTest: async () => {},
    },
    templates: { fill: async () => '' },
    clock: machineClock,
    logger: silent,
    options: {
      everyMillis,
      scripts: { limitMillis },
      limits: { perOwner: count, total: count, millisPerOwner: 10 * limitMillis },
    },
    onRound: () => ended(),
  });
  for (const [index, condition] of scripts.entries()) {
    await alerts.put(ada, `alert ${index}`, {
      condition,
      email: 'ops@example.org',
      description: 'One of many',
      timeThresholdMillis: 0,
      disabled: false,
    });
  }
  await alerts.open();
  return {
    round: () =>
      new Promise<void>((resolve) => {
        ended = resolve;
        say(textAt(++said));
      }),
    async close() {
      await alerts.close();
      await storage.close();
    },
  };
}

const evaluate = (runner: ConditionRunner, text: string, conditions: readonly Condition[]) =>
  runner.evaluate({ snapshots: [{ topics: new Map([[topic, text]]), conditions }] });

const native = (script: string) =>
  new Function('_topic', `'use strict'; ${script.replace(/[^;]*$/, (last) => `return (${last})`)}`);

const lines: Line[] = [];
for (const [shape, scriptOf] of Object.entries(shapes)) {
  const scripts = Array.from({ length: count }, (_, limit) => scriptOf(limit));
  const functions = scripts.map(native);
  const watched = scripts.slice(0, 50).map((script) => new Script(`{${script}}`));

  function callFunctions(text: string): void {
    const data = { [topic]: JSON.parse(text) };
    for (const one of functions) one(data);
  }
  /** A twentieth of a round: the whole would not be done in a second. */
  function runScripts(text: string): void {
    const context = createContext({ _topic: { [topic]: JSON.parse(text) } });
    // Being watched costs the same however long the watch is, and a busy machine shall end none of them.
    for (const one of watched) one.runInContext(context, { timeout: 40 * limitMillis });
  }

  const alerts = await alertsOf(scripts);
  // Timers of the alerts let a process end.
  const awake = setInterval(() => {}, 1000);
  await alerts.round();
  const coldAt = childMillis();
  for (let round = 1; round <= 10; round++) await alerts.round();
  const cold = childMillis() - coldAt;
  for (let round = 10; round < warmRounds; round++) {
    await alerts.round();
    callFunctions(textAt(round));
  }

  const cost = { host: 0, thread: 0, children: 0 };
  const functionMillis: number[] = [];
  const scriptMillis: number[] = [];
  for (let block = 0; block < blocks; block++) {
    // Takes what the others left for the collector.
    await alerts.round();
    const childAt = childMillis();
    for (let round = 0; round < rounds; round++) {
      const before = { host: processMillis(), thread: threadMillis() };
      await alerts.round();
      cost.host += processMillis() - before.host;
      cost.thread += threadMillis() - before.thread;
    }
    cost.children += childMillis() - childAt;
    for (let round = 0; round < rounds; round++) {
      const nativeAt = processMillis();
      callFunctions(textAt(round));
      functionMillis.push(processMillis() - nativeAt);
      const scriptsAt = processMillis();
      runScripts(textAt(round));
      scriptMillis.push(processMillis() - scriptsAt);
    }
  }
  await alerts.close();
  clearInterval(awake);
  const counted = blocks * rounds;
  // Milliseconds of a second are tenths of a percent.
  const all = (cost.host + cost.children) / counted / 10;
  const limit = median(functionMillis) / 10;
  const unit = '% of a core';
  lines.push(
    { what: `${shape}: all processes`, figure: all, unit, goal: { atMost: 5 } },
    { what: `${shape}: the host's thread`, figure: cost.thread / counted / 10, unit, goal: { atMost: 0.2 } },
    { what: `${shape}: as functions of the host`, figure: limit, unit },
    { what: `${shape}: all processes / functions`, figure: all / limit },
    { what: `${shape}: in node:vm`, figure: (median(scriptMillis) / 10) * (count / watched.length), unit },
    { what: `${shape}: one of the first ten rounds`, figure: cold / 10 / 10, unit },
  );
  if (shape !== 'a loop') continue;

  const runner = createConditionRunner({ limitMillis }, silent);
  const conditions = scripts.map((script) => ({ script }));
  for (let round = 0; round < warmRounds; round++) await evaluate(runner, textAt(round), conditions);
  // The runtime's own watch ends the first, and nothing but the end of the process the second.
  for (const [kind, script] of [
    ['a runaway loop', 'for (;;); true'],
    ['a runaway builtin', 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) === 0'],
  ] as const) {
    const runaway = { script };
    const startedAt = performance.now();
    await evaluate(runner, textAt(0), [runaway]);
    const named = performance.now() - startedAt;
    // Its process may be gone; those of the round below are as ready as they are in a gateway that runs.
    for (let round = 0; round < 3; round++) {
      await evaluate(runner, textAt(0), conditions);
      await delay(1000);
    }
    const roundAt = performance.now();
    const results = await evaluate(runner, textAt(0), [runaway, ...conditions]);
    const round = performance.now() - roundAt;
    const isRight =
      results.length === 1 + count &&
      results.every(({ is }, index) => is === (index === 0 ? 'stopped' : 'evaluated'));
    lines.push(
      {
        what: `${kind}: named and ended`,
        figure: isRight ? named : Number.NaN,
        unit: 'ms',
        goal: { atMost: limitMillis + 50 },
      },
      {
        what: `${kind}: from then until the others are evaluated`,
        figure: isRight ? round - named : Number.NaN,
        unit: 'ms',
        goal: { atMost: 250 },
      },
    );
  }
  await runner.close();
}
process.exitCode = report('1,000 conditions a second', lines) ? 0 : 1;
