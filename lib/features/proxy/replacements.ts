import { Transform } from 'node:stream';
import type { Matcher } from 're2js';
import { loadPattern } from '../../formats/load-pattern.js';
import type { Pattern } from '../../formats/pattern.js';
import { type TimeSlice, timeSlice } from '../../runtime/event-loop.js';
import { owned } from '../../runtime/owned.js';

interface Replacement {
  readonly matchMime?: string;
  readonly matchUrl?: string;
  readonly matchText: string;
  readonly replaceText: string;
}

/**
 * Replaces text in the bodies of a service on their way. `undefined` when nothing is to be replaced in this one. A match
 * lies within one line; of very long lines (minified scripts) within a piece of them, and is no longer than half of what a
 * pattern looks at in one go. Others get their turn meanwhile, whatever the patterns are.
 */
export function replacing(
  replacements: readonly Replacement[],
  { contentType, path }: { readonly contentType: string; readonly path: string },
): Transform | undefined {
  const encoding = encodingOf(contentType);
  const [mime = ''] = contentType.toLowerCase().split(';', 1);
  const wanted = replacements.filter(({ matchMime }) =>
    matchMime === undefined ? isText.test(mime.trim()) : mime.trim() === matchMime.toLowerCase(),
  );
  if (wanted.length === 0 || encoding === undefined) return undefined;
  const slice = sliceUntil(() => through.destroyed);
  let compiled: readonly Compiled[] | undefined;
  let rest: Buffer = Buffer.alloc(0);

  async function take(bytes: Buffer, isLast: boolean): Promise<void> {
    compiled ??= await compiledFor(wanted, path, slice);
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length > 0) {
      const end = endOfPiece(rest, isLast);
      if (end === 0) return;
      let text = rest.toString(encoding, 0, end);
      const most = end * mostGrowth + freeGrowth;
      for (const each of compiled) text = await replaced(text, each, most, slice);
      through.push(Buffer.from(text, encoding));
      rest = rest.subarray(end);
      await slice.next();
    }
  }

  const through = owned(
    new Transform({
      transform(chunk: Buffer, _, done) {
        take(chunk, false).then(() => done(), done);
      },
      flush(done) {
        take(Buffer.alloc(0), true).then(() => done(), done);
      },
    }),
  );
  return through;
}

interface Compiled {
  readonly pattern: Pattern;
  readonly replaceText: string;
  /** Characters that are looked at in one go. */
  readonly reach: number;
}

/** Those for this path. */
async function compiledFor(
  replacements: readonly Replacement[],
  path: string,
  slice: TimeSlice,
): Promise<readonly Compiled[]> {
  const compiled: Compiled[] = [];
  for (const { matchUrl, matchText, replaceText } of replacements) {
    await slice.next();
    if (matchUrl !== undefined && !(await isFor(path, matchUrl))) continue;
    await slice.next();
    const pattern = await loadPattern(matchText, where);
    compiled.push({ pattern, replaceText, reach: reachOf(pattern, matchText) });
  }
  return compiled;
}

/** Not for a path that is longer than what the pattern can look at in one go: its end could be meant. */
async function isFor(path: string, matchUrl: string): Promise<boolean> {
  const pattern = await loadPattern(matchUrl, where);
  return path.length <= reachOf(pattern, matchUrl) && pattern.occursIn(path);
}

const reachOf = ({ reach }: Pattern, text: string): number =>
  Math.max(2 * reach, 2 * text.length, leastReach);

/** What stands in a message about a pattern that can't be used. */
const where = 'replaceStrings';

/** Throws when it gets longer than `most` characters. */
async function replaced(
  text: string,
  { pattern, replaceText, reach }: Compiled,
  most: number,
  slice: TimeSlice,
): Promise<string> {
  let done = '';
  let at = 0;
  while (at < text.length) {
    // One more in front: what a match may begin with can depend on it.
    const context = Math.min(at, 1);
    const part = text.slice(at - context, at + reach);
    const isLast = at + reach >= text.length;
    // What begins behind that is looked at with all that follows it.
    const limit = isLast ? part.length : Math.ceil(part.length / 2);
    const matcher = pattern.matcher(part);
    let from = context;
    let isFound = matcher.find(context);
    while (isFound && (isLast || matcher.start() < limit)) {
      done += part.slice(from, matcher.start()) + expanded(replaceText, matcher);
      from = matcher.end();
      if (done.length > most) throw new Error('replaceStrings make far more of a body than there was');
      if (slice.isOver()) await slice.next();
      isFound = matcher.find();
    }
    const until = Math.max(from, limit);
    done += part.slice(from, until);
    at += until - context;
    if (slice.isOver()) await slice.next();
  }
  return done;
}

/** `$1` is the first group, `$&` the match, `$$` a dollar. */
const expanded = (template: string, matcher: Matcher): string =>
  template.replace(/\$(?:([$&])|(\d\d?))/g, (whole, sign: string | undefined, digits = '') => {
    if (sign !== undefined) return sign === '$' ? '$' : (matcher.group() ?? '');
    const length = Number(digits) <= matcher.groupCount() ? digits.length : 1;
    const group = Number(digits.slice(0, length));
    if (group === 0 || group > matcher.groupCount()) return whole;
    return (matcher.group(group) ?? '') + digits.slice(length);
  });

/** Its `next` rejects when nobody waits any more. */
function sliceUntil(isGone: () => boolean): TimeSlice {
  const slice = timeSlice(sliceMillis);
  return {
    isOver: slice.isOver,
    async next() {
      await slice.next();
      if (isGone()) throw new Error('The client has left');
    },
  };
}

/** Of replacing, before others get their turn. */
const sliceMillis = 10;
/** Characters. With the largest pattern that is still some ten milliseconds. */
const leastReach = 256;
/** What becomes of a piece is at most so many times as long, and so many characters more. */
const mostGrowth = 8;
const freeGrowth = 64 * 1024;

const isText = /^(text\/.*|application\/((.+\+)?(json|xml)|(x-)?javascript|ecmascript))$/;

function encodingOf(contentType: string): 'utf8' | 'latin1' | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (/^(utf-?8|us-ascii)$/.test(charset)) return 'utf8';
  return /^(iso-8859-1|latin1)$/.test(charset) ? 'latin1' : undefined;
}

/** Bytes. */
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
