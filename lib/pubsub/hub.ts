import { isUtf8 } from 'node:buffer';
import { isJson } from '../formats/json-scan.js';
import type { Principal } from '../http/principal.js';
import type { HostRules } from '../interfaces/authorize.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import { createStepScheduler } from '../runtime/step-scheduler.js';
import { createChannels, isListed } from './channels.js';
import type { Connection } from './connection.js';
import { createConnections } from './connections.js';
import { createDemandNotifier } from './demand.js';
import { createHeartbeat } from './heartbeat.js';
import { defaultLimits, type HubLimits } from './limits.js';
import { bytesMessage, textMessage } from './message.js';
import type { Peer } from './peer.js';
import { createPublisher } from './publisher.js';
import { createRecentTopics } from './recent-topics.js';
import { createRequests } from './requests.js';
import { createRightChecks } from './right-checks.js';
import { createTopicRights } from './rights.js';
import { createSendQueue, type SendQueueStats } from './send-queue.js';
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
  /** Publishes for an application; `false` when it may not, or `data` is neither JSON text nor its UTF-8. */
  publishFrom(application: string, topic: string, data: string | Buffer): boolean;
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

interface HubStats extends SendQueueStats {
  readonly connections: number;
  readonly topics: number;
  /** Sockets closed because they did not keep up, since the start. */
  readonly tooSlow: number;
  /** Messages of clients, since the start. */
  readonly received: number;
  /** Subscriptions beyond the limit of their socket, since the start. */
  readonly refusedSubscriptions: number;
}

interface HubOptions {
  readonly topics: TopicTable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: Partial<HubLimits>;
  /** The host's own rule for topics. Default: none. */
  readonly authorize?: HostRules['topic'] | undefined;
}

export function createHub({ topics, clock, logger, limits: given, authorize }: HubOptions): Hub {
  const limits = { ...defaultLimits, ...given };
  const rights = createTopicRights(topics, authorize);
  const recent = createRecentTopics(limits.latestTopics, isListed);
  let tooSlow = 0;
  let isClosed = false;

  const budget = createTurnBudget({ clock, limits });
  const sendQueue = createSendQueue<Connection>({
    clock,
    budget,
    limits,
    beforeSweep: () => channels.publishCounts(),
    onTooSlow(receiver, reason) {
      tooSlow++;
      logger.warn(
        { event: 'hub.socket_too_slow', reason, unsentBytes: receiver.socket.bufferedAmount },
        'A socket was too slow and is closed',
      );
      receiver.close(closeCodes.tryAgainLater, `Too slow: ${reason}`);
    },
  });
  const slices = createStepScheduler(budget.isSpent);
  const publisher = createPublisher({ clock, logger, slices, readMs: limits.readMs });
  const demand = createDemandNotifier(() => channels, limits);
  const channels = createChannels({
    clock,
    table: topics,
    publisher,
    sendQueue,
    logger,
    budget,
    demand,
  });
  const heartbeat = createHeartbeat<Connection>({
    limits,
    onTick: sendQueue.checkProgress,
    onSilent(client) {
      logger.debug({ event: 'hub.socket_silent' }, 'A socket gave no sign and is ended');
      client.closed();
      client.socket.terminate();
    },
  });

  const counts = { received: 0, refusedSubscriptions: 0 };
  const checks = createRightChecks(rights, limits);
  const connections = createConnections(
    {
      channels,
      sendQueue,
      requests: createRequests({ channels, sendQueue, checks, rights, recent, logger, limits, counts }),
      checks,
      heartbeat,
      slices,
      reading: createTurnBudget({ clock, limits: { turnMs: limits.turnMs / 2 } }),
      clock,
      logger,
      limits,
      counts,
    },
    demand.closed,
  );

  return {
    connect(socket, peer) {
      const connection = connections.add(socket, peer);
      if (isClosed) connection.close(closeCodes.goingAway, 'The gateway closes');
      else demand.connected(connection);
      return connection;
    },
    watch: (topic, receive) => (isClosed ? () => {} : channels.listen(topic, { receive })),
    watchFrom(application, topic, receive) {
      const isName = topic !== '' && Buffer.byteLength(topic) <= limits.topicBytes;
      if (isClosed || !isName || rights.mayRead({ application }, topic) !== true) return undefined;
      return channels.listen(topic, { receive });
    },
    latest: (topic, user) => channels.at(topic)?.latestText(user),
    latestAt: (topic) => channels.at(topic)?.latestAt,
    publish(topic, data) {
      recent.add(topic);
      channels.publish(topic, textMessage(data));
    },
    publishFrom(application, topic, data) {
      if (!rights.mayPublish({ application }, topic)) return false;
      if (topic === '' || Buffer.byteLength(topic) > limits.topicBytes) return false;
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      if (bytes.length > limits.messageBytes) return false;
      // Whoever got a text that is no UTF-8 would close its socket.
      if (!isUtf8(bytes) || !isJson(bytes, limits.depth)) return false;
      recent.add(topic);
      channels.publish(topic, bytesMessage(bytes));
      return true;
    },
    mayRead: async (principal, topic) => rights.mayRead({ principal }, topic),
    rightsChanged: (userName) => connections.rightsChanged(userName),
    sessionEnded: connections.sessionEnded,
    get epoch() {
      return connections.epoch;
    },
    get stats() {
      return { connections: connections.size, topics: channels.size, tooSlow, ...counts, ...sendQueue.stats };
    },
    close(why = 'goingAway') {
      isClosed = true;
      connections.closeAll(closeCodes[why]);
      channels.close();
      heartbeat.close();
      sendQueue.close();
      slices.close();
    },
  };
}
