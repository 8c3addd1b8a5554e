import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { report } from './report.js';

// What the audit log costs: 32 clients put small settings, each of a user of its own, one after the other; with the log, where
// an answer waits until its record is on the disk as well, and without. In turn, many short ones: the disk's mood changes.
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

const both = [await start('without'), await start('with')] as const;
try {
  for (const running of both) await turn(running);
  const kinds = both.map((running) => ({ running, count: 0, seconds: 0, micros: 0 }));
  for (let round = 0; round < rounds; round++) {
    // Each goes first in its turn.
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const { count, seconds, micros } = await turn(kind.running);
      kind.count += count;
      kind.seconds += seconds;
      kind.micros += micros;
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
    { what: 'processor time of a change without', figure: without.micros, unit: 'us' },
    { what: 'with it', figure: withLog.micros, unit: 'us' },
  ];
  process.exitCode = report(`The audit log, ${clients} clients`, lines) ? 0 : 1;
} finally {
  for (const { child } of both) child.disconnect();
}
