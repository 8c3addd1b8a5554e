import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { httpHandler } from '../../adapters/host/http.js';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { createGateway } from '../../lib/index.js';
import { createFramer } from '../../lib/pubsub/frame.js';
import { filesystemStorage } from '../../packages/level/index.js';
import { people } from '../../test/helpers/people.js';
import { openWatch } from '../loop/watch.js';
import { median } from '../report.js';
import { type Calls, manyApplications } from './source.js';

// A whole gateway in a process of its own, on files, over a cluster of many applications. Between `start` and `stop`
// it watches what it costs.

export type Question =
  /** `stops`: how long the event loop stands. Watching it costs processor time itself, so one or the other. */
  | { readonly ask: 'start'; readonly what: 'cpu' | 'stops'; readonly eventsOf: readonly string[] }
  | { readonly ask: 'stop' }
  /** Listeners inside the gateway, as alerts are: everything is read and written as JSON, nothing is sent. */
  | { readonly ask: 'listen'; readonly topics: readonly string[] }
  /** The least that any server has to do for these applications: the texts, and their way to one socket each where there are any. */
  | {
      readonly ask: 'bare';
      readonly appIds: readonly string[];
      readonly millis: number;
      /** The list of all applications too, once a second to every socket. */
      readonly hasList: boolean;
    }
  /** All texts of one second without anything in between, and without sending. */
  | { readonly ask: 'in a row'; readonly appIds: readonly string[] }
  /** What this machine takes for waking a process up so often, and doing nothing. */
  | { readonly ask: 'wake'; readonly perSecond: number; readonly millis: number };

export interface Cost extends Calls {
  readonly seconds: number;
  /** Bytes that listeners inside the gateway were given. */
  readonly heard: number;
  /** Share of a core. */
  readonly cpu: number;
  /** Milliseconds that the gateway held the event loop at the longest. */
  readonly longestStop: number;
}

const [applications = 1000, operators = 100] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(join(tmpdir(), 'headgate-topics-'));
const source = manyApplications(applications, operators);
const gateway = await createGateway({
  storage: await filesystemStorage({ directory }),
  cluster: source,
  auth: people,
  pubsub: { limits: { connectionsPerUser: 10_000 } },
});
const handle = httpHandler(gateway);
const server = createServer((req, res) => void handle(req, res));
attachWebSocket(server, gateway);

const watch = openWatch();
let isWatching = false;
let began = { at: 0, cpu: process.cpuUsage() };
let events: NodeJS.Timeout | undefined;
let endListeners: (() => void)[] = [];
let heard = 0;

function listen(topics: readonly string[]): string {
  for (const end of endListeners) end();
  endListeners = topics.map((topic) =>
    source.listen(topic, (text) => {
      heard += text.length;
    }),
  );
  return 'listening';
}

function start(what: 'cpu' | 'stops', eventsOf: readonly string[]): string {
  let next = 0;
  // One of each a second, spread over it as they would come.
  const publish = () => source.publishEvents([eventsOf[next++ % eventsOf.length] ?? '']);
  if (eventsOf.length > 0) events = setInterval(publish, 1000 / eventsOf.length);
  isWatching = what === 'stops';
  if (isWatching) watch.start();
  source.takeCalls();
  heard = 0;
  began = { at: performance.now(), cpu: process.cpuUsage() };
  return 'started';
}

async function stop(): Promise<Cost> {
  const { user, system } = process.cpuUsage(began.cpu);
  const seconds = (performance.now() - began.at) / 1000;
  clearInterval(events);
  const calls = source.takeCalls();
  return {
    ...calls,
    seconds,
    heard,
    cpu: (user + system) / 1e6 / seconds,
    longestStop: isWatching ? await watch.stop() : Number.NaN,
  };
}

/** Processor time as a share of a core, and bytes a second. */
export interface Least {
  readonly cpu: number;
  readonly bytes: number;
}

async function bare(appIds: readonly string[], millis: number, hasList: boolean): Promise<Least> {
  const sockets = [...plain];
  const list = { apps: await source.resourceManager.listApplications({}) };
  const listFramer = createFramer('applications', true);
  const frames = appIds.map((appId) => ({ values: source.values(appId), framer: createFramer(appId, true) }));
  let bytes = 0;
  let next = 0;
  const before = process.cpuUsage();
  const timer = setInterval(() => {
    const { values, framer } = frames[next % frames.length] ?? { values: [] };
    const socket = sockets[next++ % sockets.length];
    socket?.cork();
    for (const value of values) {
      const text = JSON.stringify(value);
      bytes += text.length;
      if (socket && framer) socket.write(framer.frame(text).bytes);
    }
    socket?.uncork();
    if (!hasList || next % frames.length !== 0) return;
    const text = JSON.stringify(list);
    bytes += text.length;
    const frame = listFramer.frame(text).bytes;
    for (const each of sockets) each.write(frame);
  }, 1000 / appIds.length);
  await delay(millis);
  clearInterval(timer);
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e3 / millis, bytes: (bytes * 1000) / millis };
}

async function inARow(appIds: readonly string[]): Promise<Least> {
  const apps = await source.resourceManager.listApplications({});
  const values = [{ apps }, ...appIds.flatMap((appId) => source.values(appId))];
  let bytes = 0;
  const times = Array.from({ length: 15 }, () => {
    bytes = 0;
    const before = process.cpuUsage();
    for (const value of values) bytes += JSON.stringify(value).length;
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  return { cpu: median(times), bytes };
}

async function wake(perSecond: number, millis: number): Promise<number> {
  const before = process.cpuUsage();
  const timer = setInterval(() => {}, 1000 / perSecond);
  await delay(millis);
  clearInterval(timer);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3 / millis;
}

const answer = (question: Question): unknown => {
  switch (question.ask) {
    case 'start':
      return start(question.what, question.eventsOf);
    case 'stop':
      return stop();
    case 'listen':
      return listen(question.topics);
    case 'in a row':
      return inARow(question.appIds);
    case 'bare':
      return bare(question.appIds, question.millis, question.hasList);
    case 'wake':
      return wake(question.perSecond, question.millis);
  }
};
process.on('message', async (question: Question) => process.send?.(await answer(question)));
// Beside the gateway, for `bare`.
const plain = new Set<Duplex>();
const bareSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
server.on('upgrade', (request, socket, head) => {
  if (request.url !== '/bare') return;
  bareSockets.handleUpgrade(request, socket, head, (ws) => {
    plain.add(socket);
    ws.on('close', () => plain.delete(socket));
  });
});

process.on('disconnect', async () => {
  await gateway.close();
  rmSync(directory, { recursive: true });
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
