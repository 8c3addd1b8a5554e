import type { Client } from '../../../lib/client.js';

/** The same client, and the names of the operations that it was asked for. */
export function counting(client: Client): { readonly client: Client; readonly driven: ReadonlySet<string> } {
  const driven = new Set<string>();
  const counted = new Proxy(client, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'string' && typeof member === 'function') driven.add(name);
      return member;
    },
  });
  return { client: counted, driven };
}
