import type { IncomingMessage, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { type OptionChecks, option, readOptions, requireArgument } from '../../lib/driver-kit.js';
import type { Gateway, Refused, UpgradeHandler } from '../../lib/index.js';
import { watchAnswers } from './contested-socket.js';
import type { Handshake } from './hub-socket.js';
import { normalPrefix, requireServer } from './mount.js';
import { NodeUpgrade } from './node-upgrade.js';
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
      const isOurs = watchAnswers(socket, () => gateway.pubsub.answeredElsewhere(new NodeUpgrade(request)));
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
  const open: Parameters<Handshake>[4] = new Set();
  let handshake: Promise<Handshake> | undefined;
  let isClosed = false;

  async function handshakeFor(request: IncomingMessage): Promise<Handshake | Refused> {
    try {
      handshake ??= loadHandshake(pubsub.limits);
      return await handshake;
    } catch (thrown) {
      handshake = undefined;
      return pubsub.failed(new NodeUpgrade(request), thrown);
    }
  }

  return {
    async upgrade(request, socket, head, isOurs) {
      const asked = new NodeUpgrade(request);
      const admitted = await pubsub.accept(asked);
      asked.decided();
      if ('refused' in admitted) {
        if (isOurs()) refuseUpgrade(socket, admitted.refused);
        return;
      }
      let isConnected = false;
      try {
        const connect = await handshakeFor(request);
        if (isClosed) socket.destroy();
        else if (!isOurs()) return;
        else if ('refused' in connect) refuseUpgrade(socket, connect.refused);
        else isConnected = connect(request, socket, head, admitted, open);
      } finally {
        if (!isConnected) admitted.leave();
      }
    },
    close() {
      isClosed = true;
      for (const ws of open) ws.close(1001, 'The gateway is detached');
    },
  };
}

/** With `ws`, which a host whose clients open no WebSocket never needs. */
const loadHandshake = async (limits: UpgradeHandler['limits']): Promise<Handshake> =>
  (await import('./hub-socket.js')).createHandshake(limits);

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** Of a path that is nobody's. */
function refuseForeign(socket: Duplex): void {
  socket.on('error', ignore);
  refuseUpgrade(socket, { status: 404, headers: refusing, body: '' });
}

const ignore = (): void => {};
