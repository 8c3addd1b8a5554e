import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { Audience, Subscriber } from './client.js';
import { createFramer, type Frame } from './frame.js';
import { lastFrame } from './last-entries.js';
import { type Message, textMessage, valueMessage } from './message.js';
import type { Publisher } from './publisher.js';
import { createRecipientFilter, type RecipientFilter } from './recipient-filter.js';
import { countedTopic, countSuffix, isCount } from './reserved.js';
import { createRetainedFrame, type RetainedFrame } from './retained-frame.js';
import type { SendQueue } from './send-queue.js';
import type { FoundTopic, TopicTable } from './topic-table.js';
import type { TurnBudget } from './turn-budget.js';

/** A listener inside the gateway. `data` is JSON text. */
interface Listener {
  readonly receive: ((data: string) => void) | undefined;
}

/** A topic that somebody listens to; it ends with its last listener. */
interface Channel extends Audience {
  readonly found: FoundTopic | undefined;
  readonly listeners: Set<Listener>;
  readonly filter: RecipientFilter | undefined;
  /** Of the gateway's own snapshots: what each receiver has his own view of; of all others the frame is kept. */
  latest: Message | undefined;
  readonly latestFrame: RetainedFrame;
  /** When that was said (monotonic). */
  latestAt: number | undefined;
  stopReading: () => void;
}

/** Who listens to what, and the way of a message to all of them. */
export interface Channels {
  join(client: Subscriber, name: string): void;
  leave(client: Subscriber, audience: Audience): void;
  listen(name: string, listener: Listener): () => void;
  publish(name: string, message: Message): void;
  at(name: string): Channel | undefined;
  /** Sends this client the present count; later ones follow on each change. */
  sendCount(client: Subscriber, name: string): void;
  /** Publishes the counts that changed in this turn. */
  publishCounts(): void;
  readonly size: number;
  close(): void;
}

interface ChannelsOptions {
  readonly clock: Clock;
  readonly table: TopicTable;
  readonly publisher: Publisher;
  readonly sendQueue: SendQueue;
  readonly logger: Logger;
  readonly budget: TurnBudget;
  /** Told of topics that get their first listener, and lose their last. */
  readonly demand: { opened(topic: string): void; ended(topic: string): void };
}

export function createChannels(options: ChannelsOptions): Channels {
  const { clock, table, publisher, sendQueue, logger, demand } = options;
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
      filter: found && createRecipientFilter(found, options),
      latest: undefined,
      latestFrame: createRetainedFrame(),
      latestAt: undefined,
      stopReading: () => {},
    };
    channels.set(name, channel);
    demand.opened(name);
    return channel;
  }

  /** After somebody joined, so that what a reading publishes at once reaches him. */
  function startReading(channel: Channel): void {
    if (channel.subscribers.size + channel.listeners.size !== 1 || channel.found === undefined) return;
    channel.stopReading = publisher.start(channel.name, channel.found, ({ data, lasting, lastEntries }) => {
      const message = valueMessage(data, lastEntries);
      deliver(channel, message, lasting === data ? message : valueMessage(lasting));
    });
  }

  function endIfUnheard(channel: Channel): void {
    if (channel.subscribers.size + channel.listeners.size > 0) return;
    channels.delete(channel.name);
    demand.ended(channel.name);
    channel.stopReading();
    channel.filter?.stop();
  }

  function countChanged(channel: Channel): void {
    const name = channel.name + countSuffix;
    if (!channels.has(name)) return;
    changedCounts.add(name);
    sendQueue.wake();
  }

  const count = (name: string): number =>
    channels.get(name.slice(0, -countSuffix.length))?.subscribers.size ?? 0;

  /** `docs/decisions.md`, Counts are texts: the engine's client casts them. */
  const countText = (name: string): string => `"${count(name)}"`;

  /** `lasting`: what those get who come later, and alerts read: nothing that has ended. */
  function deliver(channel: Channel, message: Message, lasting = message): void {
    const { filter, subscribers } = channel;
    for (const listener of channel.listeners) tell(channel, listener, message);
    const isKept = channel.isSnapshot && channel.found !== undefined;
    if (isKept) channel.latestAt = clock.monotonic();
    if (filter?.isNeeded) {
      if (isKept) channel.latest = lasting;
      if (subscribers.size > 0) filter.deliver(channel, message);
    } else if (subscribers.size > 0) {
      const frame = frameOf(channel, message);
      if (isKept && lasting === message) channel.latestFrame.keep(frame);
      else if (isKept) channel.latestFrame.make(channel.framer, lasting.body());
      for (const client of subscribers) sendQueue.send(client, frame);
    } else if (isKept) channel.latestFrame.make(channel.framer, lasting.body());
  }

  function frameOf({ framer, found }: Channel, message: Message): Frame {
    const frame = framer.frame(message.body());
    const { lastEntries } = message;
    const listing = found?.topic.listing;
    return lastEntries && listing ? lastFrame(framer, listing, frame, lastEntries) : frame;
  }

  function tell(channel: Channel, { receive }: Listener, message: Message): void {
    try {
      receive?.(message.text());
    } catch (error) {
      logger.error(
        { event: 'hub.listener_failed', topic: channel.name, err: error },
        'A listener of the topic failed',
      );
    }
  }

  function sendLatest(client: Subscriber, channel: Channel): void {
    const { name, framer, latest, filter } = channel;
    if (filter?.isNeeded) {
      if (latest) filter.send(client, channel, latest);
    } else {
      const frame = isCount(name) ? framer.frame(countText(name)) : channel.latestFrame.frame();
      if (frame) sendQueue.send(client, frame);
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
        channel.filter?.stop();
      }
      channels.clear();
      changedCounts.clear();
    },
  };
}

/** For `getLatestTopics`: without counts and internal topics. */
export const isListed = (name: string): boolean => !name.startsWith('_') && countedTopic(name) === name;
