import type { Cookies } from './cookies.js';
import type { ClientError } from './error.js';
import { connect, type Socket } from './socket.js';

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

export interface LiveDeps extends LiveOptions {
  readonly baseUrl: string;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly cookies: Cookies;
}

interface LiveEvents {
  /** It stands, anew too: what the gateway must know is said again. */
  opened(): void;
  received(text: string): void;
  /** Whether somebody still has a use for it: then it is opened again. */
  isWanted(): boolean;
}

/** A WebSocket that comes back: opened again after a failure, and given up when its far end is silent. */
interface LiveConnection {
  /** Does nothing while it stands, or while a new try is waited for. */
  open(): void;
  readonly isConnected: boolean;
  send(text: string): void;
  close(): void;
}

export function liveConnection(deps: LiveDeps, events: LiveEvents): LiveConnection {
  const { retryMillis = 250, maxRetryMillis = 15_000, silenceMillis = 30_000 } = deps;
  let socket: Socket | undefined;
  let isConnected = false;
  let failures = 0;
  /** Of the next try, while there is no socket. */
  let retrying: ReturnType<typeof setTimeout> | undefined;
  const silence = watchSilence(silenceMillis, {
    // A dead peer is noticed only by asking; browsers let nobody send a ping.
    ask: () => socket?.send(JSON.stringify({ type: 'getLatestTopics' })),
    giveUp: () => socket?.close(),
  });

  const say = (connected: boolean, error?: ClientError) =>
    deps.onState?.({ connected, ...(error ? { error } : {}) });

  function open(): void {
    if (socket || retrying !== undefined) return;
    const received = (text: string) => {
      silence.heard();
      events.received(text);
    };
    socket = connect(urlOf(deps.baseUrl), () => headersOf(deps), { opened, received, closed });
  }

  function opened(): void {
    isConnected = true;
    failures = 0;
    events.opened();
    silence.heard();
    say(true);
  }

  function closed(error: ClientError | undefined): void {
    socket = undefined;
    isConnected = false;
    silence.stop();
    if (events.isWanted()) {
      const longest = Math.min(maxRetryMillis, retryMillis * 2 ** failures++);
      // A restarted gateway must not meet all its clients in the same moment.
      retrying = setTimeout(retry, longest * (0.5 + Math.random() / 2));
    }
    say(false, error);
  }

  function retry(): void {
    retrying = undefined;
    open();
  }

  return {
    open,
    get isConnected() {
      return isConnected;
    },
    send: (text) => socket?.send(text),
    close() {
      clearTimeout(retrying);
      retrying = undefined;
      silence.stop();
      socket?.close();
    },
  };
}

interface SilenceWatch {
  /** A sign of life; the first one begins the watch. */
  heard(): void;
  stop(): void;
}

/** After a silence the far end is asked for a sign of life, and after as much again it is given up. */
function watchSilence(millis: number, on: { ask: () => void; giveUp: () => void }): SilenceWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  function ask(): void {
    timer = setTimeout(on.giveUp, millis);
    on.ask();
  }
  return {
    heard() {
      clearTimeout(timer);
      timer = setTimeout(ask, millis);
    },
    stop: () => clearTimeout(timer),
  };
}

function headersOf({ headers, cookies }: LiveDeps): Readonly<Record<string, string>> {
  const cookie = cookies.header();
  return { ...headers(), ...(cookie === undefined ? {} : { cookie }) };
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
