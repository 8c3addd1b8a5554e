import { ClientError } from './error.js';
import { type LiveDeps, liveConnection } from './live-connection.js';
import { dataTextOf, type LiveMessage, messageOf } from './message.js';
import { topicNames } from './topic-names.js';
import type { TopicData } from './types.js';

export interface Live {
  /**
   * Calls `listener` with whatever arrives on a topic, through reconnections too, until the returned function is called.
   * `onError` hears that the gateway refuses the topic (now, or later when rights change). `text` is the data as JSON, as it
   * came: with the integers beyond 2^53 that `data` has rounded. Several listeners share one subscription.
   */
  subscribe<Name extends string>(
    topic: Name,
    listener: (data: TopicData<Name>, text: string) => void,
    onError?: (error: ClientError) => void,
  ): () => void;
  /** How many sockets listen to a topic: at once, and on every change. */
  countSubscribers(topic: string, listener: (count: number) => void): () => void;
  /**
   * The names that were published to lately and that the caller may read, the newest last. Waits for the connection; rejects with
   * the signal's reason when it is given up.
   */
  latestTopics(signal?: AbortSignal): Promise<readonly string[]>;
  /** Sends when the connection is there. Throws `TOO_MANY` when `maxQueued` messages wait for it already. */
  publish(topic: string, data: unknown): void;
  /** Ends the connection and all subscriptions. Calls still work. */
  close(): void;
}

interface Listener {
  /** A method, so that a listener of a topic's own type may stand here. */
  receive(data: unknown, text: string): void;
  onError(error: ClientError): void;
}

interface Subscription {
  /** `subscribe` or `subscribeNumSubscribers`, and what it names. */
  readonly verb: string;
  readonly topic: string;
  readonly listeners: Set<Listener>;
}

function tell(listener: Listener, message: LiveMessage, text: string): void {
  const { type, topic, code, message: sentence, data } = message;
  if (type === 'data') listener.receive(data, dataTextOf(text, message));
  else listener.onError(new ClientError(0, code, sentence, { details: { topic } }));
}

export function liveTopics(deps: LiveDeps): Live {
  const { maxQueued = 1000 } = deps;
  /** By the topic that data arrives on. */
  const subscriptions = new Map<string, Subscription>();
  let queue: string[] = [];

  const connection = liveConnection(deps, {
    opened() {
      for (const { verb, topic } of subscriptions.values()) send({ type: verb, topic });
      names.ask();
      for (const text of queue) connection.send(text);
      queue = [];
    },
    received(text) {
      const message = messageOf(text);
      if (message?.topic === '_latestTopics') return names.told(message.data);
      const subscription = subscriptions.get(message?.topic ?? '');
      if (!message || !subscription) return;
      for (const listener of [...subscription.listeners]) tell(listener, message, text);
    },
    isWanted: () => subscriptions.size > 0 || queue.length > 0 || names.isAsked,
  });

  const send = (message: object) => connection.send(JSON.stringify(message));
  const names = topicNames({
    ask: () => send({ type: 'getLatestTopics' }),
    get isConnected() {
      return connection.isConnected;
    },
    connect: connection.open,
  });

  function listen(arriving: string, verb: string, topic: string, listener: Listener): () => void {
    const subscription = subscriptions.get(arriving) ?? { verb, topic, listeners: new Set() };
    const isFirst = subscription.listeners.size === 0;
    subscription.listeners.add(listener);
    subscriptions.set(arriving, subscription);
    if (isFirst && connection.isConnected) send({ type: verb, topic });
    connection.open();
    return () => {
      if (!subscription.listeners.delete(listener) || subscription.listeners.size > 0) return;
      subscriptions.delete(arriving);
      if (connection.isConnected) send({ type: `un${subscription.verb}`, topic });
    };
  }

  return {
    latestTopics: names.latest,
    subscribe(topic, listener, onError = () => {}) {
      return listen(topic, 'subscribe', topic, { receive: listener, onError });
    },
    countSubscribers(topic, listener) {
      const receive = (data: unknown) => listener(Number(data));
      const onError = () => {};
      return listen(`${topic}.numSubscribers`, 'subscribeNumSubscribers', topic, { receive, onError });
    },
    publish(topic, data) {
      const text = JSON.stringify({ type: 'publish', topic, data });
      if (connection.isConnected) {
        connection.send(text);
        return;
      }
      if (queue.length >= maxQueued) {
        throw new ClientError(0, 'TOO_MANY', `${maxQueued} messages wait for the connection already`);
      }
      queue.push(text);
      connection.open();
    },
    close() {
      const closed = new ClientError(0, 'UNREACHABLE', 'The client was closed');
      names.giveUp(closed);
      subscriptions.clear();
      queue = [];
      connection.close();
    },
  };
}
