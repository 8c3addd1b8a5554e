import { WebSocketServer } from 'ws';

/** A WebSocket of the host's own at /own, which says everything again: as users of `ws` write it. */
export function echoAt(server) {
  new WebSocketServer({ server, path: '/own' }).on('connection', (socket) => {
    socket.on('message', (data) => socket.send(String(data)));
  });
}
