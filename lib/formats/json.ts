import { isAscii } from 'node:buffer';
import type { Readable } from 'node:stream';
import { BadRequest, ClientHungUp, TooLarge } from '../model/errors.js';
import { findMembers } from './json-scan.js';
import { JsonText } from './json-text.js';

export interface JsonLimits {
  /** Bytes. */
  readonly maxBytes: number;
  /** Levels of objects and arrays. */
  readonly maxDepth: number;
  /** Values, at all levels together: parsing, checking and what comes after that take some microseconds for each. */
  readonly maxValues: number;
}

export const defaultJsonLimits: JsonLimits = { maxBytes: 1024 * 1024, maxDepth: 64, maxValues: 10_000 };

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function textOf(bytes: Buffer): string {
  // Most bodies: the decoder takes several times as long.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadRequest('MALFORMED_JSON', 'The body is not UTF-8 text', [
      { path: 'body', message: 'not UTF-8' },
    ]);
  }
}

/** By events, which cost a third of what an async iterator does. What is left of a refused body is its owner's. */
export function readBytes(body: Readable, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: unknown) => {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      size += bytes.length;
      chunks.push(bytes);
      if (size > maxBytes) stop(new TooLarge('The body', maxBytes));
    };
    const onEnd = () => {
      stop();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const stop = (error?: unknown) => {
      body.off('data', onData).off('end', onEnd).off('error', stop).off('close', onClose);
      if (error !== undefined) {
        body.destroy();
        reject(error);
      }
    };
    const onClose = () => stop(body.errored ?? new ClientHungUp());
    body.on('data', onData).on('end', onEnd).on('error', stop).on('close', onClose);
  });
}

/**
 * Parses JSON from a client. The depth is found before parsing, because every recursive reader (JSON.stringify,
 * structuredClone, zod) overflows the stack on deep values. Keys that reach for prototypes are refused.
 */
export function parseJson(text: string, limits: JsonLimits): unknown {
  const { depth, values } = sizeOf(text, limits);
  if (depth > limits.maxDepth) throw tooDeep(limits.maxDepth);
  if (values > limits.maxValues) throw tooMany(limits.maxValues);
  if (holdsPrototypeKey(text)) throw prototypeKey('__proto__');
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'unreadable';
    const position = /position (\d+)/.exec(message)?.[1];
    throw new BadRequest('MALFORMED_JSON', `The body is not JSON: ${message}`, [
      { path: 'body', message: position === undefined ? 'not JSON' : `not JSON at character ${position}` },
    ]);
  }
}

/**
 * An object of which only one member matters, and that as the text that was sent: it costs no parsing whatever its
 * shape, and numbers of 64 bits survive. Anything else is parsed by `parseJson`, which says what is wrong with it.
 */
export function parseKeeping(bytes: Buffer, member: string, limits: JsonLimits): unknown {
  const text = textOf(bytes);
  const found = findMembers(bytes, [Buffer.from(member)], limits.maxDepth);
  if (found === undefined) return parseJson(text, limits);
  if (holdsPrototypeKey(text)) throw prototypeKey('__proto__');
  const [span] = found;
  if (span === undefined) return {};
  // In ASCII each byte is a character, and what is there need not be made again.
  const isSlice = text.length === bytes.length;
  return {
    [member]: new JsonText(
      isSlice ? text.slice(span.start, span.end) : bytes.toString('utf8', span.start, span.end),
    ),
  };
}

/** The same rules for a value that the host's body parser made. */
export function checkParsed(value: unknown, limits: JsonLimits): unknown {
  let level: unknown[] = [value];
  let values = 1;
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth === limits.maxDepth) throw tooDeep(limits.maxDepth);
      for (const [key, child] of Object.entries(item)) {
        if (isPrototypeKey(key)) throw prototypeKey(key);
        if (++values > limits.maxValues) throw tooMany(limits.maxValues);
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return value;
}

/**
 * How deep a text is nested, and how many values it holds: each but the first has a comma or an opening bracket before
 * it. Found by one flat pass outside of strings, which stops one above either limit. Blanks in empty brackets count.
 */
export function sizeOf(
  text: string,
  { maxDepth, maxValues }: Pick<JsonLimits, 'maxDepth' | 'maxValues'>,
): { depth: number; values: number } {
  const endOfString = stringEnds(text);
  let level = 0;
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length && depth <= maxDepth && values <= maxValues; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(i + 1);
    else if (code === 0x2c) values++;
    else if (code === 0x7b || code === 0x5b) {
      depth = Math.max(depth, ++level);
      if (!isClosing(text.charCodeAt(i + 1))) values++;
    } else if (isClosing(code)) level--;
  }
  return { depth, values };
}

/**
 * Tells where the string ends that begins at `from`; to be asked from left to right. Quotes and backslashes are searched for
 * by the engine, many characters at a time, and none of them twice.
 */
function stringEnds(text: string): (from: number) => number {
  const next = (what: string, from: number) => {
    const found = text.indexOf(what, from);
    return found < 0 ? text.length : found;
  };
  let quote = -1;
  let backslash = next('\\', 0);
  return (from) => {
    for (let at = from; ; at = backslash + 2) {
      if (quote < at) quote = next('"', at);
      if (backslash < at) backslash = next('\\', at);
      if (quote <= backslash) return quote;
    }
  };
}

const isClosing = (code: number): boolean => code === 0x7d || code === 0x5d;

/**
 * The key as it may stand in JSON, plain or with escapes. Found in the text, because a reviver visits every value. What
 * opens a key is never preceded by a backslash, as a quote inside of a string is.
 */
const prototypeKeyText =
  /[{,\s]"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

/** Nearly no text gets as far as the expression. */
const holdsPrototypeKey = (text: string): boolean =>
  (text.includes('__proto__') || text.includes('\\u00')) && prototypeKeyText.test(text);

const isPrototypeKey = (key: string) => key === '__proto__';

const prototypeKey = (key: string) =>
  new BadRequest('MALFORMED_JSON', `The key ${JSON.stringify(key)} is not allowed`, [
    { path: 'body', message: `key ${key}` },
  ]);

const tooDeep = (limit: number) =>
  new BadRequest('JSON_LIMIT', `The body is nested deeper than ${limit} levels`, [
    { path: 'body', message: `deeper than ${limit} levels` },
  ]);

const tooMany = (limit: number) =>
  new BadRequest('JSON_LIMIT', `The body holds more than ${limit} values`, [
    { path: 'body', message: `more than ${limit} values` },
  ]);
