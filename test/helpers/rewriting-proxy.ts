import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream';
import type { RunningHost } from '../../contracts/index.js';
import { listening } from './listening.js';

/** A proxy in front of a host that takes `prefix` off the path and leaves all else as it came, `Host` too. */
export async function behindProxy(host: RunningHost, prefix: string): Promise<RunningHost> {
  const { hostname, port } = new URL(host.baseUrl);
  const server = createServer((req, res) => {
    const target = req.url ?? '/';
    const at = target.indexOf(`${prefix}/`);
    // An absolute target keeps its front.
    const path = at < 0 ? `/outside${target}` : target.slice(0, at) + target.slice(at + prefix.length);
    const outgoing = request({
      hostname,
      port,
      method: req.method,
      path,
      headers: req.headers,
      agent: false,
    });
    outgoing.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, res, () => {});
    });
    outgoing.on('error', () => res.destroy());
    res.on('close', () => outgoing.destroy());
    pipeline(req, outgoing, () => {});
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
