import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { median, report } from './report.js';

// Goals 11 to 13: what the core costs in each kind of host: a small GET and a PUT of 1 kB, validated and kept in memory,
// against an equivalent route written by hand. `guarded` answers the same to the byte, which is looked at before: it checks
// who may come, and sends the request's id and that nobody may keep the answer. `bare` does none of that. Neither has JSON
// limits or counts. `unmeasured` is the core without `GET metrics`, and without subscribers for tracing, as all of them are.
// Requests per processor second of the server alone, over 32 connections, in many short rounds, each kind once in each: what a
// processor does in a second changes with the time, so ratios are those within rounds. And with the process, by a fifth: what
// the compilers make of the same code differs, so all are started several times. Client and servers share one processor:
// beside a busy neighbour each request costs more, the more so the longer the client has to wait for it. Then latency at 1,000
// a second.
//   node build/bench/rest.js

const kinds = [
  'http bare',
  'http guarded',
  'http unmeasured',
  'http',
  'koa bare',
  'koa guarded',
  'koa',
  'express bare',
  'express',
  'in front of express',
] as const;
type Kind = (typeof kinds)[number];
const compared: [what: string, kind: Kind, byHand: Kind, atLeast?: number][] = [
  ['http / the same by hand', 'http', 'http guarded', 0.9],
  ['http / by hand without checks', 'http', 'http bare'],
  ['http, measured / unmeasured', 'http', 'http unmeasured', 0.95],
  ['Koa / the same by hand', 'koa', 'koa guarded', 0.9],
  ['Koa / by hand without checks', 'koa', 'koa bare'],
  ['Express, mounted / by hand without checks', 'express', 'express bare', 1],
  ['in front of Express / the same by hand in http', 'in front of express', 'http guarded', 0.9],
  ['in front of Express / in http without checks', 'in front of express', 'http bare'],
];
const starts = 7;
const rounds = 6;
/** They warm the compilers up. */
const roundsBefore = 4;
const connections = 32;
const perRound = 1600;

