import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ClientHungUp, type GatewayRequest } from '../../lib/index.js';

/** What a host's framework adds to Node's own objects. */
export interface HostView {
  /** Without the prefix. */
  readonly url: string;
  /** For the host's authenticator. */
  readonly raw: unknown;
  /** Where the host's body parsers leave their result; set also by some that did not read the body. */
  readonly parsedBody: unknown;
}

export interface IncomingRequest extends GatewayRequest {
  /** Reads away what nobody wanted of the body. Resolves when all of it came, too much of it, or the client is gone. */
  discardRest(): Promise<void>;
}

/**
 * Node's request as the core wants it. Signal and body are made when somebody asks for them; in a class, because a getter
 * in a literal makes V8 a new shape for each request.
 */
export class NodeRequest implements IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly raw: unknown;
  readonly parsedBody: unknown;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  /** The body as bytes, where a parser of the host has read it so. */
  readonly #bytes: Uint8Array | undefined;
  #signal: AbortSignal | undefined;
  #body: Readable | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, host: HostView) {
    // Express 4 says `{}` for a body that nobody read; the stream knows better.
    const parsed = req.readableDidRead ? host.parsedBody : undefined;
    this.#req = req;
    this.#res = res;
    this.#bytes = parsed instanceof Uint8Array ? parsed : undefined;
    this.method = req.method ?? 'GET';
    this.url = host.url;
    this.headers = req.headers;
    this.remoteAddress = req.socket.remoteAddress ?? '';
    this.raw = host.raw;
    this.parsedBody = this.#bytes ? undefined : parsed;
  }

  get signal(): AbortSignal {
    this.#signal ??= hangUpOf(this.#res);
    return this.#signal;
  }

  get body(): Readable {
    this.#body ??= this.#bytes
      ? Readable.from([this.#bytes])
      : this.#req.readableDidRead
        ? this.#req
        : bodyOf(this.#req, this.#res);
    return this.#body;
  }

  discardRest(): Promise<void> {
    if (this.#body !== this.#req) this.#body?.destroy();
    return discardRest(this.#req, this.#res);
  }
}

/** Of a refused upload; what comes after it closes the connection. */
const maxDiscardedBytes = 64 * 1024 * 1024;

function discardRest(req: IncomingMessage, res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    let left = maxDiscardedBytes;
    const done = () => {
      req.off('data', count).off('end', done).off('close', done);
      resolve();
    };
    const count = (chunk: Buffer) => {
      left -= chunk.length;
      if (left >= 0) return;
      res.once('finish', () => req.destroy());
      done();
    };
    if (req.readableEnded || req.destroyed) resolve();
    else req.on('data', count).on('end', done).on('close', done).resume();
  });
}

/** Aborted when the connection closes before the answer was sent whole. */
function hangUpOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const onClose = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed) onClose();
  else res.once('close', onClose);
  return controller.signal;
}

/**
 * The body, cut loose from the connection: destroying a request of Node's closes its socket, and the client would never
 * read why its upload was refused. What is left of a destroyed body is read away.
 */
function bodyOf(req: IncomingMessage, res: ServerResponse): Readable {
  const onData = (chunk: Buffer) => {
    if (!body.push(chunk)) req.pause();
  };
  const onEnd = () => body.push(null);
  const onClose = () => {
    if (!req.readableEnded) body.destroy(new ClientHungUp());
  };
  const onAnswered = () => body.destroy(res.writableFinished ? undefined : new ClientHungUp());
  const body = new Readable({
    read() {
      if (req.listeners('data').includes(onData)) req.resume();
      else req.on('data', onData);
    },
    destroy(error, done) {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      res.off('close', onAnswered);
      req.resume();
      done(error);
    },
  });
  if (req.destroyed) onClose();
  else req.on('end', onEnd).on('close', onClose);
  res.once('close', onAnswered);
  return body;
}
