import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ownPort } from '../../helpers/ports.js';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The same as it came. */
  readonly bytes: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

/**
 * `down`: hangs up at once. `hang`: says nothing. `garbage`: no JSON. `cut`: half of the answer. `huge`: an answer that
 * does not end for 100 MB.
 */
export type Fault = 'down' | 'hang' | 'garbage' | 'cut' | 'huge';

/** A server of the double, on a port of the loopback that stays its own. */
export interface DoubleServer {
  readonly url: string;
  readonly host: string;
  fault: Fault | undefined;
  /** What `authorization` has to be; the name of the user is believed no more. */
  credential: string | undefined;
  /** Whether a credential was ever sent here. */
  sawCredential: boolean;
  /** What was asked, `GET /ws/v1/cluster/apps`, oldest first. */
  readonly asked: string[];
  /** The headers of each, in the same order. */
  readonly heard: IncomingMessage['headers'][];
  /** Refuses connections until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function serve(answer: (asked: Asked) => Answer | Promise<Answer>): Promise<DoubleServer> {
  let server: Server | undefined;
  const port = await ownPort();
  const asked: string[] = [];
  const heard: IncomingMessage['headers'][] = [];

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://double');
    asked.push(`${req.method} ${url.pathname}`);
    heard.push(req.headers);
    const { fault } = double;
    if (req.headers.authorization !== undefined) double.sawCredential = true;
    const { credential } = double;
    const isProven = req.headers.authorization === credential && !url.searchParams.has('user.name');
    if (credential !== undefined && !isProven)
      return void res.writeHead(401, { 'www-authenticate': 'Negotiate' }).end('<html>Who is it?</html>');
    if (fault === 'down') return void req.socket.destroy();
    if (fault === 'hang') return;
    if (fault === 'garbage') return void res.writeHead(200).end('<html>Is this JSON?</html>');
    if (fault === 'huge') return sendForEver(res);
    // Unasked, as data nodes do.
    if (req.method === 'PUT') res.writeContinue();
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const {
      status,
      headers,
      body = '',
    } = await answer({
      method: req.method ?? '',
      path: decodeURIComponent(url.pathname),
      query: url.searchParams,
      headers: req.headers,
      body: bytes.toString(),
      bytes,
    });
    const sent = Buffer.from(body);
    res.writeHead(status, { ...headers, 'content-length': String(sent.length) });
    if (fault !== 'cut') return void res.end(sent);
    res.write(sent.subarray(0, Math.floor(sent.length / 2)));
    setImmediate(() => res.destroy());
  }

  async function start(): Promise<void> {
    server = createServer((req, res) => {
      handle(req, res).catch(() => res.destroy());
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  const double: DoubleServer = {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    get host() {
      return `127.0.0.1:${port}`;
    },
    fault: undefined,
    credential: undefined,
    sawCredential: false,
    asked,
    heard,
    start,
    async stop() {
      if (!server?.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  await start();
  return double;
}

function sendForEver(res: ServerResponse): void {
  const piece = Buffer.alloc(1024 * 1024, '"x",');
  let left = 100;
  res.writeHead(200, { 'content-type': 'application/json' }).write('[');
  const more = () => {
    while (left-- > 0) if (!res.write(piece)) return void res.once('drain', more);
    res.end('""]');
  };
  more();
}

export const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** As masters write: every number in quotes. */
export const quoted = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'number' || typeof one === 'bigint' ? String(one) : one,
  ),
});

export const html = (text: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><body>${text}</body></html>`,
});

/** `message` is missing in some of the real ones. */
export const remoteException = (exception: string, status: number, message?: string): Answer =>
  json(
    { RemoteException: { exception, ...(message ? { message } : {}), javaClassName: `x.${exception}` } },
    status,
  );
