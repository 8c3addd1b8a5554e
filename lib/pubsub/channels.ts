import type { Audience, Subscriber } from './client.js';
import type { Message } from './message.js';
import type { Publisher } from './publisher.js';
import { countedTopic, isCount } from './reserved.js';
import { createSubscriberCounts } from './subscriber-counts.js';
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
  const channels = createOpenChannels(options);
  const counts = createSubscriberCounts(channels.at, options.sendQueue);

  function sendLatest(client: Subscriber, channel: TopicChannel): void {
    if (isCount(channel.name)) counts.sendTo(client, channel);
    else channel.sendLatest(client);
  }

  return {
    get size() {
      return channels.size;
    },
    at: channels.at,
    join(client, name) {
      const channel = channels.open(name);
      channel.subscribers.add(client);
      // A spread would leave room for 16 more.
      client.audiences = client.audiences.concat(channel);
      counts.changed(channel);
      sendLatest(client, channel);
      channels.joined(channel);
    },
    leave(client, audience) {
      client.audiences = client.audiences.filter((other) => other !== audience);
      const channel = channels.at(audience.name);
      if (!channel?.subscribers.delete(client)) return;
      counts.changed(channel);
      channels.left(channel);
    },
    listen(name, listener) {
      const channel = channels.open(name);
      channel.listeners.add(listener);
      channels.joined(channel);
      return () => {
        if (channel.listeners.delete(listener)) channels.left(channel);
      };
    },
    publish: (name, message) => channels.at(name)?.deliver(message),
    sendCount(client, name) {
      const channel = channels.at(name);
      if (channel) sendLatest(client, channel);
    },
    publishCounts: counts.publish,
    close() {
      channels.close();
      counts.clear();
    },
  };
}

/** A channel begins with its first listener and ends with its last; its topic is read in between. */
interface OpenChannels {
  open(name: string): TopicChannel;
  at(name: string): TopicChannel | undefined;
  /** After each that joined, so that what a reading publishes at once reaches it too. */
  joined(channel: TopicChannel): void;
  left(channel: TopicChannel): void;
  readonly size: number;
  close(): void;
}

function createOpenChannels(options: ChannelsOptions): OpenChannels {
  const { table, publisher, demand } = options;
  const channels = new Map<string, TopicChannel>();
  return {
    open(name) {
      const existing = channels.get(name);
      if (existing) return existing;
      const found = isCount(name) ? undefined : table.find(name);
      const isSnapshot = isCount(name) || found?.topic.kind === 'snapshot';
      const channel = new TopicChannel(name, found, isSnapshot, options);
      channels.set(name, channel);
      demand.opened(name);
      return channel;
    },
    at: (name) => channels.get(name),
    joined(channel) {
      if (channel.listenerCount !== 1 || channel.found === undefined) return;
      channel.stopReading = publisher.start(channel.name, channel.found, (reading) => channel.say(reading));
    },
    left(channel) {
      if (channel.listenerCount > 0) return;
      channels.delete(channel.name);
      demand.ended(channel.name);
      channel.end();
    },
    get size() {
      return channels.size;
    },
    close() {
      for (const channel of channels.values()) channel.end();
      channels.clear();
    },
  };
}

/** For `getLatestTopics`: without counts and internal topics. */
export const isListed = (name: string): boolean => !name.startsWith('_') && countedTopic(name) === name;
