import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { answerText, callFailure, Silence } from './http-call.js';
import { owned } from './owned.js';
import { createAborts } from './shared-aborts.js';

export interface HttpCall {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is read as fast as the other side takes it, and destroyed when that fails; it is not sent twice. */
  readonly body?: string | Uint8Array | Readable;
  readonly signal?: AbortSignal | undefined;
  /** Names the other side in errors. */
  readonly what: string;
}

/** Redirects are answers too: who follows them decides where to. */
export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
}

export interface HttpStream {
  readonly status: number;
  header(name: string): string | undefined;
  /** Of which nothing is wanted: for `destroy`. */
  readonly body: Readable;
  /** What comes, to be read once; rejects as the client does. */
  pieces(): AsyncIterable<Buffer>;
}

/** Rejects with `Unreachable`, `TimedOut`, `UnusableAnswer`, or the reason of the signal. */
export interface HttpClient {
  ask(url: string, call: HttpCall): Promise<HttpAnswer>;
  open(url: string, call: HttpCall): Promise<HttpStream>;
  /** Its connections, for calls that somebody else makes. */
  agent(url: URL): Agent;
  /** Ends its connections; calls that are under way fail. */
  close(): void;
}

interface HttpLimits {
  /** Connections to one address; calls beyond wait for one. */
  readonly connections: number;
  /** Until the answer begins, between two pieces of it, and between two of a stream that is sent, milliseconds. */
  readonly timeoutMillis: number;
  /** Of one answer that is held as a whole, bytes. */
  readonly answerBytes: number;
  readonly tls?: TlsOptions | undefined;
}

/** For connections over TLS: texts in PEM. */
export interface TlsOptions {
  /** Who may have signed the cluster's certificates. Default: who Node trusts. */
  readonly ca?: string | readonly string[];
  /** What the gateway shows to those that ask for a certificate. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Connections of one kind, apart from others: those that hang take no place from calls to somebody else. Of Node itself,
 * because data nodes send `100 Continue` without being asked, which undici takes for an error.
 */
export function createHttpClient({ connections, timeoutMillis, answerBytes, tls }: HttpLimits): HttpClient {
  const pool = { keepAlive: true, maxSockets: connections, maxFreeSockets: 2 };
  const { ca, ...own } = tls ?? {};
  const trust = ca === undefined ? own : { ...own, ca: typeof ca === 'string' ? ca : [...ca] };
  const agents = { 'http:': new Agent(pool), 'https:': new SecureAgent({ ...pool, ...trust }) };
  let isClosed = false;
  const aborts = createAborts();
  const underWay = new Set<ClientRequest>();

  function send(
    url: URL,
    { method = 'GET', headers = {}, body, signal }: HttpCall,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const options = { method, headers };
      const req = isSecure
        ? owned(requestHttps(url, { ...options, agent: agents['https:'] }))
        : owned(requestHttp(url, { ...options, agent: agents['http:'] }));
      underWay.add(req);
      const forget = signal ? aborts.on(signal, () => req.destroy()) : () => {};
      const waiting = setTimeout(() => req.destroy(new Silence()), timeoutMillis);
      req.once('close', () => {
        clearTimeout(waiting);
        forget();
        underWay.delete(req);
      });
      req.on('error', (error) => {
        // A connection that was kept may be closed by the other side at the moment it is used again.
        const isStale =
          !isClosed &&
          req.reusedSocket &&
          method === 'GET' &&
          !(error instanceof Silence) &&
          !signal?.aborted;
        if (isStale) send(url, { method, headers, signal, what: '' }).then(resolve, reject);
        else reject(error);
      });
      req.once('response', (res) => {
        clearTimeout(waiting);
        endInSilence(res, timeoutMillis);
        resolve(res);
      });
      if (body instanceof Readable) sendStream(body, req, waiting);
      else req.end(body);
    });
  }

  async function open(url: string, call: HttpCall): Promise<HttpStream> {
    call.signal?.throwIfAborted();
    try {
      const body = await send(new URL(url), call);
      // Who gives an answer up destroys it, and must not hear of that as an error that nobody caught.
      body.on('error', () => {});
      return {
        status: body.statusCode ?? 0,
        header: (name) => headerOf(body, name),
        body,
        pieces: () => piecesOf(body, call),
      };
    } catch (error) {
      throw callFailure(error, call);
    }
  }

  return {
    open,
    agent: ({ protocol }) => (protocol === 'https:' ? agents['https:'] : agents['http:']),
    async ask(url, call) {
      const { status, header, pieces } = await open(url, call);
      return { status, header, text: await answerText(pieces(), answerBytes, call.what) };
    },
    close() {
      isClosed = true;
      for (const req of underWay) req.destroy();
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Each piece that the other side takes is a sign of life. */
function sendStream(body: Readable, req: ClientRequest, waiting: NodeJS.Timeout): void {
  const taken = () => waiting.refresh();
  const done = () => body.off('data', taken);
  body.on('data', taken);
  req.once('response', done).once('close', done);
  pipeline(body, req, (error) => error && req.destroy(error));
}

/** Not while its reader is the one who waits. */
function endInSilence(res: IncomingMessage, millis: number): void {
  const { socket } = res;
  const onTimeout = () => {
    if (res.readableLength < res.readableHighWaterMark) res.destroy(new Silence());
  };
  socket.setTimeout(millis, onTimeout);
  res.once('close', () => {
    socket.off('timeout', onTimeout).setTimeout(0);
  });
}

async function* piecesOf(body: Readable, call: HttpCall): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield Buffer.from(chunk);
  } catch (error) {
    throw callFailure(error, call);
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
