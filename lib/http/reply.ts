import type { Readable } from 'node:stream';
import type { ZodType } from 'zod';
import { JsonText } from '../formats/json-text.js';
import { owned } from '../runtime/owned.js';
import type { GatewayResponse } from './request.js';

/** What a route answers. The type parameter is what its handler gives. */
export interface Reply<V> {
  readonly kind: 'json' | 'empty' | 'text' | 'file' | 'either' | 'passthrough';
  /** Media types, for the documentation. */
  readonly contentTypes: readonly string[];
  /** Of JSON, also when text may come instead: what tests and clients hold the answer against. Not checked in production. */
  readonly schema?: ZodType<V>;
  encode(value: V): EncodedReply;
}

/** Pieces are taken one a turn of the event loop. */
export type EncodedReply = Omit<GatewayResponse, 'body'> & {
  readonly body: GatewayResponse['body'] | Iterable<string>;
};

/** Exactly `application/json`, without a charset: JSON is UTF-8. */
export const jsonHeaders = { 'content-type': 'application/json' };

export const json = <V>(schema: ZodType<V>): Reply<V> => ({
  kind: 'json',
  contentTypes: ['application/json'],
  schema,
  encode: (value) => ({ status: 200, headers: jsonHeaders, body: JSON.stringify(value) }),
});

/** An object written member by member, and lists item by item, so that a large one does not hold up the host's event loop. */
export const jsonObject = <V extends Readonly<Record<string, unknown>>>(schema: ZodType<V>): Reply<V> => ({
  kind: 'json',
  contentTypes: ['application/json'],
  schema,
  encode: (value) => ({ status: 200, headers: jsonHeaders, body: shortText(value) ?? objectText(value) }),
});

/** Pieces of about this many characters; longer only when one member, or one item, is. */
const pieceLength = 64 * 1024;

/** What needs no escapes in JSON. */
const plain = /^\w*$/;

/** At once, where that takes no time: of texts that are there already. */
function shortText(value: Readonly<Record<string, unknown>>): string | undefined {
  let before = '{';
  let text = '';
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (!(member instanceof JsonText)) return undefined;
    text += `${before}${plain.test(name) ? `"${name}"` : JSON.stringify(name)}:${member.text}`;
    if (text.length > pieceLength) return undefined;
    before = ',';
  }
  return text === '' ? '{}' : `${text}}`;
}

function* objectText(value: Readonly<Record<string, unknown>>): Iterable<string> {
  let piece = '';
  for (const text of partsOf(value)) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* partsOf(value: Readonly<Record<string, unknown>>): Iterable<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    yield `${before}${JSON.stringify(name)}:`;
    if (Array.isArray(member)) yield* listText(member);
    else yield member instanceof JsonText ? member.text : JSON.stringify(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* listText(items: readonly unknown[]): Iterable<string> {
  let before = '[';
  for (const item of items) {
    yield `${before}${JSON.stringify(item)}`;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Operations that list no response answer `{}`. */
export const empty: Reply<void> = {
  kind: 'empty',
  contentTypes: ['application/json'],
  encode: () => ({ status: 200, headers: jsonHeaders, body: '{}' }),
};

/** Plain text, whole or as it comes. */
export class Text {
  constructor(
    readonly content: string | Readable,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    // It may be a driver's own.
    if (typeof content !== 'string') owned(content);
  }
}

export const text = (contentType = 'text/plain; charset=utf-8'): Reply<Text> => ({
  kind: 'text',
  contentTypes: [contentType],
  encode: ({ content, headers }) => ({
    status: 200,
    headers: { 'content-type': contentType, 'x-content-type-options': 'nosniff', ...headers },
    body: content,
  }),
});

/** A download. */
export class File {
  constructor(
    readonly content: Readable,
    readonly name: string,
    /** Bytes of `content`. */
    readonly size: number,
    readonly more: {
      readonly etag?: string;
      /** The part of the whole that `content` is. */
      readonly range?: { readonly start: number; readonly end: number; readonly of: number };
    } = {},
  ) {
    // It may be a storage's own.
    owned(content);
  }
}

export const file = (contentType: string): Reply<File> => ({
  kind: 'file',
  contentTypes: [contentType],
  encode: ({ content, name, size, more: { etag, range } }) => ({
    status: range ? 206 : 200,
    headers: {
      'content-type': contentType,
      'content-length': String(size),
      'content-disposition': disposition(name),
      'accept-ranges': 'bytes',
      ...(etag === undefined ? {} : { etag: `"${etag}"` }),
      ...(range ? { 'content-range': `bytes ${range.start}-${range.end - 1}/${range.of}` } : {}),
    },
    body: content,
  }),
});

/** Text or JSON, as the handler decides: logs, by `includeOffset`. */
export const either = <V>(first: Reply<Text>, second: Reply<V>): Reply<Text | V> => ({
  kind: 'either',
  contentTypes: [...first.contentTypes, ...second.contentTypes],
  ...(second.schema ? { schema: second.schema } : {}),
  encode: (value) => (value instanceof Text ? first.encode(value) : second.encode(value)),
});

/** What the other side of a proxy answered. */
export const passthrough: Reply<GatewayResponse> = {
  kind: 'passthrough',
  contentTypes: ['*/*'],
  encode: (response) => response,
};

/** `content-disposition` of a download: the quoted form for old clients, RFC 5987 for the rest. No form holds a path. */
export function disposition(name: string): string {
  const wellFormed = name.replace(/\p{Surrogate}/gu, '\ufffd');
  const plain = wellFormed.replace(/[^\x20-\x7e]|["\\/]/g, '_');
  const encoded = encodeURIComponent(wellFormed).replace(/['()*]/g, percent);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
