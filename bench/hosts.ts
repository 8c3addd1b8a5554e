import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { median, report } from './report.js';

// Goals 11 and 12: what the core costs in each kind of host: a validated route, against the same route written by hand.
// Requests per processor second of the server alone, taken in turn, over 32 connections.
//   node build/bench/hosts.js

const kinds = [
  'http bare',
  'http',
  'koa bare',
  'koa',
  'express bare',
  'express',
  'in front of express',
] as const;
type Kind = (typeof kinds)[number];
const rounds = 7;
const connections = 32;
const perRound = 6400;

const large = JSON.stringify({ value: 'x'.repeat(988) });
const requests = {
  GET: `GET /ws/v2/probe/names/bench HTTP/1.1\r\nhost: h\r\n\r\n`,
  PUT: `PUT /ws/v2/probe/documents/bench HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: ${large.length}\r\n\r\n${large}`,
};

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(kind: Kind): Promise<Running> {
  const child = fork(new URL('./hosts/server.js', import.meta.url), [kind]);
  const [address] = await once(child, 'message');
  return { child, port: address.port };
}

async function micros({ child }: Running): Promise<number> {
  child.send('cpu');
  const [answer] = await once(child, 'message');
  return answer.micros;
}

/** One connection asks again as soon as it was answered. */
function ask(port: number, request: string, times: number): Promise<void> {
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
      answer = '';
      if (--left > 0) socket.write(request);
      else socket.end(resolve);
    });
  });
}

const load = (port: number, request: string, times: number) =>
  Promise.all(Array.from({ length: connections }, () => ask(port, request, times / connections)));

const running = new Map<Kind, Running>();
const figures = new Map<string, number[]>();
try {
  for (const kind of kinds) running.set(kind, await start(kind));
  for (let round = 0; round <= rounds; round++) {
    for (const [method, request] of Object.entries(requests)) {
      for (const [kind, server] of running) {
        const before = await micros(server);
        await load(server.port, request, perRound);
        const perSecond = (perRound * 1e6) / ((await micros(server)) - before);
        // The first round warms the compilers up.
        const name = `${method} ${kind}`;
        if (round > 0) figures.set(name, [...(figures.get(name) ?? []), perSecond]);
      }
    }
  }
} finally {
  for (const { child } of running.values()) child.kill();
}

const of = (method: string, kind: Kind) => figures.get(`${method} ${kind}`) ?? [];
const ratio = (method: string, kind: Kind, peer: Kind) =>
  median(of(method, kind).map((figure, i) => figure / (of(method, peer)[i] ?? Number.NaN)));
const compared: [what: string, kind: Kind, peer: Kind, atLeast: number][] = [
  ['http / the same by hand', 'http', 'http bare', 0.9],
  ['Koa / the same by hand', 'koa', 'koa bare', 0.9],
  ['Express, mounted / the same by hand', 'express', 'express bare', 1],
  ['in front of Express / http by hand', 'in front of express', 'http bare', 0.9],
];
const good = report('REST, requests per processor second', [
  ...['GET', 'PUT'].flatMap((method) =>
    kinds.map((kind) => ({ what: `${method} ${kind}`, figure: median(of(method, kind)), unit: '/s' })),
  ),
  ...['GET', 'PUT'].flatMap((method) =>
    compared.map(([what, kind, peer, atLeast]) => ({
      what: `${method} ${what}`,
      figure: ratio(method, kind, peer),
      goal: { atLeast },
    })),
  ),
]);
process.exitCode = good ? 0 : 1;
