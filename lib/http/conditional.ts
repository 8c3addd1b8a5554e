import { BadRequest, PreconditionFailed } from '../model/errors.js';
import type { GatewayRequest } from './request.js';
import type { Route } from './route.js';

// Conditional requests (RFC 9110, 13). Our etags are strong.

export const quotedEtag = (etag: string): string => `"${etag}"`;

/** The client's `If-Match`, where its operation obeys one. */
export const ifMatchOf = (
  { conditional }: Pick<Route<unknown>, 'conditional'>,
  { headers }: Pick<GatewayRequest, 'headers'>,
): string | undefined => (conditional ? headers['if-match'] : undefined);

/**
 * Throws `PreconditionFailed` unless what is there now (`undefined`: nothing) is what the client's `If-Match` names.
 * Without one anything goes.
 */
export function requireIfMatch(header: string | undefined, etag: string | undefined, what: string): void {
  if (header === undefined) return;
  const wanted = etagsOf(header);
  if (etag === undefined) throw new PreconditionFailed(`${what} does not exist, so If-Match can't hold`);
  if (wanted === '*' || wanted.includes(quotedEtag(etag))) return;
  throw new PreconditionFailed(`${what} was changed since it was read: read it again`, {
    etag: quotedEtag(etag),
  });
}

function etagsOf(header: string): '*' | readonly string[] {
  const text = header.trim();
  if (text === '*') return '*';
  if (!/^(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*$/.test(text)) {
    throw new BadRequest(
      'MALFORMED_IF_MATCH',
      'If-Match is neither * nor a list of entity tags in double quotes',
      [{ path: 'headers.if-match', message: 'not a list of entity tags' }],
    );
  }
  return text.match(/(W\/)?"[^"]*"/g) ?? [];
}

/** With the digest of what it was read from. */
export interface Tagged<T> {
  readonly value: T;
  readonly digest: string;
}

interface Answering {
  readonly setHeader: (name: string, value: string) => void;
}

/** The value; its digest goes into the answer's `ETag`. */
export function withEtag<T>(call: Answering, { value, digest }: Tagged<T>): T {
  setEtag(call, digest);
  return value;
}

export const setEtag = (call: Answering, digest: string): void => call.setHeader('etag', quotedEtag(digest));
