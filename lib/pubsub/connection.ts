import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { Channels } from './channels.js';
import { type Client, newClient } from './client.js';
import { textFrame } from './frame.js';
import type { HubLimits } from './limits.js';
import { textMessage } from './message.js';
import { type ClientMessage, parseMessage } from './messages.js';
import type { Outbox } from './outbox.js';
import { createRate } from './rate.js';
import { countSuffix, isCount, latestTopicsName } from './reserved.js';
import type { Caller, Rights } from './rights.js';
import { closeCodes, type HubConnection, type HubSocket } from './socket.js';

/** The other end of a socket, as the host's authenticator and the gateway's accounts know it. */
export interface Peer {
  readonly caller: Caller;
  /** The session that the connection lives by: it is closed when that ends. */
  readonly sessionId?: string;
  /** Who it is after rights have changed; `undefined` when nobody knows it any more. */
  refresh(): Promise<Caller | undefined>;
  /** Asked for by `?errors=true`: messages of type `error` beside `data`. */
  readonly wantsErrors?: boolean;
}

/** A connection as the hub itself sees it. */
export interface LiveConnection extends HubConnection {
  readonly client: Client;
  readonly sessionId: string | undefined;
  /** Nothing reaches or leaves this client before its rights are known anew. */
  recheck(): void;
  close(code: number, reason: string): void;
}

export interface ConnectionOptions {
  readonly channels: Channels;
  readonly outbox: Outbox;
  readonly rights: Rights;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: HubLimits;
  /** Names published lately, the newest last. */
  readonly recent: { add(name: string): void; list(): readonly string[] };
  readonly onClosed: (connection: LiveConnection) => void;
  readonly onAlive: (connection: LiveConnection) => void;
}

/** Why reading of a socket is stopped. */
type Pause = 'rate' | 'rights';

