import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { defaultJsonLimits, type ForwardTarget, owned, parseJson } from 'headgate/driver-kit';
import { type Answer, type Asked, failed, remoteException } from './answers.js';

/**
 * The web services of the engine, for the proxies of the gateway: real HTTP on a socket in the engine's own directory,
 * which nobody else may enter. There is no port, and nothing at all before it is asked for.
 */
interface UnixSocketServer {
  /** `path` begins and ends with a slash. */
  target(path: string): Promise<ForwardTarget>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** `path`: whole, undecoded. Rejects for what can't be answered. */
type Answering = (path: string, asked: Omit<Asked, 'segments'>) => Promise<Answer>;

/** Bytes of a request's body. */
const maxBody = 1024 * 1024;

export function createUnixSocketServer(socketPath: string, answering: Answering): UnixSocketServer {
  // Known to agents, and missing in their types.
  const connection = { keepAlive: true, maxFreeSockets: 2, socketPath };
  const agent = new Agent(connection);
  let opening: Promise<Server> | undefined;

  async function open(): Promise<Server> {
    const server = owned(createServer((req, res) => void respond(req, res, answering)));
    // Whoever forgets to close the engine is not held by this.
    server.unref();
    server.listen(socketPath);
    await once(server, 'listening');
    return server;
  }

  return {
    async target(path) {
      opening ??= open();
      await opening;
      return { base: new URL(path, 'http://localhost'), headers: async () => ({}), agent, failed: () => {} };
    },
    async close() {
      const opened = opening;
      opening = undefined;
      const server = await opened;
      agent.destroy();
      if (!server) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(req: IncomingMessage, res: ServerResponse, answering: Answering): Promise<void> {
  const { status, body } = await answer(req, answering).catch(failed);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

async function answer(req: IncomingMessage, answering: Answering): Promise<Answer> {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
  const text = await textOf(req);
  if (text === undefined) return remoteException(400, `The body is larger than ${maxBody} bytes`);
  // Within the limits of the gateway's own routes: the event loop is the same.
  const body = text.trim() === '' ? undefined : parseJson(text, defaultJsonLimits);
  return answering(pathname, { method: req.method ?? 'GET', query: searchParams, body });
}

async function textOf(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += chunk.length;
    if (size > maxBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
