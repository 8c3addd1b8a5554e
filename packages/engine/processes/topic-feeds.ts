import type { FromContainer, ToContainer } from '../protocol/protocol.js';

/** Topics that one container may listen to. */
const maxTopics = 64;
/** Longest message that is passed on, characters of JSON text. */
const maxMessageLength = 64 * 1024;
/** Messages under way to a container that does not take them. */
const maxPending = 256;

/** Publishes on behalf of the application; `data` is JSON text, or its UTF-8. `false`: it may not, or that is no JSON. */
export type Publish = (topic: string, data: string | Buffer) => boolean;

/** Listens on behalf of the application; `undefined`: it may not. */
export type Subscribe = (topic: string, receive: (data: string) => void) => (() => void) | undefined;

/** What one container hears of the gateway's hub. */
interface TopicFeeds {
  hear(wish: Extract<FromContainer, { type: 'subscribe' | 'unsubscribe' }>): void;
  /** The container is gone. */
  end(): void;
}

export function createTopicFeeds(
  subscribe: Subscribe,
  send: (order: ToContainer, sent?: () => void) => void,
): TopicFeeds {
  const feeds = new Map<string, () => void>();
  let pending = 0;
  let dropped = 0;

  function pass(topic: string, data: string): void {
    if (pending >= maxPending || data.length > maxMessageLength) {
      dropped++;
      return;
    }
    pending++;
    send({ type: 'message', topic, data, dropped }, () => {
      pending--;
    });
  }

  function open(topic: string): void {
    if (feeds.has(topic)) return;
    const refuse = (reason: string) => send({ type: 'topicRefused', topic: topic.slice(0, 256), reason });
    if (feeds.size >= maxTopics) {
      refuse(`a container may listen to ${maxTopics} topics`);
      return;
    }
    const end = subscribe(topic, (data) => pass(topic, data));
    if (end) feeds.set(topic, end);
    else refuse('it belongs to the gateway, or is no name of a topic');
  }

  return {
    hear({ type, topic }) {
      if (type === 'subscribe') open(topic);
      else {
        feeds.get(topic)?.();
        feeds.delete(topic);
      }
    },
    end() {
      for (const end of feeds.values()) end();
      feeds.clear();
    },
  };
}
