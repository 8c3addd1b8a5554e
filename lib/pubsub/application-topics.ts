import { isUtf8 } from 'node:buffer';
import { isJson } from '../formats/json-scan.js';
import type { Channels } from './channels.js';
import type { HubLimits } from './limits.js';
import { BytesMessage } from './message.js';
import type { RecentTopics } from './recent-topics.js';
import type { TopicRights } from './rights.js';

/** What applications say and hear without a socket, through the cluster that runs them. */
interface ApplicationTopics {
  /** `undefined` when it may not. Returns the function that ends it. */
  watch(application: string, topic: string, receive: (data: string) => void): (() => void) | undefined;
  /** `false` when it may not, or `data` is neither JSON text nor its UTF-8. */
  publish(application: string, topic: string, data: string | Buffer): boolean;
}

interface ApplicationTopicsOptions {
  readonly channels: Pick<Channels, 'listen' | 'publish'>;
  readonly rights: TopicRights;
  readonly recent: RecentTopics;
  readonly limits: Pick<HubLimits, 'topicBytes' | 'messageBytes' | 'depth'>;
}

export function createApplicationTopics(options: ApplicationTopicsOptions): ApplicationTopics {
  const { channels, rights, recent, limits } = options;
  const isName = (topic: string) => topic !== '' && Buffer.byteLength(topic) <= limits.topicBytes;
  return {
    watch(application, topic, receive) {
      if (!isName(topic) || rights.mayRead({ application }, topic) !== true) return undefined;
      return channels.listen(topic, { receive });
    },
    publish(application, topic, data) {
      if (!rights.mayPublish({ application }, topic) || !isName(topic)) return false;
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      if (bytes.length > limits.messageBytes) return false;
      // Whoever got a text that is no UTF-8 would close its socket.
      if (!isUtf8(bytes) || !isJson(bytes, limits.depth)) return false;
      recent.add(topic);
      channels.publish(topic, new BytesMessage(bytes));
      return true;
    },
  };
}
