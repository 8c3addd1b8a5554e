import type { Channels } from './channels.js';
import { audienceOf, type Subscriber } from './client.js';
import { countSuffix, eventsOf, writerOf } from './reserved.js';

/**
 * Tells applications who listens to what only they can say. Their engine asks for that itself, but once: when it connects
 * again, to a gateway that was started anew, it asks on the socket that it lost, and would keep everything to itself.
 */
interface DemandNotifier {
  connected(client: Subscriber): void;
  closed(client: Subscriber): void;
  /** A topic has its first listener. */
  opened(topic: string): void;
  ended(topic: string): void;
}

export function createDemandNotifier(
  channels: () => Pick<Channels, 'join'>,
  limits: { readonly subscriptions: number },
): DemandNotifier {
  /** By application. */
  const clients = new Map<string, Set<Subscriber>>();
  const heard = new Map<string, Set<string>>();

  function tell(client: Subscriber, topic: string): void {
    const name = topic + countSuffix;
    if (client.audiences.length < limits.subscriptions && !audienceOf(client, name))
      channels().join(client, name);
  }

  return {
    connected(client) {
      const { application } = client.caller;
      if (application === undefined) return;
      add(clients, application, client);
      for (const topic of [eventsOf(application), ...(heard.get(application) ?? [])]) tell(client, topic);
    },
    closed(client) {
      const { application } = client.caller;
      if (application !== undefined) remove(clients, application, client);
    },
    opened(topic) {
      const application = writerOf(topic);
      if (application === undefined) return;
      add(heard, application, topic);
      for (const client of clients.get(application) ?? []) tell(client, topic);
    },
    ended(topic) {
      const application = writerOf(topic);
      if (application !== undefined) remove(heard, application, topic);
    },
  };
}

function add<T>(sets: Map<string, Set<T>>, key: string, item: T): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(item));
}

function remove<T>(sets: Map<string, Set<T>>, key: string, item: T): void {
  const set = sets.get(key);
  set?.delete(item);
  if (set?.size === 0) sets.delete(key);
}
