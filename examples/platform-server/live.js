import { WebSocketServer } from 'ws';

/** The product's own WebSocket, at /live: the time, a message a second. It takes its own path and leaves others alone. */
export function liveClock(server, personBehind) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 });
  const upgrade = async (request, socket, head) => {
    if (new URL(request.url, 'http://here').pathname !== '/live') return;
    socket.on('error', () => {});
    if (!(await personBehind(request))) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client));
  };
  server.on('upgrade', upgrade);
  const timer = setInterval(() => {
    for (const client of sockets.clients) client.send(new Date().toISOString());
  }, 1000);
  return {
    close() {
      clearInterval(timer);
      server.off('upgrade', upgrade);
      for (const client of sockets.clients) client.terminate();
      sockets.close();
    },
  };
}
