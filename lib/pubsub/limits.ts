/** Every bound of the hub. Bytes, milliseconds and counts; a host may set single ones. */
export interface HubLimits {
  /** Longest message of a client; a longer one closes the socket with 1009. Default 8 MiB, the engine's own limit. */
  readonly messageBytes: number;
  /** Most fragments of one message; more close the socket with 1008. Default 32. */
  readonly fragments: number;
  /** Deepest nesting of a message; a deeper one is ignored as malformed. Default 64. */
  readonly depth: number;
  /** Longest topic name in UTF-8. Default 255. */
  readonly topicBytes: number;
  /** Topics that one socket listens to; further ones are ignored, counted and logged. Default 500. */
  readonly subscriptions: number;
  /** Messages that are read from one socket a second, after a burst. Above it the socket is read more slowly: nothing is lost. It is closed with 1013 where a host can't stop reading. Default 500. */
  readonly messagesPerSecond: number;
  /** Default 3,000. */
  readonly messageBurst: number;
  /** Unsent bytes of one socket above which snapshots keep only their newest message. Default 1 MiB. */
  readonly highWaterBytes: number;
  /** Unsent bytes of one socket above which it is closed with 1013; unread ones too where a host can't stop reading. Default 16 MiB. */
  readonly hardLimitBytes: number;
  /** How long a socket above the high-water mark may take nothing before it is closed with 1013. Default 30 s. */
  readonly stallMs: number;
  /** A quiet socket is pinged this often. Default 25 s. */
  readonly pingMs: number;
  /**
   * How long a pinged socket may give no sign: no answer to a ping, no message. Default 5 min: some clients answer no pings.
   * Sockets of applications may be silent for ever. One whose far end is gone is found by TCP itself before.
   */
  readonly pongMs: number;
  /** Sockets of one user; further upgrades answer 429. Default 60. */
  readonly connectionsPerUser: number;
  /** Sockets that one application's containers hold, and those of one trusted address. Default 1,000. */
  readonly connectionsPerApplication: number;
  /** Sockets in all; further upgrades answer 503. Default 10,000. */
  readonly connections: number;
  /** Names that `getLatestTopics` answers at most. Default 100. */
  readonly latestTopics: number;
  /** What the hub does in one turn of the event loop, all together; the rest goes on in the next. Default 8 ms. */
  readonly turnMs: number;
  /** How long one reading of a topic may take before it counts as failed. Default 30 s. */
  readonly readMs: number;
  /** How long a check of rights may take before it counts as failed. Default 5 s. */
  readonly checkMs: number;
}

export const defaultLimits: HubLimits = {
  messageBytes: 8 * 1024 * 1024,
  fragments: 32,
  depth: 64,
  topicBytes: 255,
  subscriptions: 500,
  messagesPerSecond: 500,
  messageBurst: 3000,
  highWaterBytes: 1024 * 1024,
  hardLimitBytes: 16 * 1024 * 1024,
  stallMs: 30_000,
  pingMs: 25_000,
  pongMs: 300_000,
  connectionsPerUser: 60,
  connectionsPerApplication: 1000,
  connections: 10_000,
  latestTopics: 100,
  turnMs: 8,
  readMs: 30_000,
  checkMs: 5000,
};
