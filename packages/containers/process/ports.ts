import { createServer } from 'node:net';
import { ContainerFailed, owned } from 'headgate/driver-kit';

/** The ports that were asked for, with a free one in the place of each 0. Rejects for one that is taken. */
export async function freePorts(wanted: readonly number[]): Promise<readonly number[]> {
  // Held together, so that no two are the same.
  const held = await Promise.allSettled(wanted.map(hold));
  for (const one of held) if (one.status === 'fulfilled') await one.value.release();
  return held.map((one) => {
    if (one.status === 'fulfilled') return one.value.port;
    throw one.reason;
  });
}

const hold = (wanted: number): Promise<{ readonly port: number; release(): Promise<void> }> =>
  new Promise((resolve, reject) => {
    const server = owned(createServer());
    server.once('error', (cause) =>
      reject(new ContainerFailed(`Port ${wanted} is taken by another program`, cause)),
    );
    server.listen({ port: wanted, host: '127.0.0.1' }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : wanted;
      resolve({ port, release: () => new Promise((released) => server.close(() => released())) });
    });
  });
