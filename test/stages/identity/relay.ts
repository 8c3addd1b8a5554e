import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Teardown } from './peer.js';

/** Stands between a client and a server, and ends or forgets what goes through it. */
export interface Relay {
  readonly port: number;
  /** What clients sent, one for each connection so far. */
  readonly sent: readonly Buffer[];
  /** Connections that clients hold. */
  readonly open: number;
  /** Ends all connections. */
  cut(): void;
  /** Of the connections that there are now: ends each one when something is sent on it. */
  cutWhenUsed(): void;
  /** From now on nothing goes through, on no connection. */
  silence(): void;
}

export async function startRelay(t: Teardown, target: number): Promise<Relay> {
  const sent: Buffer[] = [];
  const clients = new Set<Socket>();
  let doomed = new Set<Socket>();
  let isSilent = false;
  const server = createServer((client) => {
    const at = sent.push(Buffer.alloc(0)) - 1;
    const upstream = connect(target, '127.0.0.1');
    clients.add(client);
    client.on('data', (data) => {
      sent[at] = Buffer.concat([sent[at] ?? Buffer.alloc(0), data]);
      if (doomed.has(client)) client.destroy();
      else if (!isSilent) upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!isSilent) client.write(data);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('end', () => other.end());
      one.on('close', () => {
        clients.delete(client);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const client of clients) client.destroy();
  };
  t.teardown(() => {
    cut();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    sent,
    get open() {
      return clients.size;
    },
    cut,
    cutWhenUsed() {
      doomed = new Set(clients);
    },
    silence() {
      isSilent = true;
    },
  };
}
