import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '../../lib/client.js';

/** A client of the gateway's WebSocket. What it returns sends a message, and resolves when that is back. */
export async function liveExchange(
  t: { teardown(end: () => unknown): unknown },
  baseUrl: string,
  token?: string,
): Promise<() => Promise<void>> {
  const client = createClient({ baseUrl, ...(token === undefined ? {} : { token }) });
  t.teardown(() => client.close());
  return exchangeOf(client);
}

/** The same, with a client that is there. */
export async function exchangeOf(client: Client): Promise<() => Promise<void>> {
  let sent = 0;
  const topic = `beside.others.${randomUUID()}`;
  const waiting = new Map<unknown, () => void>();
  client.subscribe(topic, (data) => waiting.get(data)?.());
  const exchange = () =>
    new Promise<void>((resolve) => {
      waiting.set(++sent, resolve);
      client.publish(topic, sent);
    });
  await exchange();
  return exchange;
}
