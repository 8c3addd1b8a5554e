import { z } from 'zod';
import type { Cookies } from './cookies.js';
import { ClientError, jsonOf } from './error.js';
import { connect, type Socket } from './socket.js';
import type { TopicData } from './types.js';

export interface Live {
  /**
   * Calls `listener` with whatever arrives on a topic, through reconnections too, until the returned function is called.
   * `onError` hears that the gateway refuses the topic (now, or later when rights change).
   */
  subscribe<Name extends string>(
    topic: Name,
    listener: (data: TopicData<Name>) => void,
    onError?: (error: ClientError) => void,
  ): () => void;
  /** How many sockets listen to a topic: at once, and on every change. */
  countSubscribers(topic: string, listener: (count: number) => void): () => void;
  /** Sends when the connection is there. Throws `TOO_MANY` when `maxQueued` messages wait for it already. */
  publish(topic: string, data: unknown): void;
  /** Ends the connection and all subscriptions. Calls still work. */
  close(): void;
}

export interface LiveOptions {
  /** Told when the connection opens and closes; `error` says why, where that is known. */
  readonly onState?: (state: { readonly connected: boolean; readonly error?: ClientError }) => void;
  /** First wait before a new try, in milliseconds; it doubles with each failure, and a random part is cut off. Default 250. */
  readonly retryMillis?: number;
  /** Longest wait. Default 15,000. */
  readonly maxRetryMillis?: number;
  /** After this silence the gateway is asked for a sign of life, and after as much again the connection is given up. Default 30,000. */
  readonly silenceMillis?: number;
  /** Messages kept while there is no connection. Default 1,000. */
  readonly maxQueued?: number;
}

interface Deps extends LiveOptions {
  readonly baseUrl: string;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly cookies: Cookies;
}

interface Listener {
  /** A method, so that a listener of a topic's own type may stand here. */
  receive(data: unknown): void;
  onError(error: ClientError): void;
}

const Message = z.object({
  type: z.string(),
  topic: z.string().default(''),
  data: z.unknown().optional(),
  code: z.string().default(''),
  message: z.string().default(''),
});

interface Subscription {
  /** `subscribe` or `subscribeNumSubscribers`, and what it names. */
  readonly verb: string;
  readonly topic: string;
  readonly listeners: Set<Listener>;
}

export function liveTopics(deps: Deps): Live {
  const { retryMillis = 250, maxRetryMillis = 15_000, silenceMillis = 30_000, maxQueued = 1000 } = deps;
  /** By the topic that data arrives on. */
  const subscriptions = new Map<string, Subscription>();
  let queue: string[] = [];
  let socket: Socket | undefined;
  let connected = false;
  let failures = 0;
  let asked = false;
  let waiting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const send = (message: object) => socket?.send(JSON.stringify(message));
  const say = (connected: boolean, error?: ClientError) =>
    deps.onState?.({ connected, ...(error ? { error } : {}) });

  function open(): void {
    if (socket || waiting) return;
    const headers = () => {
      const cookie = deps.cookies.header();
      return { ...deps.headers(), ...(cookie === undefined ? {} : { cookie }) };
    };
    socket = connect(urlOf(deps.baseUrl), headers, { opened, received, closed });
  }

  function opened(): void {
    connected = true;
    failures = 0;
    for (const { verb, topic } of subscriptions.values()) send({ type: verb, topic });
    for (const text of queue) socket?.send(text);
    queue = [];
    heard();
    say(true);
  }

  function heard(): void {
    asked = false;
    clearTimeout(timer);
    timer = setTimeout(onSilence, silenceMillis);
  }

  /** A dead peer is noticed only by asking; browsers let nobody send a ping. */
  function onSilence(): void {
    if (asked) {
      socket?.close();
      return;
    }
    asked = true;
    send({ type: 'getLatestTopics' });
    timer = setTimeout(onSilence, silenceMillis);
  }

  function received(text: string): void {
    heard();
    const message = Message.safeParse(jsonOf(text)).data;
    const subscription = subscriptions.get(message?.topic ?? '');
    if (!message || !subscription) return;
    for (const listener of [...subscription.listeners]) {
      if (message.type === 'data') listener.receive(message.data);
      else
        listener.onError(
          new ClientError(0, message.code, message.message, { details: { topic: message.topic } }),
        );
    }
  }

  function closed(error: ClientError | undefined): void {
    socket = undefined;
    connected = false;
    clearTimeout(timer);
    if (subscriptions.size === 0 && queue.length === 0) {
      say(false, error);
      return;
    }
    const longest = Math.min(maxRetryMillis, retryMillis * 2 ** failures++);
    // A restarted gateway must not meet all its clients in the same moment.
    waiting = true;
    timer = setTimeout(retry, longest * (0.5 + Math.random() / 2));
    say(false, error);
  }

  function retry(): void {
    waiting = false;
    open();
  }

  function listen(arriving: string, verb: string, topic: string, listener: Listener): () => void {
    const subscription = subscriptions.get(arriving) ?? { verb, topic, listeners: new Set() };
    const isFirst = subscription.listeners.size === 0;
    subscription.listeners.add(listener);
    subscriptions.set(arriving, subscription);
    if (isFirst && connected) send({ type: verb, topic });
    open();
    return () => {
      if (!subscription.listeners.delete(listener) || subscription.listeners.size > 0) return;
      subscriptions.delete(arriving);
      if (connected) send({ type: `un${subscription.verb}`, topic });
    };
  }

  return {
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
      if (connected) {
        socket?.send(text);
        return;
      }
      if (queue.length >= maxQueued) {
        throw new ClientError(0, 'TOO_MANY', `${maxQueued} messages wait for the connection already`);
      }
      queue.push(text);
      open();
    },
    close() {
      subscriptions.clear();
      queue = [];
      clearTimeout(timer);
      waiting = false;
      socket?.close();
    },
  };
}

declare const location: { readonly href: string };

/** `http` to `ws`, and the path of the WebSocket. In a page an address may be relative. */
function urlOf(baseUrl: string): string {
  const url = new URL(
    `${baseUrl}/pubsub?errors=true`,
    typeof location === 'object' ? location.href : undefined,
  );
  url.protocol = url.protocol === 'https:' || url.protocol === 'wss:' ? 'wss:' : 'ws:';
  return url.href;
}
