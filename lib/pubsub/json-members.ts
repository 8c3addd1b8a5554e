// Reads a JSON object without building its values: the members come back as the exact text that was sent, so 64-bit
// integers, key order and escapes survive, and an 8 MiB message costs one pass and no memory.

/** Raw texts of the members of a JSON object, by decoded key; of a repeated key the last, as `JSON.parse` has it. */
export type Members = Map<string, string>;

/** `undefined` when the text is no JSON object (RFC 8259), or nested deeper than `maxDepth`. */
export function jsonMembers(text: string, maxDepth: number): Members | undefined {
  const members: Members = new Map();
  let i = space(text, 0);
  if (text.charCodeAt(i) !== openBrace || maxDepth < 1) return undefined;
  i = space(text, i + 1);
  if (text.charCodeAt(i) === closeBrace) return space(text, i + 1) === text.length ? members : undefined;
  for (;;) {
    const keyEnd = stringEnd(text, i);
    if (keyEnd < 0) return undefined;
    const colon = space(text, keyEnd);
    if (text.charCodeAt(colon) !== 0x3a) return undefined;
    const start = space(text, colon + 1);
    const end = valueEnd(text, start, maxDepth - 1);
    if (end < 0) return undefined;
    members.set(decodeString(text.slice(i, keyEnd)), text.slice(start, end));
    i = space(text, end);
    const separator = text.charCodeAt(i);
    if (separator === closeBrace) return space(text, i + 1) === text.length ? members : undefined;
    if (separator !== comma) return undefined;
    i = space(text, i + 1);
  }
}

/** Whether the whole text is one JSON value, nested at most `maxDepth` levels. */
export function isJson(text: string, maxDepth: number): boolean {
  const end = valueEnd(text, space(text, 0), maxDepth);
  return end >= 0 && space(text, end) === text.length;
}

/** The value of a JSON string literal that was found to be well-formed. */
export const decodeString = (literal: string): string =>
  literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

// All of these take the place where something should start and return the place after it, or -1. Reading past the
// end gives NaN, which equals nothing and is in no range.

function valueEnd(text: string, i: number, depth: number): number {
  switch (text.charCodeAt(i)) {
    case quote:
      return stringEnd(text, i);
    case openBrace:
      return depth < 1 ? -1 : containerEnd(text, i, depth, closeBrace);
    case openBracket:
      return depth < 1 ? -1 : containerEnd(text, i, depth, closeBracket);
    case 0x74:
      return text.startsWith('true', i) ? i + 4 : -1;
    case 0x66:
      return text.startsWith('false', i) ? i + 5 : -1;
    case 0x6e:
      return text.startsWith('null', i) ? i + 4 : -1;
    default:
      return numberEnd(text, i);
  }
}

function containerEnd(text: string, from: number, depth: number, close: number): number {
  let i = space(text, from + 1);
  if (text.charCodeAt(i) === close) return i + 1;
  for (;;) {
    if (close === closeBrace) {
      const keyEnd = stringEnd(text, i);
      if (keyEnd < 0) return -1;
      const colon = space(text, keyEnd);
      if (text.charCodeAt(colon) !== 0x3a) return -1;
      i = space(text, colon + 1);
    }
    const end = valueEnd(text, i, depth - 1);
    if (end < 0) return -1;
    i = space(text, end);
    const separator = text.charCodeAt(i);
    if (separator === close) return i + 1;
    if (separator !== comma) return -1;
    i = space(text, i + 1);
  }
}

function stringEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== quote) return -1;
  let i = from + 1;
  for (;;) {
    const code = text.charCodeAt(i++);
    if (code === quote) return i;
    if (code === backslash) {
      const escaped = text.charCodeAt(i++);
      if (escaped === 0x75) {
        if (!(isHex(text, i) && isHex(text, i + 1) && isHex(text, i + 2) && isHex(text, i + 3))) return -1;
        i += 4;
      } else if (!isShortEscape(escaped)) return -1;
    } else if (!(code >= 0x20)) return -1;
  }
}

function numberEnd(text: string, from: number): number {
  let i = text.charCodeAt(from) === 0x2d ? from + 1 : from;
  if (text.charCodeAt(i) === 0x30) i++;
  else {
    const end = digitsEnd(text, i);
    if (end === i) return -1;
    i = end;
  }
  if (text.charCodeAt(i) === 0x2e) {
    const end = digitsEnd(text, i + 1);
    if (end === i + 1) return -1;
    i = end;
  }
  if ((text.charCodeAt(i) | 0x20) === 0x65) {
    const sign = text.charCodeAt(i + 1);
    const start = sign === 0x2b || sign === 0x2d ? i + 2 : i + 1;
    const end = digitsEnd(text, start);
    if (end === start) return -1;
    i = end;
  }
  return i;
}

function digitsEnd(text: string, from: number): number {
  let i = from;
  for (let code = text.charCodeAt(i); code >= 0x30 && code <= 0x39; code = text.charCodeAt(i)) i++;
  return i;
}

function space(text: string, from: number): number {
  let i = from;
  for (let code = text.charCodeAt(i); isSpace(code); code = text.charCodeAt(i)) i++;
  return i;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** `"`, `\`, `/`, and the letters b, f, n, r, t. */
const isShortEscape = (code: number) =>
  code === quote ||
  code === backslash ||
  code === 0x2f ||
  code === 0x62 ||
  code === 0x66 ||
  code === 0x6e ||
  code === 0x72 ||
  code === 0x74;

function isHex(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return true;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66;
}