const put = (name: string, body: string) =>
  `PUT /ws/v2/probe/settings/${name} HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
/** The one that is read. */
const seed = put('small', JSON.stringify({ count: 7, value: 'x'.repeat(48) }));
const requests = {
  GET: `GET /ws/v2/probe/settings/small HTTP/1.1\r\nhost: h\r\n\r\n`,
  PUT: put('large', JSON.stringify({ value: 'x'.repeat(988) })),
};

/** For this process and those that it starts. Elsewhere than on Linux they stay where they are. */
function shareOneProcessor(): void {
  if (process.platform !== 'linux') return;
  const status = readFileSync('/proc/self/status', 'utf8');
  const [, last = '0'] = /^Cpus_allowed_list:.*?(\d+)$/m.exec(status) ?? [];
  execFileSync('taskset', ['-a', '-p', '-c', last, String(process.pid)]);
}

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(kind: Kind): Promise<Running> {
  const child = fork(new URL('./rest/server.js', import.meta.url), [kind]);
  const [{ port }] = await once(child, 'message');
  await ask(port, seed, 1);
  return { child, port };
}

async function micros({ child }: Running): Promise<number> {
  child.send('cpu');
  const [answer] = await once(child, 'message');
  return answer.micros;
}

/** One connection asks again as soon as it was answered. Resolves the last answer. */
function ask(port: number, request: string, times: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let left = times;
    let answer = '';
    socket.setNoDelay(true);
    socket.on('connect', () => socket.write(request));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      const head = answer.indexOf('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(answer)?.[1];
      if (head < 0 || answer.length < head + 4 + Number(length)) return;
      if (!answer.startsWith('HTTP/1.1 200')) reject(new Error(answer));
      if (--left > 0) {
        answer = '';
        socket.write(request);
      } else socket.end(() => resolve(answer));
    });
  });
}

/** Headers in the order of their names; ids, and when it was answered, differ. */
function comparable(answer: string): string {
  const [head = '', body] = answer.split('\r\n\r\n');
  const headers = head.split('\r\n').map((line) => line.toLowerCase());
  return [...headers.map((line) => line.replace(/^(date|x-request-id): .+/, '$1')).sort(), '', body].join(
    '\n',
  );
}

async function requireSameAnswers(ours: Running, byHand: Running): Promise<void> {
  for (const request of Object.values(requests)) {
    const [mine, theirs] = await Promise.all([ours, byHand].map(({ port }) => ask(port, request, 1)));
    if (comparable(mine ?? '') !== comparable(theirs ?? ''))
      throw new Error(`These should be the same:\n${mine}\n${theirs}`);
  }
}

/** One request a millisecond for two seconds, on connections that are free; milliseconds of the slowest but one in a hundred. */
async function p99(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const total = 2000;
  await new Promise<void>((resolve, reject) => {
    let sent = 0;
    const from = performance.now();
    const timer = setInterval(() => {
      for (const due = Math.min(performance.now() - from, total); sent < due; sent++) {
        const began = performance.now();
        get({ port, agent, host: '127.0.0.1', path: '/ws/v2/probe/settings/small' }, (answer) => {
          answer.resume().once('end', () => {
            times.push(performance.now() - began);
            if (times.length === total) resolve();
          });
        }).once('error', reject);
      }
      if (sent >= total) clearInterval(timer);
    }, 1);
  });
  agent.destroy();
  return times.sort((a, b) => a - b)[Math.floor(total * 0.99)] ?? Number.NaN;
}

const load = (port: number, request: string, times: number) =>
  Promise.all(Array.from({ length: connections }, () => ask(port, request, times / connections)));

const figures = new Map<string, number[]>();
const slowest = { bare: [] as number[], ours: [] as number[] };

async function measure(running: ReadonlyMap<Kind, Running>): Promise<void> {
  const started = (kind: Kind): Running => {
    const server = running.get(kind);
    if (!server) throw new Error(`${kind} was not started`);
    return server;
  };
  for (const [, ours, byHand] of compared)
    if (byHand.endsWith('guarded')) await requireSameAnswers(started(ours), started(byHand));
  for (let round = 0; round < roundsBefore + rounds; round++) {
    for (const [method, request] of Object.entries(requests)) {
      for (const [kind, server] of running) {
        const before = await micros(server);
        await load(server.port, request, perRound);
        const perSecond = (perRound * 1e6) / ((await micros(server)) - before);
        const name = `${method} ${kind}`;
        if (round >= roundsBefore) figures.set(name, [...(figures.get(name) ?? []), perSecond]);
      }
    }
  }
  slowest.bare.push(await p99(started('http bare').port));
  slowest.ours.push(await p99(started('http').port));
}

shareOneProcessor();
for (let one = 0; one < starts; one++) {
  const running = new Map<Kind, Running>();
  try {
    for (const kind of kinds) running.set(kind, await start(kind));
    await measure(running);
  } finally {
    for (const { child } of running.values()) child.kill();
  }
}

const of = (method: string, kind: Kind) => figures.get(`${method} ${kind}`) ?? [];
const ratio = (method: string, kind: Kind, peer: Kind) =>
  median(of(method, kind).map((figure, i) => figure / (of(method, peer)[i] ?? Number.NaN)));
const good = report('REST, requests per processor second', [
  ...['GET', 'PUT'].flatMap((method) =>
    kinds.map((kind) => ({ what: `${method} ${kind}`, figure: median(of(method, kind)), unit: '/s' })),
  ),
  ...['GET', 'PUT'].flatMap((method) =>
    compared.map(([what, kind, peer, atLeast]) => ({
      what: `${method} ${what}`,
      figure: ratio(method, kind, peer),
      ...(atLeast === undefined ? {} : { goal: { atLeast } }),
    })),
  ),
  { what: 'p99 at 1,000 GET/s, http bare', figure: median(slowest.bare), unit: 'ms' },
  { what: 'p99 at 1,000 GET/s, http', figure: median(slowest.ours), unit: 'ms' },
  {
    what: 'p99 at 1,000 GET/s, http / by hand without checks',
    figure: median(slowest.ours) / median(slowest.bare),
    goal: { atMost: 2 },
  },
]);
process.exitCode = good ? 0 : 1;
