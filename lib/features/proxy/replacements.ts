import { Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { RE2JS } from 're2js';

interface Replacement {
  readonly matchMime?: string;
  readonly matchUrl?: string;
  readonly matchText: string;
  readonly replaceText: string;
}

/**
 * Replaces text in the bodies of a service on their way, in linear time. `undefined` when nothing is to be replaced in
 * this one. A match lies within one line; of very long lines (minified scripts) within a piece of them, which ends where
 * a statement or an element does.
 */
export function replacing(
  replacements: readonly Replacement[],
  { contentType, path }: { readonly contentType: string; readonly path: string },
): Transform | undefined {
  const encoding = encodingOf(contentType);
  const [mime = ''] = contentType.toLowerCase().split(';', 1);
  const wanted = replacements.filter(
    ({ matchMime, matchUrl }) =>
      (matchMime === undefined ? isText.test(mime.trim()) : mime.trim() === matchMime.toLowerCase()) &&
      (matchUrl === undefined || RE2JS.compile(matchUrl).matcher(path).find()),
  );
  if (wanted.length === 0 || encoding === undefined) return undefined;
  const compiled = wanted.map(({ matchText, replaceText }) => ({
    pattern: RE2JS.compile(matchText),
    replaceText,
  }));
  const replace = (text: string) =>
    compiled.reduce((left, { pattern, replaceText }) => pattern.matcher(left).replaceAll(replaceText), text);
  let rest: Buffer = Buffer.alloc(0);

  async function take(bytes: Buffer, isLast: boolean, push: (chunk: Buffer) => void): Promise<void> {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length > 0) {
      const end = endOfPiece(rest, isLast);
      if (end === 0) return;
      push(Buffer.from(replace(rest.toString(encoding, 0, end)), encoding));
      rest = rest.subarray(end);
      await setImmediate();
    }
  }

  return new Transform({
    transform(chunk: Buffer, _, done) {
      take(chunk, false, (piece) => this.push(piece)).then(() => done(), done);
    },
    flush(done) {
      take(Buffer.alloc(0), true, (piece) => this.push(piece)).then(() => done(), done);
    },
  });
}

const isText = /^(text\/.*|application\/((.+\+)?(json|xml)|(x-)?javascript|ecmascript))$/;

function encodingOf(contentType: string): 'utf8' | 'latin1' | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (/^(utf-?8|us-ascii)$/.test(charset)) return 'utf8';
  return /^(iso-8859-1|latin1)$/.test(charset) ? 'latin1' : undefined;
}

/** Bytes that are looked at in one turn of the event loop. */
const pieceBytes = 32 * 1024;
/** Ends of lines, elements, statements. */
const ends = [10, 62, 59, 125, 44, 32];

/** 0: more has to come first. */
function endOfPiece(bytes: Buffer, isLast: boolean): number {
  if (bytes.length <= pieceBytes && isLast) return bytes.length;
  const from = Math.min(bytes.length, pieceBytes) - 1;
  const line = bytes.lastIndexOf(10, from) + 1;
  if (line > 0) return line;
  if (bytes.length <= pieceBytes) return 0;
  for (const end of ends) {
    const at = bytes.lastIndexOf(end, from) + 1;
    if (at > pieceBytes / 2) return at;
  }
  // Never within a character.
  let at = pieceBytes;
  while (at > pieceBytes - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}
