import { createServer, type IncomingMessage, request, STATUS_CODES } from 'node:http';
import { pipeline } from 'node:stream';
import type { RunningHost } from '../../../packages/contracts/index.js';
import { listening } from '../../helpers/listening.js';

/** A proxy in front of a host that takes `prefix` off the path and leaves all else as it came, `Host` too. */
export async function behindProxy(host: RunningHost, prefix: string): Promise<RunningHost> {
  const { hostname, port } = new URL(host.baseUrl);
  const forward = (req: IncomingMessage) => {
    const target = req.url ?? '/';
    const at = target.indexOf(`${prefix}/`);
    // An absolute target keeps its front.
    const path = at < 0 ? `/outside${target}` : target.slice(0, at) + target.slice(at + prefix.length);
    return request({ hostname, port, method: req.method, path, headers: req.headers, agent: false });
  };
  const server = createServer((req, res) => {
    const outgoing = forward(req);
    outgoing.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, res, () => {});
    });
    outgoing.on('error', () => res.destroy());
    res.on('close', () => outgoing.destroy());
    pipeline(req, outgoing, () => {});
  });
  server.on('upgrade', (req, socket, head) => {
    const outgoing = forward(req);
    outgoing.on('upgrade', (answer, upstream, first) => {
      socket.write(headOf(answer));
      socket.write(first);
      upstream.write(head);
      pipeline(socket, upstream, () => upstream.destroy());
      pipeline(upstream, socket, () => socket.destroy());
    });
    outgoing.on('response', (answer) => {
      socket.write(headOf(answer));
      pipeline(answer, socket, () => socket.destroy());
    });
    outgoing.on('error', () => socket.destroy());
    socket.on('error', () => outgoing.destroy());
    outgoing.end();
  });
  const { baseUrl, close } = await listening(server);
  return {
    baseUrl: baseUrl + prefix,
    async close() {
      await close();
      await host.close();
    },
  };
}

function headOf({ statusCode = 502, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}\r\n`] : []));
  return `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n`;
}
