import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import * as z from 'zod';
import type { Publisher } from './publisher.js';

const Hello = z.object({ publisher: z.string(), subscriber: z.string(), window: z.number() });
const maxHelloBytes = 4096;

interface PublisherServerDeps {
  /** Path of its socket. */
  readonly address: string;
  readonly publisherOf: (id: string) => Publisher | undefined;
  readonly fail: (error: unknown) => void;
  readonly onListening: () => void;
}

/** Where containers of the application get what the operators of this one emit. */
export function servePublishers({ address, publisherOf, fail, onListening }: PublisherServerDeps): void {
  rmSync(address, { force: true });
  const server = createServer({ highWaterMark: 256 * 1024 }, (socket) => greet(socket, publisherOf));
  server.on('error', fail);
  server.listen(address, onListening);
}

/** A reader says in its first line which publisher it wants, and from where. */
function greet(socket: Socket, publisherOf: PublisherServerDeps['publisherOf']): void {
  let text = '';
  socket.on('error', () => {});
  const listen = (chunk: Buffer) => {
    text += chunk.toString('utf8');
    const end = text.indexOf('\n');
    if (end < 0 && text.length < maxHelloBytes) return;
    socket.off('data', listen);
    try {
      const hello = Hello.parse(JSON.parse(text.slice(0, end)));
      const publisher = publisherOf(hello.publisher);
      socket.resume();
      if (!publisher?.attach(hello.subscriber, socket, hello.window)) socket.destroy();
    } catch {
      socket.destroy();
    }
  };
  socket.on('data', listen);
}
