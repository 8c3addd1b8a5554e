// Reads JSON without building its values: members of an object are places in the bytes that were sent, so 64-bit
// integers, key order and escapes survive, and an 8 MiB message costs one pass and no memory. The bytes are known to be
// UTF-8; everything that structures JSON is ASCII.

/** The place of a value: its first byte, and the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the members called `names` (ASCII letters) are; of a repeated one the last, as `JSON.parse` has it. `undefined` when the bytes
 * are no JSON object (RFC 8259), or nested deeper than `maxDepth`.
 */
export function findMembers(
  bytes: Buffer,
  names: readonly Buffer[],
  maxDepth: number,
): (Span | undefined)[] | undefined {
  const found: (Span | undefined)[] = names.map(() => undefined);
  let i = space(bytes, 0);
  if (bytes[i] !== openBrace || maxDepth < 1) return undefined;
  i = space(bytes, i + 1);
  if (bytes[i] === closeBrace) return space(bytes, i + 1) === bytes.length ? found : undefined;
  for (;;) {
    const keyEnd = stringEnd(bytes, i);
    if (keyEnd < 0) return undefined;
    const colon = space(bytes, keyEnd);
    if (bytes[colon] !== 0x3a) return undefined;
    const start = space(bytes, colon + 1);
    const end = valueEnd(bytes, start, maxDepth - 1);
    if (end < 0) return undefined;
    for (let index = 0; index < names.length; index++) {
      if (isKey(bytes, i, keyEnd, names[index])) found[index] = { start, end };
    }
    i = space(bytes, end);
    const separator = bytes[i];
    if (separator === closeBrace) return space(bytes, i + 1) === bytes.length ? found : undefined;
    if (separator !== comma) return undefined;
    i = space(bytes, i + 1);
  }
}

/** Whether the whole text is one JSON value, nested at most `maxDepth` levels. */
export function isJson(bytes: Buffer, maxDepth: number): boolean {
  const end = valueEnd(bytes, space(bytes, 0), maxDepth);
  return end >= 0 && space(bytes, end) === bytes.length;
}

/** The value of a JSON string that was found to be well-formed; `undefined` for other values. */
export function stringAt(bytes: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined || bytes[span.start] !== quote) return undefined;
  const literal = bytes.toString('utf8', span.start, span.end);
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const noName = Buffer.alloc(0);

/** Whether the string from `start` to `end` is this name of ASCII letters, written with escapes or without. */
function isKey(bytes: Buffer, start: number, end: number, name: Buffer = noName): boolean {
  let i = start + 1;
  for (let letter = 0; letter < name.length; letter++) {
    const wanted = name[letter];
    if (i >= end - 1) return false;
    if (bytes[i] !== backslash) {
      if (bytes[i++] !== wanted) return false;
    } else if (bytes[i + 1] === 0x75) {
      if (hexAt(bytes, i + 2) !== wanted) return false;
      i += 6;
    } else {
      // The short escapes stand for no letter.
      return false;
    }
  }
  return i === end - 1;
}

// All of these take the place where something should start and return the place after it, or -1. Past the last byte
// there is nothing, which equals nothing.

function valueEnd(bytes: Buffer, i: number, depth: number): number {
  const code = bytes[i] ?? 0;
  if (isDigit(code) || code === 0x2d) return numberEnd(bytes, i);
  switch (code) {
    case quote:
      return stringEnd(bytes, i);
    case openBrace:
      return depth < 1 ? -1 : objectEnd(bytes, i, depth);
    case openBracket:
      return depth < 1 ? -1 : arrayEnd(bytes, i, depth);
    case 0x74:
      return wordEnd(bytes, i, 'true');
    case 0x66:
      return wordEnd(bytes, i, 'false');
    case 0x6e:
      return wordEnd(bytes, i, 'null');
    default:
      return -1;
  }
}

