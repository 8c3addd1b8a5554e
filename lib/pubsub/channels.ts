import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { Client } from './client.js';
import type { Engines } from './engines.js';
import { createFramer, type Framer } from './frame.js';
import { createKeeper, type Keeper } from './keeper.js';
import { type Message, textMessage, valueMessage } from './message.js';
import type { Outbox } from './outbox.js';
import type { Publisher } from './publisher.js';
import { countedTopic, countSuffix, isCount } from './reserved.js';
import type { FoundTopic, TopicTable } from './topic-table.js';
import type { TurnBudget } from './turn-budget.js';
import { createViewer, type Viewer } from './viewer.js';

/** A listener inside the gateway. `data` is JSON text. */
export interface Listener {
  readonly receive: ((data: string) => void) | undefined;
}

/** A topic that somebody listens to; it ends with its last listener. */
export interface Channel {
  readonly name: string;
  readonly found: FoundTopic | undefined;
  readonly isSnapshot: boolean;
  readonly framer: Framer;
  readonly subscribers: Set<Client>;
  readonly listeners: Set<Listener>;
  readonly viewer: Viewer | undefined;
  /** Of the gateway's own snapshots: what each receiver has his own view of; of all others the frame is kept. */
  latest: Message | undefined;
  readonly latestFrame: Keeper;
  /** When that was said (monotonic). */
  latestAt: number | undefined;
  stopReading: () => void;
}

/** Who listens to what, and the way of a message to all of them. */
export interface Channels {
  join(client: Client, name: string): void;
  leave(client: Client, channel: Channel): void;
  listen(name: string, listener: Listener): () => void;
  publish(name: string, message: Message): void;
  at(name: string): Channel | undefined;
  /** Sends this client the present count; later ones follow on each change. */
  sendCount(client: Client, name: string): void;
  /** Publishes the counts that changed in this turn. */
  publishCounts(): void;
  readonly size: number;
  close(): void;
}

export interface ChannelsOptions {
  readonly clock: Clock;
  readonly table: TopicTable;
  readonly publisher: Publisher;
  readonly outbox: Outbox;
  readonly logger: Logger;
  readonly budget: TurnBudget;
  /** Told of topics that begin and end. */
  readonly engines: Pick<Engines, 'opened' | 'ended'>;
}

export function createChannels(options: ChannelsOptions): Channels {
  const { clock, table, publisher, outbox, logger, engines } = options;
  const channels = new Map<string, Channel>();
  const changedCounts = new Set<string>();

  function open(name: string): Channel {
    const existing = channels.get(name);
    if (existing) return existing;
    const found = isCount(name) ? undefined : table.find(name);
    const isSnapshot = isCount(name) || found?.topic.kind === 'snapshot';
    const channel: Channel = {
      name,
      found,
      isSnapshot,
      framer: createFramer(name, isSnapshot),
      subscribers: new Set(),
      listeners: new Set(),
      viewer: found && createViewer(found, options),
      latest: undefined,
      latestFrame: createKeeper(),
      latestAt: undefined,
      stopReading: () => {},
    };
    channels.set(name, channel);
    engines.opened(name);
    return channel;
  }

  /** After somebody joined, so that what a reading publishes at once reaches him. */
  function startReading(channel: Channel): void {
    if (channel.subscribers.size + channel.listeners.size !== 1 || channel.found === undefined) return;
    channel.stopReading = publisher.start(channel.name, channel.found, (data) =>
      deliver(channel, valueMessage(data)),
    );
  }

  function endIfUnheard(channel: Channel): void {
    if (channel.subscribers.size + channel.listeners.size > 0) return;
    channels.delete(channel.name);
    engines.ended(channel.name);
    channel.stopReading();
    channel.viewer?.stop();
  }

  function countChanged(channel: Channel): void {
    const name = channel.name + countSuffix;
    if (!channels.has(name)) return;
    changedCounts.add(name);
    outbox.wake();
  }

  const count = (name: string): number =>
    channels.get(name.slice(0, -countSuffix.length))?.subscribers.size ?? 0;

  /** A string of digits: the engine's client casts it (`engine-on-yarn.md` 6.1). */
  const countText = (name: string): string => `"${count(name)}"`;

  function deliver(channel: Channel, message: Message): void {
    const { viewer, subscribers } = channel;
    for (const listener of channel.listeners) tell(channel, listener, message);
    const isKept = channel.isSnapshot && channel.found !== undefined;
    if (isKept) channel.latestAt = clock.monotonic();
    if (viewer?.isNeeded) {
      if (isKept) channel.latest = message;
      if (subscribers.size > 0) viewer.deliver(channel, message);
    } else if (subscribers.size > 0) {
      const frame = channel.framer.frame(message.body());
      if (isKept) channel.latestFrame.keep(frame);
      for (const client of subscribers) outbox.send(client, frame);
    } else if (isKept) channel.latestFrame.make(channel.framer, message.body());
  }

  function tell(channel: Channel, { receive }: Listener, message: Message): void {
    try {
      receive?.(message.text());
    } catch (error) {
      logger.error({ topic: channel.name, err: error }, 'A listener of the topic failed');
    }
  }

  function sendLatest(client: Client, channel: Channel): void {
    const { name, framer, latest, viewer } = channel;
    if (viewer?.isNeeded) {
      if (latest) viewer.send(client, channel, latest);
    } else {
      const frame = isCount(name) ? framer.frame(countText(name)) : channel.latestFrame.frame();
      if (frame) outbox.send(client, frame);
    }
  }

  return {
    get size() {
      return channels.size;
    },
    at: (name) => channels.get(name),
    join(client, name) {
      const channel = open(name);
      channel.subscribers.add(client);
      // A spread would leave room for 16 more.
      client.channels = client.channels.concat(channel);
      countChanged(channel);
      sendLatest(client, channel);
      startReading(channel);
    },
    leave(client, channel) {
      channel.subscribers.delete(client);
      client.channels = client.channels.filter((other) => other !== channel);
      countChanged(channel);
      endIfUnheard(channel);
    },
    listen(name, listener) {
      const channel = open(name);
      channel.listeners.add(listener);
      startReading(channel);
      return () => {
        if (channel.listeners.delete(listener)) endIfUnheard(channel);
      };
    },
    publish(name, message) {
      const channel = channels.get(name);
      if (channel) deliver(channel, message);
    },
    sendCount(client, name) {
      const channel = channels.get(name);
      if (channel) sendLatest(client, channel);
    },
    publishCounts() {
      for (const name of changedCounts) {
        const channel = channels.get(name);
        if (channel) deliver(channel, textMessage(countText(name)));
      }
      changedCounts.clear();
    },
    close() {
      for (const channel of channels.values()) {
        channel.stopReading();
        channel.viewer?.stop();
      }
      channels.clear();
      changedCounts.clear();
    },
  };
}

/** For `getLatestTopics`: without counts and internal topics (`engine-on-yarn.md` 6.1). */
export const isListed = (name: string): boolean => !name.startsWith('_') && countedTopic(name) === name;
