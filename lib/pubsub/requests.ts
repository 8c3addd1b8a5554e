import type { Logger } from '../interfaces/logger.js';
import type { Channel, Channels } from './channels.js';
import type { Client } from './client.js';
import { textFrame } from './frame.js';
import { inTime } from './in-time.js';
import type { HubLimits } from './limits.js';
import { bytesMessage } from './message.js';
import type { ClientMessage } from './messages.js';
import type { Outbox } from './outbox.js';
import type { Peer } from './peer.js';
import type { Recent } from './recent.js';
import { countSuffix, isCount, latestTopicsName } from './reserved.js';
import type { Rights } from './rights.js';

/** A socket, as far as what it asks for goes. `Requests` owns the last two members. */
export interface Asker extends Client {
  readonly peer: Peer;
  /** Grows when its rights may have changed. */
  readonly epoch: number;
  /** Subscriptions whose right is being asked for; `isWanted` turns false when they were taken back meanwhile. */
  asking: Map<string, { isWanted: boolean }> | undefined;
  isListing: boolean;
}

/** Does what clients ask for, as far as they may. One for all sockets. */
export interface Requests {
  /** `undefined`: what came is no message. Never throws: what goes wrong here must not reach the host's process. */
  obey(asker: Asker, message: ClientMessage | undefined): void;
  /** What is thrown at once becomes a rejection too. */
  mayRead(asker: Asker, topic: string): Promise<boolean> | boolean;
  /** Only to those who asked for errors. */
  complain(asker: Asker, topic: string, code: string, message: string): void;
}

export interface RequestsOptions {
  readonly channels: Channels;
  readonly outbox: Outbox;
  readonly rights: Rights;
  readonly recent: Recent;
  readonly logger: Logger;
  readonly limits: Pick<HubLimits, 'subscriptions' | 'checkMs'>;
}

export function createRequests(options: RequestsOptions): Requests {
  const { channels, outbox, rights, recent, logger, limits } = options;

  function handle(asker: Asker, message: ClientMessage): void {
    switch (message.type) {
      case 'publish':
        publish(asker, message.topic, message.data);
        break;
      case 'subscribe':
        subscribe(asker, message.topic);
        break;
      case 'unsubscribe':
        unsubscribe(asker, message.topic);
        break;
      case 'subscribeNumSubscribers':
        subscribe(asker, message.topic + countSuffix);
        break;
      case 'unsubscribeNumSubscribers':
        unsubscribe(asker, message.topic + countSuffix);
        break;
      case 'getLatestTopics':
        void listTopics(asker);
    }
  }

  function publish(asker: Asker, topic: string, data: Buffer): void {
    if (!rights.mayPublish(asker.caller, topic)) {
      complain(asker, topic, 'FORBIDDEN', 'You may not publish to this topic');
      return;
    }
    recent.add(topic);
    channels.publish(topic, bytesMessage(data));
  }

  function subscribe(asker: Asker, topic: string): void {
    if (channelOf(asker, topic)) {
      if (isCount(topic)) channels.sendCount(asker, topic);
      return;
    }
    const running = asker.asking?.get(topic);
    if (running) {
      running.isWanted = true;
      return;
    }
    if (asker.channels.length + (asker.asking?.size ?? 0) >= limits.subscriptions) {
      complain(asker, topic, 'TOO_MANY', `A socket listens to at most ${limits.subscriptions} topics`);
      return;
    }
    const answer = mayRead(asker, topic);
    if (typeof answer === 'boolean') admit(asker, topic, answer);
    else void ask(asker, topic, answer);
  }

  async function ask(asker: Asker, topic: string, answer: Promise<boolean>): Promise<void> {
    asker.asking ??= new Map();
    const entry = { isWanted: true };
    asker.asking.set(topic, entry);
    const { epoch, caller } = asker;
    const isAllowed = await inTime(limits.checkMs, answer).catch((error: unknown) => {
      logger.warn({ topic, err: error }, 'The right to a topic can not be checked');
      return false;
    });
    asker.asking.delete(topic);
    if (asker.isClosed || !entry.isWanted) return;
    // Rights changed meanwhile: the answer is about yesterday.
    if (epoch !== asker.epoch || caller !== asker.caller) subscribe(asker, topic);
    else admit(asker, topic, isAllowed);
  }

  function admit(asker: Asker, topic: string, isAllowed: boolean): void {
    if (isAllowed) channels.join(asker, topic);
    else {
      const message = 'You may not listen to this topic, or there is none of this name';
      complain(asker, topic, 'FORBIDDEN', message);
    }
  }

  function unsubscribe(asker: Asker, topic: string): void {
    const running = asker.asking?.get(topic);
    if (running) running.isWanted = false;
    const channel = channelOf(asker, topic);
    if (channel) channels.leave(asker, channel);
  }

  /** One at a time: asking again while an answer is under way changes nothing. */
  async function listTopics(asker: Asker): Promise<void> {
    if (asker.isListing) return;
    asker.isListing = true;
    const names = recent.list();
    const answers = await Promise.all(
      names.map((name) => inTime(limits.checkMs, mayRead(asker, name)).catch(() => false)),
    );
    asker.isListing = false;
    if (asker.isClosed) return;
    const data = JSON.stringify(names.filter((_, index) => answers[index]));
    const text = `{"type":"data","topic":"${latestTopicsName}","data":${data}}`;
    outbox.send(asker, textFrame(latestTopicsName, text));
  }

  function complain(asker: Asker, topic: string, code: string, message: string): void {
    if (!asker.peer.wantsErrors) return;
    outbox.send(asker, textFrame('', JSON.stringify({ type: 'error', topic, code, message })));
  }

  function mayRead(asker: Asker, topic: string): Promise<boolean> | boolean {
    try {
      return rights.mayRead(asker.caller, topic);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return {
    mayRead,
    complain,
    obey(asker, message) {
      try {
        if (message) handle(asker, message);
        else complain(asker, '', 'BAD_MESSAGE', 'This is not a message of the protocol; it was ignored');
      } catch (error) {
        logger.error({ err: error }, 'A message of a client could not be handled');
      }
    },
  };
}

export const channelOf = (client: Client, topic: string): Channel | undefined =>
  client.channels.find(({ name }) => name === topic);
