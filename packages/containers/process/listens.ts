import { createConnection } from 'node:net';

/** Waits until something listens on the port; `false`: it was given up before. */
export async function listens(port: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const answered = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ port, host: '127.0.0.1' });
      const done = (yes: boolean) => {
        socket.destroy();
        resolve(yes);
      };
      socket.once('connect', () => done(true)).once('error', () => done(false));
      socket.setTimeout(1000, () => done(false));
    });
    if (answered) return !signal.aborted;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
