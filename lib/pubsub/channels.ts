import type { Audience, Subscriber } from './client.js';
import { type Message, textMessage, valueMessage } from './message.js';
import type { Publisher } from './publisher.js';
import { countedTopic, countSuffix, isCount } from './reserved.js';
import { type ChannelContext, type Listener, TopicChannel } from './topic-channel.js';
import type { TopicTable } from './topic-table.js';

/** Who listens to what, and the way of a message to all of them. */
export interface Channels {
  join(client: Subscriber, name: string): void;
  leave(client: Subscriber, audience: Audience): void;
  listen(name: string, listener: Listener): () => void;
  publish(name: string, message: Message): void;
  at(name: string): TopicChannel | undefined;
  /** Sends this client the present count; later ones follow on each change. */
  sendCount(client: Subscriber, name: string): void;
  /** Publishes the counts that changed in this turn. */
  publishCounts(): void;
  readonly size: number;
  close(): void;
}

interface ChannelsOptions extends ChannelContext {
  readonly table: TopicTable;
  readonly publisher: Publisher;
  /** Told of topics that get their first listener, and lose their last. */
  readonly demand: { opened(topic: string): void; ended(topic: string): void };
}

export function createChannels(options: ChannelsOptions): Channels {
  const { table, publisher, sendQueue, demand } = options;
  /** Each ends with its last listener. */
  const channels = new Map<string, TopicChannel>();
  const changedCounts = new Set<string>();

  function open(name: string): TopicChannel {
    const existing = channels.get(name);
    if (existing) return existing;
    const found = isCount(name) ? undefined : table.find(name);
    const isSnapshot = isCount(name) || found?.topic.kind === 'snapshot';
    const channel = new TopicChannel(name, found, isSnapshot, options);
    channels.set(name, channel);
    demand.opened(name);
    return channel;
  }

  /** After somebody joined, so that what a reading publishes at once reaches it too. */
  function startReading(channel: TopicChannel): void {
    if (channel.listenerCount !== 1 || channel.found === undefined) return;
    channel.stopReading = publisher.start(channel.name, channel.found, ({ data, lasting, lastEntries }) => {
      const message = valueMessage(data, lastEntries);
      channel.deliver(message, lasting === data ? message : valueMessage(lasting));
    });
  }

  function endIfUnheard(channel: TopicChannel): void {
    if (channel.listenerCount > 0) return;
    channels.delete(channel.name);
    demand.ended(channel.name);
    channel.end();
  }

  function countChanged(channel: TopicChannel): void {
    const name = channel.name + countSuffix;
    if (!channels.has(name)) return;
    changedCounts.add(name);
    sendQueue.wake();
  }

  const count = (name: string): number =>
    channels.get(name.slice(0, -countSuffix.length))?.subscribers.size ?? 0;

  /** `docs/decisions.md`, Counts are texts: the engine's client casts them. */
  const countText = (name: string): string => `"${count(name)}"`;

  function sendLatest(client: Subscriber, channel: TopicChannel): void {
    if (isCount(channel.name)) sendQueue.send(client, channel.framer.frame(countText(channel.name)));
    else channel.sendLatest(client);
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
      client.audiences = client.audiences.concat(channel);
      countChanged(channel);
      sendLatest(client, channel);
      startReading(channel);
    },
    leave(client, audience) {
      client.audiences = client.audiences.filter((other) => other !== audience);
      const channel = channels.get(audience.name);
      if (!channel?.subscribers.delete(client)) return;
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
    publish: (name, message) => channels.get(name)?.deliver(message),
    sendCount(client, name) {
      const channel = channels.get(name);
      if (channel) sendLatest(client, channel);
    },
    publishCounts() {
      for (const name of changedCounts) channels.get(name)?.deliver(textMessage(countText(name)));
      changedCounts.clear();
    },
    close() {
      for (const channel of channels.values()) channel.end();
      channels.clear();
      changedCounts.clear();
    },
  };
}

/** For `getLatestTopics`: without counts and internal topics. */
export const isListed = (name: string): boolean => !name.startsWith('_') && countedTopic(name) === name;
