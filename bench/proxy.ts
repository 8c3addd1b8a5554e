import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type Line, median, report } from './report.js';

// The proxies beside a bare `http-proxy`: small GETs over 16 connections, each kind in its own process, taken in turn, by
// the clock and by the processor time of the proxy; then 1 GB in each direction, and what that costs in memory: what is
// held, garbage collected four times a second, and what the process has resident when nobody collects it, which is mostly
// what the runtime has not collected yet. The peer is `http-proxy` with a pool of kept connections, as ours has one: it asks
// nobody who they are, and has no limits. `floor` has limits, rules for headers and a log for one route, by hand; `guarded` rights,
// second tries, clocks and metrics besides: what lies between it and ours is the gateway's own.
//   node build/bench/proxy.js

const kinds = ['ours', 'http-proxy', 'http-proxy, kept connections', 'floor', 'guarded'] as const;
type Kind = (typeof kinds)[number];
/** Before those that count: what is asked of a gateway costs less until some 25,000 requests in. */
const roundsBefore = 8;
const rounds = 7;
const connections = 16;
const perRound = 3200;
const gigabyte = 1024 ** 3;
const megabyte = 1024 ** 2;

interface Speed {
  readonly clock: number;
  readonly cpu: number;
}

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
}

async function start(kind: string, argument = ''): Promise<Running> {
  const child = fork(new URL('./proxy/server.js', import.meta.url), [kind, argument], {
    execArgv: ['--expose-gc'],
  });
  const [message] = await once(child, 'message');
  return { child, ...z.object({ url: z.string() }).parse(message) };
}

const Usage = z.object({ peak: z.number(), now: z.number(), held: z.number(), cpuSeconds: z.number() });

/**
 * Resident bytes, at most since the last time and now; bytes in use; processor time. With `memory` after a collection of
 * garbage.
 */
async function usageOf({ child }: Running, order: 'memory' | 'time'): Promise<z.output<typeof Usage>> {
  child.send(order);
  const [message] = await once(child, 'message');
  return Usage.parse(message);
}

const agent = new Agent({ keepAlive: true, maxSockets: connections });

const one = (url: string) =>
  new Promise<void>((resolve, reject) => {
    get(url, { agent }, (res) => {
      if (res.statusCode !== 200) reject(new Error(`status ${res.statusCode}`));
      res.resume().once('end', resolve);
    }).once('error', reject);
  });

/** Requests per second of the clock, and of the proxy's processor time. */
async function speedOf(server: Running): Promise<Speed> {
  const before = await usageOf(server, 'time');
  const from = performance.now();
  const worker = async () => {
    for (let i = 0; i < perRound / connections; i++) await one(`${server.url}/small`);
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - from) / 1000;
  const after = await usageOf(server, 'time');
  return { clock: perRound / seconds, cpu: perRound / (after.cpuSeconds - before.cpuSeconds) };
}

/** MB/s. */
async function download({ url }: Running, bytes: number): Promise<number> {
  const from = performance.now();
  const req = request(`${url}/large/${bytes}`, { agent: false });
  req.end();
  const [res] = await once(req, 'response');
  let size = 0;
  for await (const chunk of res) size += chunk.length;
  if (size !== bytes) throw new Error(`${size} bytes came`);
  return bytes / megabyte / ((performance.now() - from) / 1000);
}

/** MB/s. */
async function upload({ url }: Running, bytes: number): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024);
  let left = bytes / chunk.length;
  const source = new Readable({
    read() {
      this.push(left-- > 0 ? chunk : null);
    },
  });
  const from = performance.now();
  const req = request(`${url}/count`, { agent: false, method: 'POST' });
  const answered = once(req, 'response');
  await pipeline(source, req);
  const [res] = await answered;
  let text = '';
  for await (const part of res) text += part;
  if (Number(text) !== bytes) throw new Error(`${text} bytes arrived`);
  return bytes / megabyte / ((performance.now() - from) / 1000);
}

/** Bytes in use, looked at again and again while something is done. */
async function mostHeld(server: Running, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    most = Math.max(most, (await usageOf(server, 'memory')).held);
    await delay(250);
  }
  await done;
  return most;
}

const target = await start('target');
const running = new Map<Kind, Running>();
const speeds = new Map<Kind, Speed[]>();
const streams: Line[] = [];
try {
  for (const kind of kinds) running.set(kind, await start(kind, target.url));
  for (let round = -roundsBefore; round < rounds; round++) {
    for (const [kind, server] of running) {
      const speed = await speedOf(server);
      if (round >= 0) speeds.set(kind, [...(speeds.get(kind) ?? []), speed]);
    }
  }
  for (const [kind, server] of running) {
    // They know GETs of one route alone.
    if (kind === 'floor' || kind === 'guarded') continue;
    for (const [what, move] of [
      ['1 GB down', download],
      ['1 GB up', upload],
    ] as const) {
      // What the process takes once and keeps is not the stream's.
      await move(server, 64 * megabyte);
      const before = await usageOf(server, 'memory');
      const speed = await move(server, gigabyte);
      const { peak } = await usageOf(server, 'memory');
      const megabytes = (bytes: number) => ({ figure: bytes / megabyte, unit: 'MB' });
      streams.push(
        { what: `${what}, ${kind}`, figure: speed, unit: 'MB/s' },
        { what: `${what}, ${kind}: resident more than before`, ...megabytes(peak - before.now) },
      );
      if (kind !== 'ours') continue;
      const held = await mostHeld(server, () => move(server, gigabyte));
      const goal = { atMost: 32 };
      streams.push({
        what: `${what}, ${kind}: held more than before`,
        ...megabytes(held - before.held),
        goal,
      });
    }
  }
} finally {
  for (const { child } of [target, ...running.values()]) child.kill();
  agent.destroy();
}

const speed = (kind: Kind, by: keyof Speed) => median((speeds.get(kind) ?? []).map((one) => one[by]));
/** Of rounds that followed each other. */
const ratio = (peer: Kind, by: keyof Speed, kind: Kind = 'ours') =>
  median((speeds.get(kind) ?? []).map((one, i) => one[by] / (speeds.get(peer)?.[i]?.[by] ?? Number.NaN)));
const [, bare, kept] = kinds;
const goal = { atLeast: 0.7 };
const good = report('Proxies', [
  ...kinds.flatMap((kind) => [
    { what: `GET, ${kind}`, figure: speed(kind, 'clock'), unit: '/s' },
    { what: `GET, ${kind}, by processor time`, figure: speed(kind, 'cpu'), unit: '/s' },
  ]),
  { what: 'GET, ours / http-proxy', figure: ratio(bare, 'clock'), peer: bare, goal },
  { what: 'GET, ours / http-proxy, by processor time', figure: ratio(bare, 'cpu'), peer: bare, goal },
  { what: 'GET, ours / http-proxy with kept connections', figure: ratio(kept, 'clock'), peer: kept },
  {
    what: 'GET, ours / the same, by processor time',
    figure: ratio(kept, 'cpu'),
    peer: kept,
    goal: { atLeast: 1 },
  },
  { what: 'GET, floor / the same, by processor time', figure: ratio(kept, 'cpu', 'floor') },
  { what: 'GET, guarded / the same, by processor time', figure: ratio(kept, 'cpu', 'guarded') },
  { what: 'GET, ours / floor, by processor time', figure: ratio('floor', 'cpu'), peer: 'floor' },
  ...streams,
]);
process.exitCode = good ? 0 : 1;
