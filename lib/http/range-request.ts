import type { CallerRequest } from '../interfaces/auth.js';
import type { Blob } from '../interfaces/storage.js';
import { quotedEtag } from './conditional.js';
import { RangeNotSatisfiable } from './protocol-errors.js';
import { File } from './reply.js';

interface ByteSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** A blob as a download: whole, or the part of it that the client's `Range` asks for. Throws `RangeNotSatisfiable`. */
export function downloadOf(
  caller: Pick<CallerRequest, 'headers'>,
  blob: Pick<Blob, 'stream'>,
  { name, size, etag }: { readonly name: string; readonly size: number; readonly etag: string },
): File {
  const range = requestedRange(caller, size, etag);
  if (!range) return new File(blob.stream(), name, size, { etag });
  const part = { ...range, of: size };
  return new File(blob.stream(range), name, range.end - range.start, { etag, range: part });
}

/**
 * The part that a client's `Range` asks for; `undefined` is the whole (RFC 9110, 14): also for what is no range of bytes,
 * for several ranges, and when `If-Range` names something else than what is there now.
 */
function requestedRange(
  { headers }: Pick<CallerRequest, 'headers'>,
  size: number,
  etag: string,
): ByteSpan | undefined {
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== quotedEtag(etag)) return undefined;
  const [, first = '', last = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(headers.range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return satisfiable(Math.max(0, size - Number(last)), size, size);
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return satisfiable(Number(first), last === '' ? size : Math.min(Number(last) + 1, size), size);
}

function satisfiable(start: number, end: number, size: number): ByteSpan {
  if (start >= size) throw new RangeNotSatisfiable(size);
  return { start, end };
}
