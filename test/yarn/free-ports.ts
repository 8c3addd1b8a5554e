import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** One free port of the loopback for each name. They are held all at once, so that no two are the same. */
export async function freePorts<N extends string>(names: readonly N[]): Promise<Readonly<Record<N, number>>> {
  const held = await Promise.all(
    names.map(async (name) => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return { name, server };
    }),
  );
  const ports: Partial<Record<N, number>> = {};
  for (const { name, server } of held) {
    ports[name] = (server.address() as AddressInfo).port;
    server.close();
    await once(server, 'close');
  }
  return ports as Record<N, number>;
}
