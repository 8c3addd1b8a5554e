import type { Readable } from 'node:stream';
import type { ZodType } from 'zod';
import {
  checkParsed,
  defaultJsonLimits,
  parseJson,
  parseKeeping,
  readBytes,
  textOf,
} from '../formats/json.js';
import { TooLarge } from '../model/errors.js';
import { fileOfForm, formType, isForm, type SentUpload, sentFileName } from './form-file.js';
import { BodyAlreadyRead, UnsupportedBody } from './protocol-errors.js';
import type { GatewayRequest } from './request.js';
import { check } from './validate.js';

/** What a route takes as its body. Its handler gets a `B`; a client sends a `Sent`. */
export interface Body<B, Sent = unknown> {
  readonly kind: 'json' | 'raw' | 'text' | 'whole';
  /** Accepted media types; `*` takes any. A missing content type is accepted. */
  readonly contentTypes: readonly string[];
  /** Of a JSON body, for the documentation. */
  readonly schema?: ZodType<unknown, Sent>;
  readonly optional: boolean;
  /** The part of a `B` that `schema` describes. Default: all of it. */
  described?(body: B): unknown;
  read(request: GatewayRequest): Promise<B>;
}

/** What a client may send where a stream of bytes is taken. */
export type Upload = string | Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

const jsonTypes: readonly string[] = ['application/json'];

/**
 * Where names are given values one by one, as properties are. The values are counted before any is looked at: each wrong
 * one costs a message, in all forms that it might have had.
 */
export const fewValues = { maxValues: 2_000 };

/** Refused before parsing: too large, too deep, not `application/json`. */
export function jsonBody<B, Sent>(
  schema: ZodType<B, Sent>,
  options: { maxBytes?: number; maxValues?: number; optional?: boolean } = {},
): Body<B, Sent> {
  const { maxBytes, maxValues } = { ...defaultJsonLimits, ...options };
  const { optional = false } = options;
  const limits = { ...defaultJsonLimits, maxBytes, maxValues };
  return {
    kind: 'json',
    contentTypes: jsonTypes,
    schema,
    optional,
    async read(request) {
      if (hasBody(request)) requireType(request, jsonTypes);
      requireSize(request, maxBytes);
      if (request.parsedBody !== undefined) {
        return check(schema, checkParsed(orUndefined(request, optional), limits), 'body');
      }
      const text = isEmpty(request) ? '' : textOf(await bytesOf(request, maxBytes));
      return check(schema, text === '' && optional ? undefined : parseJson(text, limits), 'body');
    },
  };
}

/** A JSON value that is kept as it was sent: numbers of 64 bits and the order of keys survive. */
export interface SentJson<B> {
  readonly value: B;
  readonly text: string;
}

/** Checked as by `jsonBody`; the handler gets the text too, written anew where the host has parsed it. */
export function sentJsonBody<B, Sent>(schema: ZodType<B, Sent>): Body<SentJson<B>, Sent> {
  const { maxBytes } = defaultJsonLimits;
  return {
    kind: 'json',
    contentTypes: jsonTypes,
    schema,
    optional: false,
    described: ({ value }) => value,
    async read(request) {
      if (hasBody(request)) requireType(request, jsonTypes);
      requireSize(request, maxBytes);
      const { parsedBody } = request;
      const text = parsedBody === undefined ? textOf(await bytesOf(request, maxBytes)) : undefined;
      const sent =
        text === undefined ? checkParsed(parsedBody, defaultJsonLimits) : parseJson(text, defaultJsonLimits);
      return { value: check(schema, sent, 'body'), text: text ?? JSON.stringify(parsedBody) };
    },
  };
}

/** An object whose `member` may be any JSON: the handler gets it as `JsonText`, or parsed where the host has parsed it. */
export function jsonBodyKeeping<B, Sent>(
  member: string,
  schema: ZodType<B, Sent>,
  { maxBytes }: { maxBytes: number },
): Body<B, Sent> {
  const limits = { ...defaultJsonLimits, maxBytes };
  return {
    ...jsonBody(schema, { maxBytes }),
    async read(request) {
      requireType(request, jsonTypes);
      requireSize(request, maxBytes);
      if (request.parsedBody !== undefined) {
        return check(schema, checkParsed(request.parsedBody, limits), 'body');
      }
      const bytes = isEmpty(request) ? Buffer.alloc(0) : await bytesOf(request, maxBytes);
      return check(schema, parseKeeping(bytes, member, limits), 'body');
    },
  };
}

