import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ClientHungUp, owned } from '../../lib/driver-kit.js';
import type { GatewayRequest } from '../../lib/index.js';
import { authority } from './mount.js';
import { maxDiscardedBytes, type SentRequest } from './outgoing.js';

/** What a host's framework adds to Node's own objects. */
interface HostView {
  /** Without the prefix. */
  readonly url: string;
  /** The target of the request before the host's framework took anything off it, where it did. */
  readonly originalUrl?: string | undefined;
  /** For the host's authenticator. */
  readonly raw: unknown;
  /** Where the host's body parsers leave their result; set also by some that did not read the body. */
  readonly parsedBody: unknown;
}

/**
 * Node's request as the core wants it. Signal and body are made when somebody asks for them; in a class, because a getter
 * in a literal makes V8 a new shape for each request.
 */
export class NodeRequest implements GatewayRequest, SentRequest {
  readonly method: string;
  readonly url: string;
  readonly prefix: string;
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
  /** Read before Node has seen its end. */
  #arrived = false;

  constructor(req: IncomingMessage, res: ServerResponse, host: HostView) {
    // Express 4 says `{}` for a body that nobody read; the stream knows better.
    const parsed = req.readableDidRead ? host.parsedBody : undefined;
    this.#req = req;
    this.#res = res;
    this.#bytes = parsed instanceof Uint8Array ? parsed : undefined;
    this.method = req.method ?? 'GET';
    this.url = host.url;
    this.prefix = prefixOf(host.originalUrl ?? req.url ?? '', host.url);
    this.headers = this.#bytes ? headersOfBytes(req.headers, this.#bytes) : req.headers;
    this.remoteAddress = req.socket.remoteAddress ?? '';
    this.raw = host.raw;
    this.parsedBody = this.#bytes ? undefined : parsed;
  }

  get isSecure(): boolean {
    return 'encrypted' in this.#req.socket;
  }

  get isRead(): boolean {
    return this.#arrived || this.#req.complete;
  }

  trailers(): NodeJS.Dict<string> {
    return this.#req.trailers;
  }

  get signal(): AbortSignal {
    this.#signal ??= hangUpOf(this.#res);
    return this.#signal;
  }

  onHangUp(gone: () => void): () => void {
    return whenHungUp(this.#res, gone);
  }

  get body(): Readable {
    this.#body ??= this.#bytes
      ? owned(Readable.from([this.#bytes]))
      : this.#req.readableDidRead
        ? this.#req
        : bodyOf(this.#req, this.#res);
    return this.#body;
  }

  arrivedBody(): Buffer | undefined {
    const req = this.#req;
    const isHere = req.readableLength > 0 && req.readableLength === Number(req.headers['content-length']);
    if (!isHere || req.readableDidRead || this.#body) return undefined;
    const body: unknown = req.read();
    // To its end, which makes room for the next request.
    req.resume();
    this.#arrived = true;
    return Buffer.isBuffer(body) ? body : undefined;
  }

  discardRest(): Promise<void> {
    if (this.#body !== this.#req) this.#body?.destroy();
    return discardRest(this.#req, this.#res);
  }
}

/** What is left of the whole when the end is taken off; an absolute target has a front that is not part of it. */
function prefixOf(whole: string, url: string): string {
  if (whole === url || !whole.endsWith(url)) return '';
  return whole.slice(0, -url.length).replace(authority, '');
}

/** A parser has joined and inflated the body. */
function headersOfBytes(headers: IncomingHttpHeaders, bytes: Uint8Array): IncomingHttpHeaders {
  const { 'transfer-encoding': _, 'content-encoding': __, ...rest } = headers;
  return { ...rest, 'content-length': String(bytes.length) };
}

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
  whenHungUp(res, () => controller.abort());
  return controller.signal;
}

/** Calls `gone` when the connection closes before the answer was sent whole; returns what takes that back. */
function whenHungUp(res: ServerResponse, gone: () => void): () => void {
  const onClose = () => {
    if (!res.writableFinished) gone();
  };
  if (res.closed) onClose();
  else res.once('close', onClose);
  return () => res.off('close', onClose);
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
  const body = owned(
    new Readable({
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
    }),
  );
  if (req.destroyed) onClose();
  else req.on('end', onEnd).on('close', onClose);
  res.once('close', onAnswered);
  return body;
}
