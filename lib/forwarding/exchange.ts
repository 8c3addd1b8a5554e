import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { onHangUp, type Waiting } from '../http/hang-up.js';
import { TimedOut, Unreachable, UnusableAnswer } from '../model/errors.js';
import { Silence } from '../runtime/http-call.js';
import { owned } from '../runtime/owned.js';
import type { Headers } from './headers.js';

/** Milliseconds. */
export interface ForwardLimits {
  /** For a connection. Default: 5 s. */
  readonly connectMillis: number;
  /** From the end of the request to the begin of the answer. Default: 60 s. */
  readonly answerMillis: number;
  /** While request or answer are under way: without a byte in either direction. Default: 2 min. */
  readonly idleMillis: number;
}

interface Outgoing {
  readonly method: string;
  readonly base: URL;
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly agent: Agent | undefined;
  /** Not touched before there is a connection. */
  readonly body: Readable | undefined;
  /** Asked when the body has ended. */
  readonly trailers: (() => Readonly<Record<string, string>>) | undefined;
  readonly client: Waiting;
  /** Names the target in errors. */
  readonly what: string;
  readonly limits: ForwardLimits;
  /** Whether it asks for another protocol. */
  readonly isUpgrade?: boolean;
}

/** The beginning of an answer. */
export interface ExchangeAnswer {
  readonly answer: IncomingMessage;
  /** The connection, when it changed to another protocol. */
  readonly socket?: Duplex;
}

/** The target heard nothing of the request, or nothing came of it: it may be sent again. */
export class MaySendAgain extends Unreachable {}

/**
 * Sends one request and resolves the beginning of the answer, whatever its status. The body goes out as it comes, at the
 * target's pace, also after the answer has begun. Rejects with `MaySendAgain`, `Unreachable`, `TimedOut`, `UnusableAnswer`,
 * or the reason of the signal. Of Node's own client: it knows trailers and answers that come before the request has ended,
 * and takes the unasked `100 Continue` of Hadoop's servers for what it is, where undici ends the connection.
 */
export function exchange(outgoing: Outgoing): Promise<ExchangeAnswer> {
  return new Promise((resolve, reject) => {
    const { client, body, limits } = outgoing;
    const req = requestOf(outgoing);
    let isConnected = false;
    let isAnswered = false;
    const giveUp = () => {
      req.destroy(new Silence());
    };
    let timer: NodeJS.Timeout | undefined;
    // A kept connection that is free is there by then, and needs no clock.
    process.nextTick(() => {
      if (!isConnected && !req.destroyed) timer = setTimeout(giveUp, limits.connectMillis);
    });

    const onConnected = () => {
      isConnected = true;
      clearTimeout(timer);
      req.setTimeout(limits.idleMillis, giveUp);
      if (body) sendBody(req, body, outgoing.trailers);
      else req.end();
    };
    req.once('socket', (socket) => {
      // A connection over TLS is there when its handshake is.
      const ready = outgoing.base.protocol === 'https:' ? 'secureConnect' : 'connect';
      if (socket.connecting) socket.once(ready, onConnected);
      else onConnected();
    });
    req.once('finish', () => {
      // Some answer before they have heard everything: from then on only silence counts.
      if (isAnswered) return;
      clearTimeout(timer);
      timer = setTimeout(giveUp, limits.answerMillis);
    });
    req.once('response', (res) => {
      isAnswered = true;
      clearTimeout(timer);
      // Whoever reads it hears of that; whoever has left does not need to.
      res.on('error', () => {});
      resolve({ answer: res });
    });
    if (outgoing.isUpgrade) {
      req.once('upgrade', (answer, socket, head) => {
        isAnswered = true;
        socket.setTimeout(0);
        // Silence is allowed, but a side that has vanished must be noticed.
        socket.setKeepAlive(true, 30_000);
        socket.on('error', () => {});
        // What came with the answer is the first of the other protocol.
        if (head.length > 0) socket.unshift(head);
        resolve({ answer, socket });
      });
    }
    req.on('error', (error) => {
      if (!isAnswered) reject(failure(error, outgoing, req, isConnected));
    });
    req.once('close', () => {
      clearTimeout(timer);
      forget();
      // An error that nobody hears of costs more than all the rest of this.
      if (!isAnswered) reject(failure(new Error('closed'), outgoing, req, isConnected));
    });
    const forget = onHangUp(client, () => req.destroy());
  });
}

function requestOf({ method, base, path, headers, agent }: Outgoing): ClientRequest {
  const port = base.port === '' ? undefined : Number(base.port);
  // An address of IPv6 stands in brackets in a URL, and nowhere else.
  const hostname = base.hostname.replace(/^\[|\]$/g, '');
  const options = {
    hostname,
    method,
    path,
    headers: listed(base.host, headers),
    ...(port === undefined ? {} : { port }),
    ...(agent ? { agent } : { agent: false }),
  };
  return owned(base.protocol === 'https:' ? requestHttps(options) : requestHttp(options));
}

/** Name, value, name, value: Node writes them as they are, where an object is checked and kept name by name. */
function listed(host: string, headers: Headers): string[] {
  const list = headers['host'] === undefined ? ['host', host] : [];
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) for (const one of value) list.push(name, one);
    else if (value !== undefined) list.push(name, value);
  }
  return list;
}

function sendBody(req: ClientRequest, body: Readable, trailers: Outgoing['trailers']): void {
  // Before the pipeline's own listener, which ends the request.
  if (trailers) body.once('end', () => req.addTrailers(trailers()));
  pipeline(body, req, () => {
    // An error is one of the request, told there; after the answer nobody needs the rest.
  });
}

function failure(
  error: Error,
  { client: { signal }, what, method }: Outgoing,
  { reusedSocket }: ClientRequest,
  isConnected: boolean,
): unknown {
  if (signal.aborted) return signal.reason;
  if (!isConnected) return error instanceof Silence ? new TimedOut(what) : new MaySendAgain(what, error);
  if (error instanceof Silence) return new TimedOut(what);
  // A connection that was kept may be closed by the other side at the moment it is used again.
  const isClosed = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  if (reusedSocket && isClosed && (method === 'GET' || method === 'HEAD'))
    return new MaySendAgain(what, error);
  const isNoHttp = 'code' in error && String(error.code).startsWith('HPE_');
  return isNoHttp
    ? new UnusableAnswer(what, 'answered with something that is not HTTP', { cause: error })
    : new UnusableAnswer(what, 'ended the connection instead of answering', { cause: error });
}