function objectEnd(bytes: Buffer, from: number, depth: number): number {
  let i = space(bytes, from + 1);
  if (bytes[i] === closeBrace) return i + 1;
  for (;;) {
    const keyEnd = stringEnd(bytes, i);
    if (keyEnd < 0) return -1;
    const colon = space(bytes, keyEnd);
    if (bytes[colon] !== 0x3a) return -1;
    const end = valueEnd(bytes, space(bytes, colon + 1), depth - 1);
    if (end < 0) return -1;
    i = space(bytes, end);
    const separator = bytes[i];
    if (separator === closeBrace) return i + 1;
    if (separator !== comma) return -1;
    i = space(bytes, i + 1);
  }
}

function arrayEnd(bytes: Buffer, from: number, depth: number): number {
  let i = space(bytes, from + 1);
  if (bytes[i] === closeBracket) return i + 1;
  for (;;) {
    const end = valueEnd(bytes, i, depth - 1);
    if (end < 0) return -1;
    // Between the elements of a long array there is mostly none, and the call is a third of the time.
    i = (bytes[end] ?? 0) > 0x20 ? end : space(bytes, end);
    const separator = bytes[i];
    if (separator === closeBracket) return i + 1;
    if (separator !== comma) return -1;
    i++;
    if ((bytes[i] ?? 0) <= 0x20) i = space(bytes, i);
  }
}

function stringEnd(bytes: Buffer, from: number): number {
  if (bytes[from] !== quote) return -1;
  let i = from + 1;
  for (;;) {
    // Past the end: a control character, which ends the search.
    const code = bytes[i++] ?? 0;
    if (code === quote) return i;
    if (code < 0x20) return -1;
    if (code !== backslash) continue;
    const escaped = bytes[i++] ?? 0;
    if (escaped === 0x75) {
      if (!(isHex(bytes[i]) && isHex(bytes[i + 1]) && isHex(bytes[i + 2]) && isHex(bytes[i + 3]))) return -1;
      i += 4;
    } else if (!shortEscapes.includes(escaped)) return -1;
  }
}

function wordEnd(bytes: Buffer, from: number, word: string): number {
  for (let i = 0; i < word.length; i++) if (bytes[from + i] !== word.charCodeAt(i)) return -1;
  return from + word.length;
}

function numberEnd(bytes: Buffer, from: number): number {
  let i = bytes[from] === 0x2d ? from + 1 : from;
  const first = bytes[i++] ?? 0;
  if (!isDigit(first)) return -1;
  let code = bytes[i] ?? 0;
  if (first !== 0x30) while (isDigit(code)) code = bytes[++i] ?? 0;
  if (code === 0x2e) {
    if (!isDigit(bytes[++i] ?? 0)) return -1;
    do code = bytes[++i] ?? 0;
    while (isDigit(code));
  }
  if (code === 0x65 || code === 0x45) {
    const sign = bytes[++i];
    if (sign === 0x2b || sign === 0x2d) i++;
    if (!isDigit(bytes[i] ?? 0)) return -1;
    do code = bytes[++i] ?? 0;
    while (isDigit(code));
  }
  return i;
}

function space(bytes: Buffer, from: number): number {
  let i = from;
  for (let code = bytes[i] ?? 0; code <= 0x20 && isSpace(code); code = bytes[++i] ?? 0);
  return i;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

/** The value of four hexadecimal digits. */
function hexAt(bytes: Buffer, from: number): number {
  let value = 0;
  for (let i = from; i < from + 4; i++) {
    const code = bytes[i] ?? 0;
    value = value * 16 + (isDigit(code) ? code - 0x30 : (code | 0x20) - 0x57);
  }
  return value;
}

function isHex(code = 0): boolean {
  const letter = code | 0x20;
  return isDigit(code) || (letter >= 0x61 && letter <= 0x66);
}

/** `"`, `\`, `/`, and the letters b, f, n, r, t. */
const shortEscapes: readonly number[] = [quote, backslash, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74];
