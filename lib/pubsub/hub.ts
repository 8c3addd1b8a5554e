import { isJson } from '../core/json-scan.js';
import type { Principal } from '../core/principal.js';
import { createSlices } from '../core/slices.js';
import type { HostRules } from '../interfaces/authorize.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import { createChannels, isListed } from './channels.js';
import { Connection, type ConnectionContext } from './connection.js';
import { createEngines } from './engines.js';
import { createHeartbeat } from './heartbeat.js';
import { defaultLimits, type HubLimits } from './limits.js';
import { bytesMessage, textMessage } from './message.js';
import { createOutbox, type OutboxStats } from './outbox.js';
import type { Peer } from './peer.js';
import { createPublisher } from './publisher.js';
import { createRecent } from './recent.js';
import { createRequests } from './requests.js';
import { createRights } from './rights.js';
import { closeCodes, type HubConnection, type HubSocket } from './socket.js';
import type { TopicTable } from './topic-table.js';
import { createTurnBudget } from './turn-budget.js';

/** Topics, who listens to them, and what they say. It knows no WebSocket library and no application. */
export interface Hub {
  /** Takes over an open socket. Tell the connection what happens to it. */
  connect(socket: HubSocket, peer: Peer): HubConnection;
  /** Listens inside the gateway, which keeps a topic alive. `receive` gets JSON text. Returns the function that ends it. */
  watch(topic: string, receive?: (data: string) => void): () => void;
  /** Listens for an application; `undefined` when it may not, as with `publishFrom`. */
  watchFrom(application: string, topic: string, receive: (data: string) => void): (() => void) | undefined;
  /** JSON text of the newest message of a gateway's snapshot that somebody listens to; as `user` sees it when given. */
  latest(topic: string, user?: Principal): string | undefined;
  /** When that was said, by the hub's `clock.monotonic()`: a source that fails leaves it as old as it is. */
  latestAt(topic: string): number | undefined;
  /** Publishes for the gateway itself. `data` must be JSON text. */
  publish(topic: string, data: string): void;
  /** Publishes for an application; `false` when it may not, or `data` is no JSON text. */
  publishFrom(application: string, topic: string, data: string): boolean;
  /** Whether somebody may listen to a topic. Rejects when that can't be found out. */
  mayRead(user: Principal, topic: string): Promise<boolean>;
  /** Call after any change of accounts, roles or access rules; of one user's, when only those changed. */
  rightsChanged(userName?: string): void;
  /** Closes the sockets that live by this session. */
  sessionEnded(sessionId: string): void;
  /** Grows with each change of rights and each ended session: an admission that is older must be asked for again. */
  readonly epoch: number;
  readonly stats: HubStats;
  /** Ends everything; `restart` tells clients to come back. Idempotent. */
  close(why?: 'goingAway' | 'restart'): void;
}

export interface HubStats extends OutboxStats {
  readonly connections: number;
  readonly topics: number;
  /** Sockets closed because they did not keep up, since the start. */
  readonly tooSlow: number;
  /** Messages of clients, since the start. */
  readonly received: number;
}

export interface HubOptions {
  readonly topics: TopicTable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: Partial<HubLimits>;
  /** The host's own rule for topics. Default: none. */
  readonly authorize?: HostRules['topic'] | undefined;
}

export function createHub({ topics, clock, logger, limits: given, authorize }: HubOptions): Hub {
  const limits = { ...defaultLimits, ...given };
  const rights = createRights(topics, authorize);
  const connections = new Set<Connection>();
  const recent = createRecent(limits.latestTopics, isListed);
  let epoch = 0;
  let tooSlow = 0;
  let isClosed = false;

  const budget = createTurnBudget({ clock, limits });
  const outbox = createOutbox<Connection>({
    clock,
    budget,
    limits,
    beforeSweep: () => channels.publishCounts(),
    onTooSlow(receiver, reason) {
      tooSlow++;
      logger.warn(
        { reason, unsentBytes: receiver.socket.bufferedAmount },
        'A socket was too slow and is closed',
      );
      receiver.close(closeCodes.tryAgainLater, `Too slow: ${reason}`);
    },
  });
  const slices = createSlices(budget.isSpent);
  const publisher = createPublisher({ clock, logger, slices, readMs: limits.readMs });
  const engines = createEngines(() => channels, limits);
  const channels = createChannels({ clock, table: topics, publisher, outbox, logger, budget, engines });
  const heartbeat = createHeartbeat<Connection>({
    limits,
    onTick: outbox.checkProgress,
    onSilent(client) {
      logger.debug({}, 'A socket did not answer a ping and is ended');
      client.closed();
      client.socket.terminate();
    },
  });

  const context: ConnectionContext = {
    channels,
    outbox,
    requests: createRequests({ channels, outbox, rights, recent, logger, limits }),
    heartbeat,
    slices,
    reading: createTurnBudget({ clock, limits: { turnMs: limits.turnMs / 2 } }),
    clock,
    logger,
    limits,
    counts: { received: 0 },
    onClosed(connection) {
      connections.delete(connection);
      engines.closed(connection);
    },
  };

  return {
    connect(socket, peer) {
      const connection = new Connection(socket, peer, context);
      connections.add(connection);
      if (isClosed) connection.close(closeCodes.goingAway, 'The gateway closes');
      else engines.connected(connection);
      return connection;
    },
    watch: (topic, receive) => (isClosed ? () => {} : channels.listen(topic, { receive })),
    watchFrom(application, topic, receive) {
      const isName = topic !== '' && Buffer.byteLength(topic) <= limits.topicBytes;
      if (isClosed || !isName || rights.mayRead({ application }, topic) !== true) return undefined;
      return channels.listen(topic, { receive });
    },
    latest(topic, user) {
      const channel = channels.at(topic);
      if (!channel) return undefined;
      const { latest, viewer } = channel;
      if (latest) return user && viewer?.isNeeded ? viewer.textFor(user, latest) : latest.text();
      const frame = channel.latestFrame.frame();
      return frame && channel.framer.dataOf(frame);
    },
    latestAt: (topic) => channels.at(topic)?.latestAt,
    publish(topic, data) {
      recent.add(topic);
      channels.publish(topic, textMessage(data));
    },
    publishFrom(application, topic, data) {
      if (!rights.mayPublish({ application }, topic)) return false;
      if (topic === '' || Buffer.byteLength(topic) > limits.topicBytes) return false;
      const bytes = Buffer.from(data);
      if (bytes.length > limits.messageBytes || !isJson(bytes, limits.depth)) return false;
      recent.add(topic);
      channels.publish(topic, bytesMessage(bytes));
      return true;
    },
    mayRead: async (principal, topic) => rights.mayRead({ principal }, topic),
    rightsChanged(userName) {
      epoch++;
      for (const connection of connections) {
        const { principal } = connection.caller;
        if (userName === undefined || principal?.userName === userName) connection.recheck();
      }
    },
    sessionEnded(sessionId) {
      epoch++;
      for (const connection of connections) {
        if (connection.peer.sessionId === sessionId)
          connection.close(closeCodes.policy, 'Your session has ended');
      }
    },
    get epoch() {
      return epoch;
    },
    get stats() {
      const { received } = context.counts;
      return { connections: connections.size, topics: channels.size, tooSlow, received, ...outbox.stats };
    },
    close(why = 'goingAway') {
      isClosed = true;
      for (const connection of connections) connection.close(closeCodes[why], 'The gateway closes');
      channels.close();
      heartbeat.close();
      outbox.close();
      slices.close();
    },
  };
}
