import { type Asker, complain } from './asker.js';
import { textFrame } from './frame.js';
import { BytesMessage } from './message.js';
import type { ClientMessage } from './messages.js';
import type { RecentTopics } from './recent-topics.js';
import { countSuffix, latestTopicsName } from './reserved.js';
import type { TopicRights } from './rights.js';
import { createSubscriptions, type SubscriptionOptions } from './subscriptions.js';

/** Does what clients ask for, as far as they may. One for all sockets. */
export interface Requests {
  /** `undefined`: what came is no message. Never throws: what goes wrong here must not reach the host's process. */
  obey(asker: Asker, message: ClientMessage | undefined): void;
}

interface RequestsOptions extends SubscriptionOptions {
  readonly rights: Pick<TopicRights, 'mayPublish'>;
  readonly recent: RecentTopics;
}

export function createRequests(options: RequestsOptions): Requests {
  const { channels, sendQueue, checks, rights, recent, logger } = options;
  const { subscribe, unsubscribe } = createSubscriptions(options);

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
      const message = 'You may not publish to this topic';
      complain(sendQueue, asker, { topic, code: 'FORBIDDEN', message });
      return;
    }
    recent.add(topic);
    channels.publish(topic, new BytesMessage(data));
  }

  /** One at a time: asking again while an answer is under way changes nothing. */
  async function listTopics(asker: Asker): Promise<void> {
    if (asker.isListing) return;
    asker.isListing = true;
    const names = recent.list();
    const mayRead = async (name: string) => checks.mayRead(asker.caller, name);
    const answers = await Promise.all(names.map((name) => mayRead(name).catch(() => false)));
    asker.isListing = false;
    if (asker.isClosed) return;
    const data = JSON.stringify(names.filter((_, index) => answers[index]));
    const text = `{"type":"data","topic":"${latestTopicsName}","data":${data}}`;
    sendQueue.send(asker, textFrame(latestTopicsName, text));
  }

  return {
    obey(asker, message) {
      try {
        if (message) handle(asker, message);
        else
          complain(sendQueue, asker, {
            topic: '',
            code: 'BAD_MESSAGE',
            message: 'This is not a message of the protocol; it was ignored',
          });
      } catch (error) {
        logger.error(
          { event: 'hub.message_failed', err: error },
          'A message of a client could not be handled',
        );
      }
    },
  };
}
