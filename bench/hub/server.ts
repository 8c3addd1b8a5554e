import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { z } from 'zod';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createGateway } from '../../lib/index.js';
import { createHub, type Hub } from '../../lib/pubsub/hub.js';
import { topicFor } from '../../lib/pubsub/topic.js';
import { bindTopics } from '../../lib/pubsub/topic-table.js';
import { createUpgradeHandler } from '../../lib/pubsub/upgrade-handler.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';
import { bareServer } from './limit.js';
import type { Kind } from './wire.js';

// One server under measurement, in a process of its own.

const kind = process.argv[2] as Kind;
const server = http.createServer();
const hub = await start();

async function start(): Promise<Hub | undefined> {
  switch (kind) {
    case 'headgate':
      return headgate();
    case 'gateway':
      await gateway();
      return undefined;
    case 'socket.io':
      socketIo();
      return undefined;
    case 'limit':
    case 'checked':
    case 'handles':
    case 'unjoined':
    case 'stringify':
      bareServer(server, kind);
      return undefined;
    default:
      throw new Error(`No server ${kind}`);
  }
}

/** As the gateway wires it, but for the limits that 10,000 clients of one user and a publisher without pause would meet. */
function headgate(): Hub {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const topic = topicFor<undefined>();
  const pushed = {
    state: topic({ name: 'cluster.bench', summary: '', access: 'user', data: z.unknown(), kind: 'snapshot' }),
  };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  // Clients that only count bytes answer no ping.
  const limits = {
    connections: 20_000,
    connectionsPerUser: 20_000,
    messagesPerSecond: 1_000_000,
    messageBurst: 1_000_000,
    pingMs: 600_000,
  };
  const made = createHub({ topics: bindTopics({ pushed }, {}), clock, logger: silent, limits });
  const identity = { userName: 'bench' };
  const user = { userName: 'bench', roles: [], permissions: new Set<never>(), isAdmin: true, identity };
  const pubsub = createUpgradeHandler({
    hub: made,
    logger: silent,
    limits,
    authenticate: async () => identity,
    principalOf: () => user,
  });
  attachWebSocket(server, { pubsub });
  return made;
}

/** Whole, as a host has it. */
async function gateway(): Promise<void> {
  const whole = await createGateway({
    storage: memoryStorage(),
    cluster: emptyCluster(),
    auth: 'none',
    pubsub: { limits: { connectionsPerUser: 10_000, pingMs: 600_000 } },
  });
  attachWebSocket(server, whole);
}

function socketIo(): void {
  const io = new Server(server, {
    transports: ['websocket'],
    pingInterval: 600_000,
    perMessageDeflate: false,
    serveClient: false,
  });
  io.on('connection', (socket) => {
    socket.on('subscribe', (topic: string) => void socket.join(topic));
    socket.on('publish', (topic: string, data: unknown) => {
      io.to(topic).emit('data', { type: 'data', topic, data });
    });
  });
}

interface Question {
  readonly ask: 'cpu' | 'memory' | 'push';
  readonly topic?: string;
  readonly data?: string;
}

process.on('message', ({ ask, topic = '', data = '' }: Question) => {
  if (ask === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1e6);
  } else if (ask === 'memory') {
    globalThis.gc?.();
    globalThis.gc?.();
    process.send?.(process.memoryUsage().rss);
  } else {
    hub?.publish(topic, data);
    process.send?.(0);
  }
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
