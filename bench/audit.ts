import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { median, report } from './report.js';

// What the audit log costs: 32 clients put small settings, each of a user of its own, one after the other; with the log, where
// an answer waits until its record is on the disk as well, and without. And as many who write such batches straight to LevelDB
// with `sync`, with the record and without it: the least that a durable change takes, and that its record adds. All in turn,
// many short ones, and ratios are medians of those within a round: the disk's mood changes by the second.
// Another number of clients: one alone shows whether a change waits for more than one sync of the disk.
//   node build/bench/audit.js [clients]

const clients = Number(process.argv[2] ?? 32);
const rounds = 60;
const turnMillis = 150;

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(kind: 'with' | 'without'): Promise<Running> {
  const child = fork(new URL('./audit/server.js', import.meta.url), [kind], { execArgv: [] });
  const [{ port }] = await once(child, 'message');
  return { child, port };
}

async function micros({ child }: Running): Promise<number> {
  child.send('cpu');
  return (await once(child, 'message'))[0].micros;
}

/** One client asks again as soon as it was answered; resolves how often it was. */
function client(port: number, who: number, until: number): Promise<number> {
  const body = '{"value":{"theme":"dark","columns":[1,2,3]}}';
  const request = `PUT /ws/v2/profile/settings/user${who}/layout HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let count = 0;
    socket.on('connect', () => socket.write(request));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      const answer = chunk.toString('latin1');
      if (!answer.startsWith('HTTP/1.1 200')) reject(new Error(answer));
      count++;
      if (performance.now() < until) socket.write(request);
      else socket.end(() => resolve(count));
    });
  });
}

interface Turn {
  /** Changes a second. */
  readonly rate: number;
  /** Processor time of a change. */
  readonly micros: number;
}

async function turn(running: Running): Promise<Turn> {
  const before = await micros(running);
  const began = performance.now();
  const until = began + turnMillis;
  const counts = await Promise.all(
    Array.from({ length: clients }, (_, who) => client(running.port, who, until)),
  );
  const count = counts.reduce((sum, one) => sum + one, 0);
  const rate = (1000 * count) / (performance.now() - began);
  return { rate, micros: ((await micros(running)) - before) / count };
}

/** What a change leaves on the disk: the setting, how much its user has, the record. */
const batchOf = (who: number, i: number, hasRecord: boolean) => [
  { type: 'put' as const, key: `settings/user${who}/layout`, value: '{"json":"{\\"theme\\":\\"dark\\"}"}' },
  { type: 'put' as const, key: `settings-use/user${who}`, value: '{"keys":1,"bytes":37}' },
  ...(hasRecord ? [{ type: 'put' as const, key: `audit/${who}/${i % 1000}`, value: 'x'.repeat(450) }] : []),
];

async function straight(db: ClassicLevel<string, string>, hasRecord: boolean): Promise<Turn> {
  const before = process.cpuUsage();
  const began = performance.now();
  let count = 0;
  const write = async (who: number) => {
    for (; performance.now() < began + turnMillis; count++)
      await db.batch(batchOf(who, count, hasRecord), { sync: true });
  };
  await Promise.all(Array.from({ length: clients }, (_, who) => write(who)));
  const rate = (1000 * count) / (performance.now() - began);
  const { user, system } = process.cpuUsage(before);
  return { rate, micros: (user + system) / count };
}

const directory = await mkdtemp(join(tmpdir(), 'headgate-straight-'));
const level = new ClassicLevel<string, string>(directory);
const [without, withLog] = [await start('without'), await start('with')];
try {
  const kinds = {
    without: () => turn(without),
    withLog: () => turn(withLog),
    straightWithout: () => straight(level, false),
    straightWithRecord: () => straight(level, true),
  };
  const names = ['without', 'withLog', 'straightWithout', 'straightWithRecord'] as const;
  const seen: Record<(typeof names)[number], Turn>[] = [];
  const none = { rate: Number.NaN, micros: Number.NaN };
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    const turns = { without: none, withLog: none, straightWithout: none, straightWithRecord: none };
    // Each goes first in its turn.
    const from = (round + 1) % names.length;
    for (const name of [...names.slice(from), ...names.slice(0, from)]) turns[name] = await kinds[name]();
    if (round >= 0) seen.push(turns);
  }
  const of = (figure: (turns: (typeof seen)[number]) => number) => median(seen.map(figure));
  const lines = [
    { what: 'without the log', figure: of((turns) => turns.without.rate), unit: 'changes/s' },
    { what: 'with it', figure: of((turns) => turns.withLog.rate), unit: 'changes/s' },
    {
      what: 'fewer changes a second',
      figure: of((turns) => 100 * (1 - turns.withLog.rate / turns.without.rate)),
      unit: '%',
      goal: { atMost: 15 },
    },
    {
      what: 'straight to LevelDB: fewer with the record than without',
      figure: of((turns) => 100 * (1 - turns.straightWithRecord.rate / turns.straightWithout.rate)),
      unit: '%',
    },
    {
      what: 'with it / straight to LevelDB with the record',
      figure: of((turns) => turns.withLog.rate / turns.straightWithRecord.rate),
      peer: 'LevelDB with the record',
      goal: { atLeast: 0.8 },
    },
    { what: 'processor time of a change without', figure: of((turns) => turns.without.micros), unit: 'us' },
    { what: 'with it', figure: of((turns) => turns.withLog.micros), unit: 'us' },
    {
      what: 'more processor time with it',
      figure: of((turns) => 100 * (turns.withLog.micros / turns.without.micros - 1)),
      unit: '%',
    },
    {
      what: 'straight to LevelDB: more for the record',
      figure: of((turns) => turns.straightWithRecord.micros - turns.straightWithout.micros),
      unit: 'us',
    },
  ];
  process.exitCode = report(`The audit log, ${clients} clients`, lines) ? 0 : 1;
} finally {
  for (const { child } of [without, withLog]) child.disconnect();
  await level.close();
  await rm(directory, { recursive: true });
}
