import type { Principal } from '../http/principal.js';
import type { HostRules } from '../interfaces/authorize.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import { createStepScheduler } from '../runtime/step-scheduler.js';
import { createApplicationTopics } from './application-topics.js';
import { createChannels, isListed } from './channels.js';
import type { Connection } from './connection.js';
import { createConnections } from './connections.js';
import { createDemandNotifier } from './demand.js';
import { createHeartbeat } from './heartbeat.js';
import { defaultLimits, type HubLimits } from './limits.js';
import { textMessage } from './message.js';
import type { Peer } from './peer.js';
import { createPublisher } from './publisher.js';
import { createRecentTopics, type RecentTopics } from './recent-topics.js';
import { createRequests } from './requests.js';
import { createRightChecks } from './right-checks.js';
import { createTopicRights, type TopicRights } from './rights.js';
import { createSendQueue, type SendQueueStats } from './send-queue.js';
import { closeCodes, type HubConnection, type HubSocket } from './socket.js';
import type { TopicTable } from './topic-table.js';
import { createTurnSlice } from './turn-slice.js';

/** Topics, who listens to them, and what they say. It knows no WebSocket library and no application. */
export interface Hub {
  /**
   * Takes over an open socket. Tell the connection what happens to it. `epoch`: of when the peer was found out; the socket is
   * closed when rights have changed since.
   */
  connect(socket: HubSocket, peer: Peer, epoch?: number): HubConnection;
  /** Listens inside the gateway, which keeps a topic alive. `receive` gets JSON text. Returns the function that ends it. */
  watch(topic: string, receive?: (data: string) => void): () => void;
  /** Listens for an application; `undefined` when it may not, as with `publishFrom`. */
  watchFrom(application: string, topic: string, receive: (data: string) => void): (() => void) | undefined;
  /** JSON text of the newest message of a gateway's snapshot that somebody listens to; as `user` sees it when given. */
  latest(topic: string, user?: Principal): string | undefined;
  /** When that was said, by the hub's `clock.monotonic()`: a source that fails leaves it as old as it is. */
  latestAt(topic: string): number | undefined;
  /** Publishes for the gateway itself. `data` is JSON text, or gives it, and is asked only when somebody listens. */
  publish(topic: string, data: string | (() => string)): void;
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
  const parts = createParts({ topics, clock, logger, limits, rights, recent });
  const { channels, connections, counts, demand, sendQueue } = parts;
  const applications = createApplicationTopics({ channels, rights, recent, limits });
  let isClosed = false;

  return {
    connect(socket, peer, epoch = connections.epoch) {
      const connection = connections.add(socket, peer);
      if (isClosed) connection.close(closeCodes.goingAway, 'The gateway closes');
      else if (epoch !== connections.epoch) {
        connection.close(closeCodes.tryAgainLater, 'Rights have changed; connect again');
      } else demand.connected(connection);
      return connection;
    },
    watch: (topic, receive) => (isClosed ? () => {} : channels.listen(topic, { receive })),
    watchFrom: (application, topic, receive) =>
      isClosed ? undefined : applications.watch(application, topic, receive),
    latest: (topic, user) => channels.at(topic)?.latestText(user),
    latestAt: (topic) => channels.at(topic)?.latestAt,
    publish(topic, data) {
      recent.add(topic);
      const channel = channels.at(topic);
      if (channel) channel.deliver(textMessage(typeof data === 'string' ? data : data()));
    },
    publishFrom: applications.publish,
    mayRead: async (principal, topic) => rights.mayRead({ principal }, topic),
    rightsChanged: (userName) => connections.rightsChanged(userName),
    sessionEnded: connections.sessionEnded,
    get epoch() {
      return connections.epoch;
    },
    get stats() {
      return { connections: connections.size, topics: channels.size, ...counts, ...sendQueue.stats };
    },
    close(why = 'goingAway') {
      isClosed = true;
      connections.closeAll(closeCodes[why]);
      parts.close();
    },
  };
}

interface PartsOptions extends Pick<HubOptions, 'topics' | 'clock' | 'logger'> {
  readonly limits: HubLimits;
  readonly rights: TopicRights;
  readonly recent: RecentTopics;
}

/** The channels, the sockets that listen to them, and what brings the one to the other; all within one slice of a turn. */
function createParts({ topics: table, clock, logger, limits, rights, recent }: PartsOptions) {
  const slice = createTurnSlice({ clock, limits });
  const slices = createStepScheduler(slice.isOver);
  const sendQueue = createSendQueue<Connection>({
    clock,
    slice,
    limits,
    beforeSweep: () => channels.publishCounts(),
    onTooSlow: (connection, reason) => connection.tooSlow(reason),
  });
  const publisher = createPublisher({ clock, logger, slices, readMs: limits.readMs });
  const demand = createDemandNotifier(() => channels, limits);
  const channels = createChannels({ clock, table, publisher, sendQueue, logger, slice, demand });
  const heartbeat = createHeartbeat<Connection>({
    limits,
    onTick: sendQueue.checkProgress,
    onSilent: (connection) => connection.silent(),
  });
  const counts = { received: 0, tooSlow: 0, refusedSubscriptions: 0 };
  const checks = createRightChecks(rights, limits);
  const requests = createRequests({ channels, sendQueue, checks, rights, recent, logger, limits, counts });
  const reading = createTurnSlice({ clock, limits: { turnMs: limits.turnMs / 2 } });
  const connections = createConnections(
    { channels, sendQueue, requests, checks, heartbeat, slices, reading, clock, logger, limits, counts },
    demand.closed,
  );
  return {
    channels,
    connections,
    counts,
    demand,
    sendQueue,
    close() {
      channels.close();
      heartbeat.close();
      sendQueue.close();
      slices.close();
    },
  };
}
