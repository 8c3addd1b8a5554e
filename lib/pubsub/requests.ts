import type { Logger } from '../interfaces/logger.js';
import type { Channels } from './channels.js';
import { audienceOf, type Subscriber } from './client.js';
import { textFrame } from './frame.js';
import { inTime } from './in-time.js';
import type { HubLimits } from './limits.js';
import { bytesMessage } from './message.js';
import type { ClientMessage } from './messages.js';
import type { Peer } from './peer.js';
import type { RecentTopics } from './recent-topics.js';
import { countSuffix, isCount, latestTopicsName } from './reserved.js';
import type { TopicRights } from './rights.js';
import type { SendQueue } from './send-queue.js';

/** A socket, as far as what it asks for goes. `Requests` owns the last three members. */
export interface Asker extends Subscriber {
  readonly peer: Peer;
  /** Grows when its rights may have changed. */
  readonly epoch: number;
  /** Subscriptions whose right is being asked for; `isWanted` turns false when they were taken back meanwhile. */
  asking: Map<string, { isWanted: boolean }> | undefined;
  isListing: boolean;
  /** Whether one of its subscriptions was beyond the limit: that is logged once. */
  hadTooMany: boolean;
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

interface RequestsOptions {
  readonly channels: Channels;
  readonly sendQueue: SendQueue;
  readonly rights: TopicRights;
  readonly recent: RecentTopics;
  readonly logger: Logger;
  readonly limits: Pick<HubLimits, 'subscriptions' | 'checkMs'>;
  readonly counts: { refusedSubscriptions: number };
}

export function createRequests(options: RequestsOptions): Requests {
  const { channels, sendQueue, rights, recent, logger, limits, counts } = options;

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
    if (audienceOf(asker, topic)) {
      if (isCount(topic)) channels.sendCount(asker, topic);
      return;
    }
    const running = asker.asking?.get(topic);
    if (running) {
      running.isWanted = true;
      return;
    }
    if (asker.audiences.length + (asker.asking?.size ?? 0) >= limits.subscriptions) {
      refuseMore(asker, topic);
      return;
    }
    const answer = mayRead(asker, topic);
    if (typeof answer === 'boolean') admit(asker, topic, answer);
    else void ask(asker, topic, answer);
  }

  function refuseMore(asker: Asker, topic: string): void {
    const message = `A socket listens to at most ${limits.subscriptions} topics`;
    counts.refusedSubscriptions++;
    if (!asker.hadTooMany) {
      const { principal, application } = asker.caller;
      logger.warn(
        {
          event: 'hub.subscription_limit_reached',
          topic,
          subscriptions: limits.subscriptions,
          userName: principal?.userName,
          application,
        },
        'A socket listens to as many topics as it may; further ones are ignored',
      );
    }
    asker.hadTooMany = true;
    complain(asker, topic, 'TOO_MANY', message);
  }

  async function ask(asker: Asker, topic: string, answer: Promise<boolean>): Promise<void> {
    asker.asking ??= new Map();
    const entry = { isWanted: true };
    asker.asking.set(topic, entry);
    const { epoch, caller } = asker;
    const isAllowed = await inTime(limits.checkMs, answer).catch((error: unknown) => {
      logger.warn(
        { event: 'hub.subscription_check_failed', topic, err: error },
        'The right to a topic can not be checked',
      );
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
    const audience = audienceOf(asker, topic);
    if (audience) channels.leave(asker, audience);
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
    sendQueue.send(asker, textFrame(latestTopicsName, text));
  }

  function complain(asker: Asker, topic: string, code: string, message: string): void {
    if (!asker.peer.wantsErrors) return;
    sendQueue.send(asker, textFrame('', JSON.stringify({ type: 'error', topic, code, message })));
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
        logger.error(
          { event: 'hub.message_failed', err: error },
          'A message of a client could not be handled',
        );
      }
    },
  };
}
