import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { median, report } from './report.js';

// What the audit log costs: 32 clients put small settings, each of a user of its own, one after the other; with the log, where
// an answer waits until its record is on the disk as well, and without. In turn, many short ones: the disk's mood changes. And as
// many who write such batches, record included, straight to LevelDB with `sync`: the least that a durable change takes.
// Another number of clients: one alone shows whether a change waits for more than one sync of the disk.
//   node build/bench/audit.js [clients]

const clients = Number(process.argv[2] ?? 32);
const rounds = 30;
const turnMillis = 300;

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

async function turn(running: Running) {
  const before = await micros(running);
  const began = performance.now();
  const until = began + turnMillis;
  const counts = await Promise.all(
    Array.from({ length: clients }, (_, who) => client(running.port, who, until)),
  );
  const count = counts.reduce((sum, one) => sum + one, 0);
  const seconds = (performance.now() - began) / 1000;
  return { count, seconds, micros: (await micros(running)) - before };
}

/** What a change leaves on the disk: the setting, how much its user has, the record. */
const batchOf = (who: number, i: number) => [
  { type: 'put' as const, key: `settings/user${who}/layout`, value: '{"json":"{\\"theme\\":\\"dark\\"}"}' },
  { type: 'put' as const, key: `settings-use/user${who}`, value: '{"keys":1,"bytes":37}' },
  { type: 'put' as const, key: `audit/${who}/${i % 1000}`, value: 'x'.repeat(450) },
];

/** Changes a second. */
async function straight(db: ClassicLevel<string, string>): Promise<number> {
  const began = performance.now();
  let count = 0;
  const write = async (who: number) => {
    for (; performance.now() < began + turnMillis; count++)
      await db.batch(batchOf(who, count), { sync: true });
  };
  await Promise.all(Array.from({ length: clients }, (_, who) => write(who)));
  return (1000 * count) / (performance.now() - began);
}

const directory = await mkdtemp(join(tmpdir(), 'headgate-straight-'));
const level = new ClassicLevel<string, string>(directory);
const both = [await start('without'), await start('with')] as const;
try {
  for (const running of both) await turn(running);
  await straight(level);
  const kinds = both.map((running) => ({ running, count: 0, seconds: 0, micros: 0 }));
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // Each goes first in its turn.
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const { count, seconds, micros } = await turn(kind.running);
      kind.count += count;
      kind.seconds += seconds;
      kind.micros += micros;
      if (kind === kinds[1]) ratios.push(count / seconds / (await straight(level)));
    }
  }
  const [without, withLog] = kinds.map(({ count, seconds, micros }) => ({
    rate: count / seconds,
    micros: micros / count,
  }));
  if (!without || !withLog) throw new Error('nothing was measured');
  const lines = [
    { what: 'without the log', figure: without.rate, unit: 'changes/s' },
    { what: 'with it', figure: withLog.rate, unit: 'changes/s' },
    {
      what: 'fewer changes a second',
      figure: 100 * (1 - withLog.rate / without.rate),
      unit: '%',
      goal: { atMost: 15 },
    },
    { what: 'with it / straight to LevelDB', figure: median(ratios), goal: { atLeast: 0.8 } },
    { what: 'processor time of a change without', figure: without.micros, unit: 'us' },
    { what: 'with it', figure: withLog.micros, unit: 'us' },
  ];
  process.exitCode = report(`The audit log, ${clients} clients`, lines) ? 0 : 1;
} finally {
  for (const { child } of both) child.disconnect();
  await level.close();
  await rm(directory, { recursive: true });
}
