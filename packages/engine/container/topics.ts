import type { ToContainer } from '../protocol/protocol.js';
import type { Reports } from './reports.js';

/** What operators of this container hear of the gateway's hub. */
export interface Topics {
  /** Returns the function that ends it. */
  subscribe(topic: string, receive: (data: unknown) => void): () => void;
  receive(order: Extract<ToContainer, { type: 'message' | 'topicRefused' }>): void;
}

export function createTopics(reports: Pick<Reports, 'send'>, warn: (message: string) => void): Topics {
  const listeners = new Map<string, Set<(data: unknown) => void>>();
  let dropped = 0;

  return {
    subscribe(topic, receive) {
      // One function given twice hears twice.
      const listener = (data: unknown) => receive(data);
      const known = listeners.get(topic);
      if (known) known.add(listener);
      else {
        listeners.set(topic, new Set([listener]));
        reports.send({ type: 'subscribe', topic });
      }
      return () => {
        const set = listeners.get(topic);
        if (!set?.delete(listener) || set.size > 0) return;
        listeners.delete(topic);
        reports.send({ type: 'unsubscribe', topic });
      };
    },
    receive(order) {
      if (order.type === 'topicRefused') {
        warn(`The topic ${JSON.stringify(order.topic)} can't be listened to: ${order.reason}`);
        return;
      }
      if (order.dropped > dropped) {
        warn(`Missed ${order.dropped - dropped} messages that came too fast or were too large`);
        dropped = order.dropped;
      }
      const found = listeners.get(order.topic);
      if (!found) return;
      const data: unknown = JSON.parse(order.data);
      for (const listener of [...found]) listener(data);
    },
  };
}
