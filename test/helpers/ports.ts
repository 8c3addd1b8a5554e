import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below those that Linux gives to whoever connects: nobody gets one by chance before its server listens, or while it is down. */
const [lowest, highest] = [15_000, 32_000];

/** One free port of the loopback for each name. They are held all at once, so that no two are the same. */
export async function freePorts<N extends string>(names: readonly N[]): Promise<Readonly<Record<N, number>>> {
  const ports: Partial<Record<N, number>> = {};
  const held: Server[] = [];
  for (const name of names) {
    const { port, server } = await hold();
    ports[name] = port;
    held.push(server);
  }
  for (const server of held) {
    server.close();
    await once(server, 'close');
  }
  return ports as Record<N, number>;
}

/** One free port for a server that goes and comes back, or is asked when it is gone. */
export const ownPort = async (): Promise<number> => (await freePorts(['own'])).own;

async function hold(): Promise<{ port: number; server: Server }> {
  for (;;) {
    const port = randomInt(lowest, highest);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('listening', () => resolve(true)).once('error', () => resolve(false));
      server.listen(port, '127.0.0.1');
    });
    if (isFree) return { port, server };
  }
}
