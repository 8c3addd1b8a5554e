import { createClient } from '../../lib/client.js';

/** A client of the gateway's WebSocket. What it returns sends a message, and resolves when that is back. */
export async function liveExchange(
  t: { teardown(end: () => unknown): unknown },
  baseUrl: string,
  token?: string,
): Promise<() => Promise<void>> {
  const client = createClient({ baseUrl, ...(token === undefined ? {} : { token }) });
  t.teardown(() => client.close());
  let sent = 0;
  const waiting = new Map<unknown, () => void>();
  client.subscribe('beside.others', (data) => waiting.get(data)?.());
  const exchange = () =>
    new Promise<void>((resolve) => {
      waiting.set(++sent, resolve);
      client.publish('beside.others', sent);
    });
  await exchange();
  return exchange;
}
