import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

interface SocketRelay {
  readonly baseUrl: string;
  /** Ends every WebSocket that goes through, and takes no other until `mend`; calls go on. */
  cut(): void;
  mend(): void;
}

/** Stands between a browser and a server, as a proxy that loses WebSockets. */
export async function socketRelay(t: Pick<Test, 'teardown'>, to: string): Promise<SocketRelay> {
  const open = new Set<Socket>();
  const live = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    const inner = connect(Number(new URL(to).port), '127.0.0.1');
    open.add(socket);
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    socket.on('close', () => {
      open.delete(socket);
      live.delete(socket);
    });
    // Browsers open a connection for each WebSocket, and its head comes first.
    socket.once('data', (head) => {
      if (/^upgrade: websocket\r$/im.test(head.toString('latin1'))) {
        if (isCut) return socket.destroy();
        live.add(socket);
      }
      inner.write(head);
      socket.pipe(inner).pipe(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const socket of live) socket.destroy();
    },
    mend() {
      isCut = false;
    },
  };
}