/** The unread stream; the handler limits and consumes it. */
export function rawBody(...contentTypes: string[]): Body<Readable, Upload> {
  return {
    kind: 'raw',
    contentTypes,
    optional: false,
    async read(request) {
      requireType(request, contentTypes);
      if (request.parsedBody !== undefined) throw new BodyAlreadyRead();
      return unread(request);
    },
  };
}

/** A file of any type: the unread stream, or the file of the form in it. */
export function uploadBody(): Body<SentUpload, Upload> {
  const raw = rawBody('*', formType);
  const { kind, contentTypes, optional } = raw;
  return {
    ...{ kind, contentTypes, optional },
    async read(request) {
      const content = await raw.read(request);
      if (isForm(request.headers)) return fileOfForm(content, request.headers);
      const name = sentFileName(request.headers);
      return { content, ...(name === undefined ? {} : { name }) };
    },
  };
}

/** The request itself, its body unread and of any type: what a proxy sends on. The only one that GET may have. */
export const wholeRequest: Body<GatewayRequest, Upload | undefined> = {
  kind: 'whole',
  contentTypes: ['*'],
  optional: true,
  read: async (request) => request,
};

/** The whole body as text. */
export function textBody(options: {
  maxBytes: number;
  contentTypes: readonly string[];
}): Body<string, string> {
  return {
    kind: 'text',
    contentTypes: options.contentTypes,
    optional: false,
    async read(request) {
      requireType(request, options.contentTypes);
      requireSize(request, options.maxBytes);
      if (typeof request.parsedBody === 'string') return request.parsedBody;
      if (request.parsedBody !== undefined) throw new BodyAlreadyRead();
      return textOf(await bytesOf(request, options.maxBytes));
    },
  };
}

/** Bytes that the client says it sends; 0 where it does not say so. */
const declaredBytes = ({ headers }: Pick<GatewayRequest, 'headers'>): number =>
  Number(headers['content-length'] ?? 0);

/** The same of `uploadBody`: a form is longer than its file. */
export const declaredFileBytes = (request: Pick<GatewayRequest, 'headers'>): number =>
  isForm(request.headers) ? 0 : declaredBytes(request);

const hasBody = (request: GatewayRequest) =>
  request.headers['transfer-encoding'] !== undefined || declaredBytes(request) > 0;

/** Somebody may have looked at a body of no bytes before; that does not matter. */
const isEmpty = (request: GatewayRequest) => request.headers['content-length'] === '0';

/** Body parsers say `{}` where there was nothing. */
const orUndefined = (request: GatewayRequest, optional: boolean): unknown =>
  optional && !hasBody(request) ? undefined : request.parsedBody;

/** A parsed body is a drained stream: reading it again would wait for ever. */
function unread(request: GatewayRequest): Readable {
  if (request.body.readableEnded || request.body.readableDidRead) throw new BodyAlreadyRead();
  return request.body;
}

/** Not by a promise where all of it has come: one costs each small request a turn of the queue. */
function bytesOf(request: GatewayRequest, maxBytes: number): Promise<Buffer> | Buffer {
  const arrived = request.arrivedBody?.();
  if (arrived === undefined) return readBytes(unread(request), maxBytes);
  if (arrived.length > maxBytes) throw new TooLarge('The body', maxBytes);
  return arrived;
}

function requireType(request: GatewayRequest, accepted: readonly string[]): void {
  const encoding = request.headers['content-encoding'];
  // A host's parser inflates; we don't, because a small body could become a large one.
  if (encoding !== undefined && encoding !== 'identity' && request.parsedBody === undefined) {
    throw new UnsupportedBody(`a body in ${encoding}`, ['it without content-encoding']);
  }
  const sent = request.headers['content-type'];
  if (sent === undefined || accepted.includes('*')) return;
  const mediaType = sent.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!accepted.includes(mediaType)) throw new UnsupportedBody(mediaType, accepted);
}

/** A body that says that it is too large need not be read to find out. */
function requireSize(request: GatewayRequest, maxBytes: number): void {
  if (declaredBytes(request) > maxBytes) throw new TooLarge('The body', maxBytes);
}
