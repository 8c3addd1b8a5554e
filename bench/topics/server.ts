import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpHandler } from '../../adapters/host/http.js';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { filesystemStorage } from '../../adapters/storage/filesystem.js';
import { createGateway } from '../../lib/index.js';
import { people } from '../../test/helpers/people.js';
import { openWatch } from '../loop/watch.js';
import { type Calls, manyApplications } from './source.js';

// A whole gateway in a process of its own, on files, over a cluster of many applications. Between `start` and `stop`
// it watches what it costs.

export type Question =
  /** `stops`: how long the event loop stands. Watching it costs processor time itself, so one or the other. */
  | { readonly ask: 'start'; readonly what: 'cpu' | 'stops'; readonly eventsOf: readonly string[] }
  | { readonly ask: 'stop' }
  | { readonly ask: 'textsAlone'; readonly appIds: readonly string[] };

export interface Cost extends Calls {
  readonly seconds: number;
  /** Share of a core. */
  readonly cpu: number;
  /** Milliseconds that the event loop stood at the longest. */
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

function start(what: 'cpu' | 'stops', eventsOf: readonly string[]): string {
  let next = 0;
  // One of each a second, spread over it as they would come.
  const publish = () => source.publishEvents([eventsOf[next++ % eventsOf.length] ?? '']);
  if (eventsOf.length > 0) events = setInterval(publish, 1000 / eventsOf.length);
  isWatching = what === 'stops';
  if (isWatching) watch.start();
  source.takeCalls();
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
    cpu: (user + system) / 1e6 / seconds,
    longestStop: isWatching ? await watch.stop() : Number.NaN,
  };
}

/** What `JSON.stringify` alone takes of all these applications' topics, as a share of a core when done each second. */
function textsAlone(appIds: readonly string[]): { cpu: number; bytes: number } {
  const rounds = 10;
  const values = appIds.map((appId) => source.values(appId));
  let bytes = 0;
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    for (const topics of values) for (const value of topics) bytes += JSON.stringify(value).length;
  }
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6 / rounds, bytes: bytes / rounds };
}

const answer = (question: Question): unknown => {
  switch (question.ask) {
    case 'start':
      return start(question.what, question.eventsOf);
    case 'stop':
      return stop();
    case 'textsAlone':
      return textsAlone(question.appIds);
  }
};
process.on('message', async (question: Question) => process.send?.(await answer(question)));
process.on('disconnect', async () => {
  await gateway.close();
  rmSync(directory, { recursive: true });
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
