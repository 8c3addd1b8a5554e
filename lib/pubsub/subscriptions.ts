import type { Logger } from '../interfaces/logger.js';
import { type Asker, complain } from './asker.js';
import type { Channels } from './channels.js';
import { audienceOf } from './client.js';
import type { HubLimits } from './limits.js';
import { isCount } from './reserved.js';
import type { RightChecks } from './right-checks.js';
import type { SendQueue } from './send-queue.js';

/** Lets sockets listen to what they may. */
interface Subscriptions {
  subscribe(asker: Asker, topic: string): void;
  unsubscribe(asker: Asker, topic: string): void;
}

export interface SubscriptionOptions {
  readonly channels: Channels;
  readonly sendQueue: SendQueue;
  readonly checks: RightChecks;
  readonly logger: Logger;
  readonly limits: Pick<HubLimits, 'subscriptions'>;
  readonly counts: { refusedSubscriptions: number };
}

export function createSubscriptions(options: SubscriptionOptions): Subscriptions {
  const { channels, sendQueue, checks, logger, limits } = options;

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
      refuseMore(options, asker, topic);
      return;
    }
    const answer = checks.mayRead(asker.caller, topic);
    if (typeof answer === 'boolean') admit(asker, topic, answer);
    else void ask(asker, topic, answer);
  }

  async function ask(asker: Asker, topic: string, answer: Promise<boolean>): Promise<void> {
    asker.asking ??= new Map();
    const entry = { isWanted: true };
    asker.asking.set(topic, entry);
    const { epoch, caller } = asker;
    const isAllowed = await answer.catch((error: unknown) => {
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
      complain(sendQueue, asker, { topic, code: 'FORBIDDEN', message });
    }
  }

  return {
    subscribe,
    unsubscribe(asker, topic) {
      const running = asker.asking?.get(topic);
      if (running) running.isWanted = false;
      const audience = audienceOf(asker, topic);
      if (audience) channels.leave(asker, audience);
    },
  };
}

function refuseMore(options: SubscriptionOptions, asker: Asker, topic: string): void {
  const { sendQueue, logger, limits, counts } = options;
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
  complain(sendQueue, asker, { topic, code: 'TOO_MANY', message });
}
