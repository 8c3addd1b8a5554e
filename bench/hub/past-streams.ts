import type { Socket } from 'node:net';

// What no server may do, to see what Node's streams cost: its own writing, by what they stand on. Nothing that the operating
// system does not take at once is waited for, and errors are lost.

interface Handle {
  writeBuffer(request: object, bytes: Buffer): number;
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'writeBuffer' in value;

/** Learned from the first write of a socket. */
let Request: (new () => object) | undefined;

export function writePastStreams(socket: Socket): (bytes: Buffer) => void {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (!isHandle(handle)) throw new Error('This Node has no handle below its sockets');
  const { writeBuffer } = handle;
  return (bytes) => {
    if (Request) {
      handle.writeBuffer(new Request(), bytes);
      return;
    }
    handle.writeBuffer = (request, first) => {
      Request = Object.getPrototypeOf(request).constructor;
      handle.writeBuffer = writeBuffer;
      return Reflect.apply(writeBuffer, handle, [request, first]);
    };
    socket.write(bytes);
  };
}
