import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { attachWebSocket } from '../../adapters/host/ws.js';
import type { Admitted, HubBatch, HubSocket } from '../../lib/index.js';

export type Carry = (ws: WebSocket, admitted: Admitted) => void;

/** Leaves the WebSocket to `ws`, and what is said on it to `carry`. */
export const attachBy =
  (carry: Carry): typeof attachWebSocket =>
  (server, { pubsub }, { prefix = '' } = {}) => {
    const wss = new WebSocketServer({ noServer: true, maxPayload: pubsub.limits.messageBytes });
    const onUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (request.url?.split('?', 1)[0] !== `${prefix}/pubsub`) return;
      socket.on('error', () => {});
      const { url, headers } = request;
      const remoteAddress = request.socket.remoteAddress ?? '';
      const decision = await pubsub.accept({ url, headers, remoteAddress, raw: request });
      if ('refused' in decision) {
        const { status, body } = decision.refused;
        const lines = Object.entries({
          ...decision.refused.headers,
          'content-length': Buffer.byteLength(body),
        });
        const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
        socket.end(`HTTP/1.1 ${status} Refused\r\n${head}connection: close\r\n\r\n${body}`);
      } else wss.handleUpgrade(request, socket, head, (ws) => carry(ws, decision));
    };
    server.on('upgrade', onUpgrade);
    return () => {
      server.off('upgrade', onUpgrade);
      wss.close();
    };
  };

class SendOnly implements HubSocket {
  constructor(private readonly ws: WebSocket) {}

  send({ messages }: HubBatch): number {
    for (const message of messages) this.ws.send(message, { binary: false });
    return this.ws.bufferedAmount;
  }

  get bufferedAmount(): number {
    return this.ws.bufferedAmount;
  }

  close(code: number, reason: string): void {
    this.ws.close(code, reason);
  }

  terminate(): void {
    this.ws.terminate();
  }
}

/**
 * A host that has of a WebSocket what every library has: whole messages, `send`, how much of that is not taken yet, and `close`.
 * It can't stop reading, can't ping, and hears of no drain.
 */
export const attachSendOnly = attachBy((ws, admitted) => {
  const connection = admitted.connect(new SendOnly(ws));
  ws.on('message', (data) => {
    if (Buffer.isBuffer(data)) connection.receive(data);
  });
  ws.on('error', () => {});
  ws.on('close', () => {
    connection.closed();
    admitted.leave();
  });
});
