import type { IncomingMessage, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { type OptionChecks, option, owned, readOptions, requireArgument } from '../../lib/driver-kit.js';
import type {
  Admitted,
  Gateway,
  HubBatch,
  HubConnection,
  HubSocket,
  Refused,
  UpgradeHandler,
  UpgradeRequest,
} from '../../lib/index.js';
import { watchAnswers } from './contested-socket.js';
import { normalPrefix, requireServer } from './mount.js';
import { refuseUpgrade, refusing } from './refused-upgrade.js';
import { upgradesInFront } from './server-front.js';
import { createTunnelling } from './tunnelling.js';

export interface WebSocketOptions {
  /** Where the gateway is mounted: the WebSocket is at `{prefix}/pubsub`, those of services below `{prefix}/proxy/services`. Default `''`. */
  readonly prefix?: string;
  /**
   * Answers 404 to upgrades of other paths. Only for a server that has no other WebSockets: otherwise they are left
   * to whoever owns them. Default `false`.
   */
  readonly refuseUnknown?: boolean;
}

const webSocketOptions: OptionChecks<WebSocketOptions> = { prefix: option.text, refuseUnknown: option.flag };

const upgradingGateway = option.instance(['pubsub.accept'], '`await createGateway(...)`');

/**
 * Serves the gateway's WebSocket on the host's server, which goes on to belong to the host:
 *
 *     const server = http.createServer(app);
 *     const detach = attachWebSocket(server, gateway);
 *
 * Upgrades of the gateway's paths are taken before the server's listeners of `upgrade` see them, whenever those came; all
 * others reach them untouched. Returns the function that takes it off again and ends its sockets.
 */
export function attachWebSocket(
  server: Server | SecureServer,
  gateway: Pick<Gateway, 'pubsub'> & Partial<Pick<Gateway, 'handle' | 'ownsUpgrade'>>,
  options: WebSocketOptions = {},
): () => void {
  requireServer('attachWebSocket', server);
  requireArgument('attachWebSocket', 'gateway', gateway, upgradingGateway);
  const { prefix: given, refuseUnknown = false } = readOptions('attachWebSocket', options, webSocketOptions);
  const prefix = normalPrefix(given);
  const path = `${prefix}/pubsub`;
  const sockets = createHubSockets(gateway.pubsub);
  const tunnels = createTunnelling(gateway, prefix);

  const leaveFront = upgradesInFront(server, {
    take(request, socket, head) {
      const isTunnel = tunnels.owns(request);
      if (!isTunnel && pathOf(request) !== path) return false;
      // Before anything else: a reset without a listener ends the host's process.
      socket.on('error', ignore);
      const isOurs = watchAnswers(socket, () => gateway.pubsub.answeredElsewhere(upgradeRequestOf(request)));
      const serve = isTunnel ? tunnels.join : sockets.upgrade;
      // That connection ends, and not the host.
      if (isOurs()) serve(request, socket, head, isOurs).catch(() => socket.destroy());
      return true;
    },
    ...(refuseUnknown ? { refuse: refuseForeign } : {}),
  });
  return () => {
    leaveFront();
    sockets.close();
    tunnels.close();
  };
}

interface HubSockets {
  /** Answers an upgrade, by a socket of the hub when that admits it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, isOurs: () => boolean): Promise<void>;
  close(): void;
}

function createHubSockets(pubsub: UpgradeHandler): HubSockets {
  const handshake = createHandshake(pubsub.limits);
  const open = new Set<WebSocket>();
  let isClosed = false;
  return {
    async upgrade(request, socket, head, isOurs) {
      const admitted = await acceptUntilGone(pubsub, request, socket);
      if ('refused' in admitted) {
        if (isOurs()) refuseUpgrade(socket, admitted.refused);
        return;
      }
      let isConnected = false;
      try {
        if (isClosed) socket.destroy();
        else if (isOurs()) {
          handshake(request, socket, head, admitted.headers, (ws) => {
            isConnected = true;
            wire(ws, socket, admitted, open);
          });
        }
      } finally {
        // The handshake is answered in the same turn, or never.
        if (!isConnected) admitted.leave();
      }
    },
    close() {
      isClosed = true;
      for (const ws of open) ws.close(1001, 'The gateway is detached');
    },
  };
}

/** The decision is not waited for when the client hangs up. */
async function acceptUntilGone(
  pubsub: UpgradeHandler,
  request: IncomingMessage,
  socket: Duplex,
): Promise<Admitted | Refused> {
  const gone = new AbortController();
  const hungUp = () => gone.abort();
  socket.once('close', hungUp);
  const decision = await pubsub.accept({ ...upgradeRequestOf(request), signal: gone.signal });
  socket.off('close', hungUp);
  return decision;
}

const upgradeRequestOf = (request: IncomingMessage): UpgradeRequest => ({
  url: request.url ?? '',
  headers: request.headers,
  remoteAddress: request.socket.remoteAddress ?? '',
  isSecure: 'encrypted' in request.socket,
  raw: request,
});

type Handshake = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  headers: Admitted['headers'],
  done: (ws: Wired) => void,
) => void;

function createHandshake(limits: UpgradeHandler['limits']): Handshake {
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
  return (request, socket, head, headers, done) => {
    added = headers;
    server.handleUpgrade(request, socket, head, done);
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

const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0] ?? '';

/** Of a path that is nobody's. */
function refuseForeign(socket: Duplex): void {
  socket.on('error', ignore);
  refuseUpgrade(socket, { status: 404, headers: refusing, body: '' });
}

const ignore = (): void => {};
