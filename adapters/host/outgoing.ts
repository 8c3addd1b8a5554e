import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { owned, type RecyclingReadable } from '../../lib/driver-kit.js';
import type { GatewayResponse } from '../../lib/index.js';

/** Writes what the core answered. A stream that breaks cuts the connection, so that nobody takes a part for the whole. */
export function writeResponse(req: IncomingMessage, res: ServerResponse, answer: GatewayResponse): void {
  const { status, body } = withTrailers(res, answer);
  const headers = besideHosts(res, answer.headers);
  if (res.destroyed) {
    // Nobody is there any more, and newer versions of Node throw at the attempt to pipe.
    if (typeof body !== 'string') body.destroy();
    return;
  }
  if (typeof body === 'string') {
    // All headers at once: one set before would make Node check and keep each of them by itself.
    if (status === 204 || status === 304) res.writeHead(status, headers);
    // The length first: Node takes twice as long to go through an object that was copied and then added to.
    else res.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
    // Node leaves the body out where none may be: HEAD, 204, 304.
    if (writesAsNode(res) && res.end === ServerResponse.prototype.end && body !== '') endAfter(res, body);
    else res.end(body);
    return;
  }
  try {
    res.writeHead(status, headers);
  } catch (error) {
    body.destroy();
    throw error;
  }
  if (req.method === 'HEAD' || status === 204 || status === 304) {
    body.destroy();
    res.end();
    return;
  }
  const whole = arrivedWhole(body, headers['content-length']);
  if (whole) res.end(whole);
  else stream(body, res);
}

/**
 * As `end(body)`, which hands the kernel a list of head with body and of an empty end; this way it is one piece of text, a
 * tenth of what a small answer costs. What Node holds back of a `write`, it lets go with the turn.
 */
function endAfter(res: ServerResponse, body: string): void {
  res.write(body);
  process.nextTick(end, res);
}

const end = (res: ServerResponse) => void res.end();

/** All of a body that says how long it is, where it has come already: as most small ones of proxied answers have. */
function arrivedWhole(body: Readable, length: string | string[] | undefined): Buffer | undefined {
  const { readableLength: here, readableObjectMode, readableEncoding } = body;
  if (here === 0 || String(here) !== length || readableObjectMode || readableEncoding !== null)
    return undefined;
  if (body.destroyed || isRecycling(body)) return undefined;
  const whole: unknown = body.read();
  // To its end, which is what lets go of a connection.
  body.resume();
  return Buffer.isBuffer(whole) ? whole : undefined;
}

/** What the host has said already of frames and types, of all that it serves, stays as it is. */
export function besideHosts(
  res: ServerResponse,
  headers: GatewayResponse['headers'],
): GatewayResponse['headers'] {
  if (!guards.some((name) => res.hasHeader(name))) return headers;
  const said = guards.filter((name) => res.hasHeader(name));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !said.includes(name)));
}

const guards = ['content-security-policy', 'x-frame-options', 'x-content-type-options'];

/**
 * What `pipeline` does, for half of what it costs: neither side outlives the other. Nothing is left to tell the client when
 * one breaks; the core logs why.
 */
function stream(body: Readable, res: ServerResponse): void {
  const cut = () => {
    if (body.readableEnded) return;
    body.destroy();
    res.destroy();
  };
  if (body.destroyed) cut();
  body.on('error', cut).once('close', cut);
  res.on('error', cut).once('close', cut);
  if (isRecycling(body) && writesAsNode(res)) pipeRecycling(body, res);
  else body.pipe(res);
}

/** Not through what a host has put in its place, which may keep what it is given. */
const writesAsNode = ({ write }: ServerResponse): boolean => write === ServerResponse.prototype.write;

const isRecycling = (body: Readable): body is RecyclingReadable =>
  'recycle' in body && typeof body.recycle === 'function';

/**
 * As `pipe`, and gives each chunk back when the kernel has it: half of what a large download costs is memory that is used
 * once. Only into a response of Node's own: one that a host has changed may keep what it is given.
 */
function pipeRecycling(body: RecyclingReadable, res: ServerResponse): void {
  body.on('data', (chunk: Buffer) => {
    const isTaken = res.write(chunk, (error) => {
      if (!error) body.recycle(chunk);
    });
    if (!isTaken) body.pause();
  });
  body.once('end', () => res.end());
  res.on('drain', () => body.resume());
}

/** They go out behind the last byte: whoever pipes the body must not have begun to listen for its end. */
export function withTrailers(res: ServerResponse, answer: GatewayResponse): GatewayResponse {
  const { body, trailers } = answer;
  if (trailers && typeof body !== 'string') body.once('end', () => res.addTrailers(trailers()));
  return answer;
}

/** A request whose client may still be sending. */
export interface SentRequest {
  /** All of the body has come. */
  readonly isRead: boolean;
  /** Reads away what nobody wanted of the body. Resolves when all of it came, too much of it, or the client is gone. */
  discardRest(): Promise<void>;
}

/** Of a refused upload; what comes after it closes the connection. */
export const maxDiscardedBytes = 64 * 1024 * 1024;

/**
 * The answer to a client that is still sending. It goes out whole at once, but ends when the client has sent the rest:
 * closing a connection with unread bytes in it resets it, and the client would lose the answer.
 */
export function lingering(request: SentRequest, answer: GatewayResponse): GatewayResponse {
  const { body, headers } = answer;
  if (request.isRead || body === '') return answer;
  async function* slowly() {
    if (typeof body === 'string') yield body;
    else yield* body;
    await request.discardRest();
  }
  const length = typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  return {
    ...answer,
    headers: { ...headers, ...length },
    body: owned(Readable.from(slowly(), { objectMode: false })),
  };
}