export function createConnection(socket: HubSocket, peer: Peer, options: ConnectionOptions): LiveConnection {
  const { channels, outbox, rights, clock, logger, limits, recent } = options;
  const client = newClient(socket, peer.caller);
  const rate = createRate(limits.messagesPerSecond, limits.messageBurst);
  const pauses = new Set<Pause>();
  /** Subscriptions whose right is being asked for; `isWanted` turns false when they were taken back meanwhile. */
  const asking = new Map<string, { isWanted: boolean }>();
  /** Messages that came before the rights were known anew. */
  let inbox: string[] | undefined;
  let epoch = 0;
  let rateTimer: NodeJS.Timeout | undefined;
  let isListing = false;

  function pause(why: Pause): void {
    if (pauses.size === 0) socket.pause();
    pauses.add(why);
  }

  function resume(why: Pause): void {
    if (pauses.delete(why) && pauses.size === 0 && !client.isClosed) socket.resume();
  }

  function receive(text: string): void {
    if (client.isClosed) return;
    options.onAlive(connection);
    const wait = rate.take(clock.monotonic());
    if (wait > 0 && !pauses.has('rate')) {
      pause('rate');
      rateTimer = setTimeout(() => resume('rate'), wait).unref();
    }
    if (inbox) inbox.push(text);
    else obey(text);
  }

  function obey(text: string): void {
    const message = parseMessage(text, limits);
    if (message) handle(message);
    else complain('', 'BAD_MESSAGE', 'This is not a message of the protocol; it was ignored');
  }

  function handle(message: ClientMessage): void {
    switch (message.type) {
      case 'publish':
        publish(message.topic, message.data);
        break;
      case 'subscribe':
        subscribe(message.topic);
        break;
      case 'unsubscribe':
        unsubscribe(message.topic);
        break;
      case 'subscribeNumSubscribers':
        subscribe(message.topic + countSuffix);
        break;
      case 'unsubscribeNumSubscribers':
        unsubscribe(message.topic + countSuffix);
        break;
      case 'getLatestTopics':
        void listTopics();
    }
  }

  function publish(topic: string, data: string): void {
    if (!rights.mayPublish(client.caller, topic)) {
      complain(topic, 'FORBIDDEN', 'You may not publish to this topic');
      return;
    }
    recent.add(topic);
    channels.publish(topic, textMessage(data));
  }

  function subscribe(topic: string): void {
    if (client.channels.has(topic)) {
      if (isCount(topic)) channels.sendCount(client, topic);
      return;
    }
    const running = asking.get(topic);
    if (running) {
      running.isWanted = true;
      return;
    }
    if (client.channels.size + asking.size >= limits.subscriptions) {
      complain(topic, 'TOO_MANY', `A socket listens to at most ${limits.subscriptions} topics`);
      return;
    }
    const answer = attempt(() => rights.mayRead(client.caller, topic));
    if (typeof answer === 'boolean') admit(topic, answer);
    else void ask(topic, answer);
  }

  async function ask(topic: string, answer: Promise<boolean>): Promise<void> {
    const entry = { isWanted: true };
    asking.set(topic, entry);
    const askedIn = epoch;
    const allowed = await withinCheck(answer).catch((error: unknown) => {
      logger.warn({ topic, err: error }, 'The right to a topic can not be checked');
      return false;
    });
    asking.delete(topic);
    if (client.isClosed || !entry.isWanted) return;
    // Rights changed meanwhile: the answer is about yesterday.
    if (askedIn !== epoch) subscribe(topic);
    else admit(topic, allowed);
  }

  function admit(topic: string, allowed: boolean): void {
    if (allowed) channels.join(client, topic);
    else complain(topic, 'FORBIDDEN', 'You may not listen to this topic, or there is none of this name');
  }

  function unsubscribe(topic: string): void {
    const running = asking.get(topic);
    if (running) running.isWanted = false;
    const channel = client.channels.get(topic);
    if (channel) channels.leave(client, channel);
  }

  /** One at a time: asking again while an answer is under way changes nothing. */
  async function listTopics(): Promise<void> {
    if (isListing) return;
    isListing = true;
    const visible: string[] = [];
    for (const name of recent.list()) {
      const may = await withinCheck(attempt(() => rights.mayRead(client.caller, name))).catch(() => false);
      if (may) visible.push(name);
    }
    isListing = false;
    if (client.isClosed) return;
    const data = JSON.stringify(visible.slice(-limits.latestTopics));
    const text = `{"type":"data","topic":"${latestTopicsName}","data":${data}}`;
    outbox.send(client, textFrame(latestTopicsName, text));
  }

  function complain(topic: string, code: string, message: string): void {
    if (!peer.wantsErrors) return;
    outbox.send(client, textFrame('', JSON.stringify({ type: 'error', topic, code, message })));
  }

  /** Also turns what is thrown at once into a rejection. */
  function attempt(check: () => Promise<boolean> | boolean): Promise<boolean> | boolean {
    try {
      return check();
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async function withinCheck<T>(answer: Promise<T> | T): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('No answer in time')), limits.checkMs).unref();
    });
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  function recheck(): void {
    epoch++;
    if (inbox) return; // The check that runs starts anew by itself.
    inbox = [];
    outbox.hold(client);
    pause('rights');
    void checkAnew().catch((error: unknown) => {
      logger.warn({ err: error }, 'The rights of a socket can not be checked');
      close(closeCodes.tryAgainLater, 'Your rights can not be checked now');
    });
  }

  async function checkAnew(): Promise<void> {
    let revoked: Set<string>;
    let checkedIn: number;
    do {
      checkedIn = epoch;
      revoked = new Set();
      const caller = await withinCheck(peer.refresh());
      if (client.isClosed) return;
      if (caller === undefined) {
        close(closeCodes.policy, 'Your session has ended');
        return;
      }
      client.caller = caller;
      const names = [...client.channels.keys()];
      const answers = await Promise.all(
        names.map((name) => withinCheck(attempt(() => rights.mayRead(caller, name)))),
      );
      names.forEach((name, index) => {
        if (!answers[index]) revoked.add(name);
      });
    } while (checkedIn !== epoch);
    if (client.isClosed) return;
    goOn(revoked);
  }

  function goOn(revoked: ReadonlySet<string>): void {
    for (const name of revoked) {
      const channel = client.channels.get(name);
      if (channel) channels.leave(client, channel);
    }
    outbox.release(client, (topic) => !revoked.has(topic));
    for (const name of revoked) complain(name, 'FORBIDDEN', 'You may not listen to this topic any more');
    const waiting = inbox ?? [];
    inbox = undefined;
    for (const text of waiting) if (!client.isClosed) obey(text);
    resume('rights');
  }

  function close(code: number, reason: string): void {
    if (client.isClosed) return;
    closed();
    socket.close(code, reason);
  }

  function closed(): void {
    if (client.isClosed) return;
    clearTimeout(rateTimer);
    outbox.forget(client);
    for (const channel of client.channels.values()) channels.leave(client, channel);
    options.onClosed(connection);
  }

  const connection: LiveConnection = {
    client,
    sessionId: peer.sessionId,
    receive,
    drained: () => outbox.drained(client),
    alive: () => options.onAlive(connection),
    closed,
    recheck,
    close,
  };
  return connection;
}
