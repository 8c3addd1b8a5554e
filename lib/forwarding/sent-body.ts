import { Readable } from 'node:stream';
import { BodyAlreadyRead } from '../http/protocol-errors.js';
import type { GatewayRequest } from '../http/request.js';
import { owned } from '../runtime/owned.js';
import { type Headers, passingTrailers } from './headers.js';

/** The body of a request on its way to a target. */
export interface SentBody {
  /** How it is framed. */
  readonly headers: Headers;
  /** Absent for a body of no bytes. */
  readonly stream?: Readable;
  readonly trailers?: () => Readonly<Record<string, string>>;
}

/** `undefined` for a request without one. */
export function sentBody(request: GatewayRequest): SentBody | undefined {
  const { headers, parsedBody } = request;
  const { 'transfer-encoding': chunked, 'content-length': length } = headers;
  if (chunked === undefined && length === undefined) return undefined;
  if (length === '0') return { headers: { 'content-length': '0' } };
  if (parsedBody !== undefined) return writtenAnew(headers['content-type'], parsedBody);
  if (request.body.readableDidRead) throw new BodyAlreadyRead();
  if (chunked === undefined) return { headers: { 'content-length': length ?? '' }, stream: request.body };
  return {
    headers: {
      'transfer-encoding': 'chunked',
      ...(headers.trailer === undefined ? {} : { trailer: headers.trailer }),
    },
    stream: request.body,
    trailers: () => passingTrailers(request.trailers?.() ?? {}),
  };
}

/** A parser of the host has read it. Only of JSON is all that was sent still there. */
function writtenAnew(contentType: string | undefined, parsed: unknown): SentBody {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(contentType ?? '')) throw new BodyAlreadyRead();
  const bytes = Buffer.from(JSON.stringify(parsed));
  return {
    headers: { 'content-length': String(bytes.length), 'content-encoding': 'identity' },
    stream: owned(Readable.from([bytes])),
  };
}
