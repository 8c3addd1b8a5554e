import type { Subscriber } from './client.js';
import { textMessage } from './message.js';
import { countSuffix } from './reserved.js';
import type { SendQueue } from './send-queue.js';
import type { TopicChannel } from './topic-channel.js';

/** How many sockets listen to a topic, told to those who listen to that: once a turn of the event loop, however often it changed. */
interface SubscriberCounts {
  changed(channel: TopicChannel): void;
  /** Sends the present count to one that listens to this channel of counts. */
  sendTo(client: Subscriber, channel: TopicChannel): void;
  /** Publishes the counts that changed in this turn. */
  publish(): void;
  clear(): void;
}

export function createSubscriberCounts(
  channelAt: (name: string) => TopicChannel | undefined,
  sendQueue: Pick<SendQueue, 'send' | 'wake'>,
): SubscriberCounts {
  /** Names of the topics that tell them. */
  const changed = new Set<string>();

  /** `docs/decisions.md`, Counts are texts: the engine's client casts them. */
  function textOf(name: string): string {
    const counted = channelAt(name.slice(0, -countSuffix.length));
    return `"${counted?.subscribers.size ?? 0}"`;
  }

  return {
    changed(channel) {
      const name = channel.name + countSuffix;
      if (!channelAt(name)) return;
      changed.add(name);
      sendQueue.wake();
    },
    sendTo(client, channel) {
      sendQueue.send(client, channel.framer.frame(textOf(channel.name)));
    },
    publish() {
      for (const name of changed) channelAt(name)?.deliver(textMessage(textOf(name)));
      changed.clear();
    },
    clear() {
      changed.clear();
    },
  };
}
