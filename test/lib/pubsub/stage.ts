import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket } from 'ws';
import { attachWebSocket } from '../../../adapters/host/ws.js';
import type { Principal } from '../../../lib/http/principal.js';
import type { Permission } from '../../../lib/model/permissions.js';
import { createHub, type Hub } from '../../../lib/pubsub/hub.js';
import type { HubLimits } from '../../../lib/pubsub/limits.js';
import { bindTopics, type TopicTree } from '../../../lib/pubsub/topic-table.js';
import { createUpgradeHandler, type UpgradeHandlerOptions } from '../../../lib/pubsub/upgrade-handler.js';
import { limitMillis } from '../../helpers/waiting.js';

// A hub behind a real server on a real port. The header `x-user` logs in; accounts can be changed while it runs.

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

interface StageOptions {
  readonly topics?: TopicTree;
  readonly services?: Readonly<Record<string, unknown>>;
  readonly limits?: Partial<HubLimits>;
  readonly upgrades?: Partial<UpgradeHandlerOptions>;
  readonly prefix?: string;
  /** What carries the hub. Default: `attachWebSocket`. */
  readonly attach?: typeof attachWebSocket;
}

interface Owner {
  teardown(end: () => Promise<void>): unknown;
}

export interface Stage {
  readonly hub: Hub;
  readonly server: http.Server;
  readonly url: string;
  readonly logged: LogLine[];
  /** User to permissions; `admin` may everything. */
  readonly accounts: Map<string, readonly Permission[]>;
  readonly sockets: Set<Socket>;
  detach(): void;
  open(user?: string, more?: { query?: string; headers?: Record<string, string> }): Promise<Peer>;
}

export async function stage(t: Owner, options: StageOptions = {}): Promise<Stage> {
  const logged: LogLine[] = [];
  const accounts = new Map<string, readonly Permission[]>([
    ['admin', []],
    ['ann', []],
    ['bob', []],
  ]);
  const log = (level: LogLine['level']) => (fields: object, message: string) => {
    logged.push({ level, fields, message });
  };
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const hub = createHub({
    topics: bindTopics(options.topics ?? {}, options.services ?? {}),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    logger,
    ...(options.limits ? { limits: options.limits } : {}),
  });
  const pubsub = createUpgradeHandler({
    hub,
    logger,
    authenticate: async ({ headers }) => {
      const [userName, sessionId] = String(headers['x-user'] ?? '').split('/');
      if (!userName) return undefined;
      return sessionId === undefined ? { userName } : { userName, sessionId };
    },
    principalOf: (identity) => {
      const permissions = accounts.get(identity.userName);
      return permissions && principal(identity.userName, permissions);
    },
    ...(options.limits ? { limits: options.limits } : {}),
    ...options.upgrades,
  });
  const server = http.createServer((_, response) => response.end('host'));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const prefix = options.prefix ?? '';
  const detach = (options.attach ?? attachWebSocket)(server, { pubsub }, { prefix });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}${prefix}/pubsub`;
  const peers: Peer[] = [];
  t.teardown(async () => {
    hub.close();
    detach();
    for (const peer of peers) peer.ws.terminate();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return {
    hub,
    server,
    url,
    logged,
    accounts,
    sockets,
    detach,
    async open(user = 'ann', more = {}) {
      const ws = new WebSocket(url + (more.query ?? ''), { headers: { 'x-user': user, ...more.headers } });
      const peer = new Peer(ws);
      peers.push(peer);
      await once(ws, 'open');
      return peer;
    },
  };
}

export const principal = (userName: string, permissions: readonly Permission[] = []): Principal => ({
  userName,
  roles: [],
  permissions: new Set(permissions),
  isAdmin: userName === 'admin',
  identity: { userName },
});

/** A client that keeps what it got, as text. */
export class Peer {
  readonly texts: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Below the WebSocket, to stop reading or to write what no client would. */
  socket: Socket | undefined;
  private changed: () => void = () => {};

  constructor(readonly ws: WebSocket) {
    ws.on('message', (data) => {
      this.texts.push(String(data));
      this.changed();
    });
    ws.on('upgrade', (response) => {
      this.socket = response.socket;
    });
    ws.on('error', () => {});
    this.closed = new Promise((resolve) => {
      ws.on('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
        this.changed();
      });
    });
  }

  say(message: object | string): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  subscribe(topic: string): void {
    this.say({ type: 'subscribe', topic });
  }

  publish(topic: string, data: unknown): void {
    this.say({ type: 'publish', topic, data });
  }

  get messages(): { type: string; topic: string; data: unknown }[] {
    return this.texts.map((text) => JSON.parse(text));
  }

  dataOf(topic: string): unknown[] {
    return this.messages.filter((message) => message.topic === topic).map(({ data }) => data);
  }

  /** Waits for what has to come. */
  async until(reached: () => boolean, what = 'what was waited for'): Promise<void> {
    const deadline = Date.now() + limitMillis;
    while (!reached()) {
      if (Date.now() > deadline)
        throw new Error(`${what} did not come; there is ${this.texts.join(' ').slice(0, 500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 20);
        this.changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Everything said so far was obeyed, and its effects have arrived: the hub keeps the order. */
  async settled(): Promise<void> {
    const topic = `settled.${Math.random()}`;
    this.subscribe(topic);
    this.publish(topic, 1);
    await this.until(() => this.dataOf(topic).length > 0, topic);
    this.say({ type: 'unsubscribe', topic });
    const mine = this.texts.findIndex((text) => text.includes(topic));
    this.texts.splice(mine, 1);
  }
}
