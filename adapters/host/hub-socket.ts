import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { owned } from '../../lib/driver-kit.js';
import type { Admitted, HubBatch, HubConnection, HubSocket, UpgradeHandler } from '../../lib/index.js';

/**
 * Answers an upgrade in this turn, or never, by a socket of the hub that is one of `open` until it ends. Returns whether it is
 * connected.
 */
export type Handshake = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  admitted: Admitted,
  open: Set<WebSocket>,
) => boolean;

export function createHandshake(limits: UpgradeHandler['limits']): Handshake {
  const server = owned(
    new WebSocketServer({
      WebSocket: Wired,
      noServer: true,
      clientTracking: false,
      // Costs 6 times the processor and 16 times the memory, and our frames would be wrong.
      perMessageDeflate: false,
      // The engine asks for none; answering one that a client made up would be a promise.
      handleProtocols: () => false,
      maxPayload: limits.messageBytes,
      maxFragments: limits.fragments,
      maxBufferedChunks: 16 * 1024,
    }),
  );
  /** Of the handshake that is being answered: that takes no longer than its turn. */
  let added: Admitted['headers'] = {};
  server.on('headers', (lines) => {
    lines.push(...Object.entries(added).map(([name, value]) => `${name}: ${value}`));
  });
  return (request, socket, head, admitted, open) => {
    let isConnected = false;
    added = admitted.headers;
    server.handleUpgrade(request, socket, head, (ws) => {
      isConnected = true;
      wire(ws, socket, admitted, open);
    });
    return isConnected;
  };
}

/** Its listeners are shared: as closures they would cost every socket more memory than all that it subscribes to. */
class Wired extends WebSocket {
  raw: RawSocket | undefined = undefined;
}

function wire(ws: Wired, socket: Duplex, admitted: Admitted, open: Set<WebSocket>): void {
  // A far end that has vanished is noticed in a minute, also where it may be silent for ever.
  if (socket instanceof Socket) socket.setKeepAlive(true, keepAliveMillis);
  ws.raw = new RawSocket(ws, socket, admitted, open);
  open.add(ws);
  ws.on('message', onMessage);
  ws.on('pong', onPong);
  // Protocol errors: `ws` closes with the right code.
  ws.on('error', ignore);
  ws.on('close', onClose);
  // From now on `ws` listens.
  socket.off('error', ignore);
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  if (!isBinary && Buffer.isBuffer(data)) rawOf(this)?.connection.receive(data);
}

function onPong(this: WebSocket): void {
  rawOf(this)?.connection.alive();
}

function onClose(this: WebSocket): void {
  rawOf(this)?.closed();
}

const rawOf = (ws: WebSocket): RawSocket | undefined => (ws instanceof Wired ? ws.raw : undefined);

/**
 * Data frames go past `ws`, straight to the socket: they are whole, and so are the control frames that `ws` writes,
 * so none ends up inside another. That holds while no extension is negotiated and nothing is sent by `ws.send`.
 */
class RawSocket implements HubSocket {
  readonly connection: HubConnection;
  private isFull = false;

  constructor(
    private readonly ws: WebSocket,
    private readonly socket: Duplex,
    private readonly admitted: Admitted,
    private readonly open: Set<WebSocket>,
  ) {
    this.connection = admitted.connect(this);
  }

  closed(): void {
    this.connection.closed();
    this.admitted.leave();
    this.open.delete(this.ws);
  }

  send({ frames }: HubBatch): number {
    const { ws, socket } = this;
    if (ws.readyState !== ws.OPEN) return 0;
    if (frames.length === 1) socket.write(frames[0]);
    else {
      socket.cork();
      for (const frame of frames) socket.write(frame);
      socket.uncork();
    }
    // Mostly the operating system takes all of it at once.
    if (socket.writableNeedDrain && socket.writableLength > 0 && !this.isFull) this.waitForRoom();
    return socket.writableLength;
  }

  private waitForRoom(): void {
    this.isFull = true;
    this.socket.once('drain', () => {
      this.isFull = false;
      this.connection.drained();
    });
  }

  get bufferedAmount(): number {
    return this.socket.writableLength;
  }

  get reading(): WebSocket {
    return this.ws;
  }

  ping(): void {
    if (this.ws.readyState === this.ws.OPEN) this.ws.ping();
  }

  close(code: number, reason: string): void {
    const { ws } = this;
    // To hear the other side's close frame.
    ws.resume();
    ws.close(code, reason);
    const timer = setTimeout(() => ws.terminate(), closingMs).unref();
    ws.once('close', () => clearTimeout(timer));
  }

  terminate(): void {
    this.ws.terminate();
  }
}

const keepAliveMillis = 30_000;
/** For the close frame to get through what is unsent, and for the answer to it. */
const closingMs = 5000;

const ignore = (): void => {};
