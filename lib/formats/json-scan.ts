// Reads JSON without building its values: members of an object are places in the bytes that were sent, so 64-bit
// integers, key order and escapes survive, and an 8 MiB message costs one pass and no memory. The bytes are known to be
// UTF-8; everything that structures JSON is ASCII.

/** The place of a value: its first byte, and the one after its last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** In the order of the names that were asked for. */
export type Members = readonly (Span | undefined)[];

/**
 * Where the members called `names` (ASCII letters) are; of a repeated one the last, as `JSON.parse` has it. `undefined` when the bytes
 * are no JSON object (RFC 8259), or nested deeper than `maxDepth`.
 */
export function findMembers(bytes: Buffer, names: readonly Buffer[], maxDepth: number): Members | undefined {
  const scan = new JsonScan(bytes, names, maxDepth);
  scan.step(bytes.length);
  return scan.members;
}

/** Whether the whole text is one JSON value, nested at most `maxDepth` levels. */
export function isJson(bytes: Buffer, maxDepth: number): boolean {
  const scan = new JsonScan(bytes, [], maxDepth);
  scan.step(bytes.length);
  return scan.isJson;
}

// What may come next, besides white space.
const value = 0;
const firstItem = 1;
const key = 2;
const firstKey = 3;
const colon = 4;
const after = 5;
/** The rest of a string, or of a key: anything. */
const text = 6;
const keyText = 7;

/**
 * Reads a text in as many steps as its owner likes, so that a long one need not stop the event loop. A class, because
 * one is made for each message: methods as closures would cost more than most messages do.
 */
export class JsonScan {
  private at = 0;
  private expected = value;
  private depth = 0;
  /** Of each level whether it is an object. */
  private readonly levels: boolean[] = [];
  /** Of the outermost object's members, if that is what the text is. */
  private readonly found: (Span | undefined)[];
  private keyStart = -1;
  private keyEnd = -1;

  constructor(
    private readonly bytes: Buffer,
    private readonly names: readonly Buffer[],
    private readonly maxDepth: number,
  ) {
    this.found = names.map(() => undefined);
  }

  /** About the whole text, once `step` has returned `false`. */
  get isJson(): boolean {
    return this.at === this.bytes.length && this.depth === 0 && this.expected === after;
  }

  /** Where the members are, once `step` has returned `false`; `undefined` when the text is no JSON object. */
  get members(): Members | undefined {
    return this.isJson && this.levels[0] ? this.found : undefined;
  }

  /**
   * Reads about so many bytes on. `false`: all was read, or what comes is no JSON. One loop over local variables,
   * which looks ahead for the usual comma and colon: calls for each byte or value would double its time.
   */
  step(length: number): boolean {
    const { bytes, levels } = this;
    const until = Math.min(bytes.length, this.at + length);
    let { at: i, expected, depth } = this;
    let isObject = levels[depth - 1] ?? false;
    while (i < until) {
      const code = bytes[i] ?? 0;
      if (expected >= text) {
        const end = textEnd(bytes, i, until);
        if (end === bad) return false;
        i = Math.abs(end);
        // Its end is beyond this step.
        if (end < 0) break;
        if (expected === text) expected = after;
        else {
          if (depth === 1) this.keyEnd = i;
          expected = colon;
          if (bytes[i] === 0x3a) {
            expected = value;
            i++;
          }
        }
      } else if (code <= 0x20) {
        if (!isSpace(code)) return false;
        do i++;
        while (i < until && isSpace(bytes[i] ?? 0));
      } else if (expected === after) {
        if (depth <= 1) this.memberEnds(i);
        if (depth === 0) return false;
        if (code === comma) expected = isObject ? key : value;
        else if (code === (isObject ? closeBrace : closeBracket)) {
          depth--;
          isObject = levels[depth - 1] ?? false;
        } else return false;
        i++;
      } else if (expected <= firstItem) {
        if (code === quote) {
          expected = text;
          i++;
        } else if (code === openBracket || code === openBrace) {
          if (depth === this.maxDepth) return false;
          isObject = code === openBrace;
          levels[depth++] = isObject;
          expected = isObject ? firstKey : firstItem;
          i++;
        } else if (code === closeBracket && expected === firstItem) {
          depth--;
          isObject = levels[depth - 1] ?? false;
          expected = after;
          i++;
        } else {
          i = scalarEnd(bytes, i);
          if (i === bad) return false;
          expected = after;
          if (bytes[i] === comma && depth > 1) {
            expected = isObject ? key : value;
            i++;
          }
        }
      } else if (expected === colon) {
        if (code !== 0x3a) return false;
        expected = value;
        i++;
      } else if (code === quote) {
        if (depth === 1) this.keyStart = i;
        expected = keyText;
        i++;
      } else if (code === closeBrace && expected === firstKey) {
        depth--;
        isObject = levels[depth - 1] ?? false;
        expected = after;
        i++;
      } else return false;
    }
    this.at = i;
    this.expected = expected;
    this.depth = depth;
    return i < bytes.length;
  }

  private memberEnds(end: number): void {
    const { bytes, names, keyStart, keyEnd } = this;
    if (keyEnd < 0) return;
    this.keyEnd = -1;
    for (let index = 0; index < names.length; index++) {
      if (isKey(bytes, keyStart, keyEnd, names[index])) this.found[index] = valueSpan(bytes, keyEnd, end);
    }
  }
}

/** Of the value between a key and what separates it from the next. */
function valueSpan(bytes: Buffer, keyEnd: number, separator: number): Span {
  const start = space(bytes, space(bytes, keyEnd) + 1);
  let end = separator;
  while (isSpace(bytes[end - 1] ?? 0)) end--;
  return { start, end };
}

/** The value of a JSON string that was found to be well-formed; `undefined` for other values. */
export function stringAt(bytes: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined || bytes[span.start] !== quote) return undefined;
  const text = bytes.toString('utf8', span.start + 1, span.end - 1);
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
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

// These take the place where something starts and return the place after it, or `bad`. Past the last byte there is
// nothing, which equals nothing.

const bad = 0;

/** Goes no further than `until`: the place where to go on is returned negative then. */
function textEnd(bytes: Buffer, from: number, until: number): number {
  let i = from;
  while (i < until) {
    const code = bytes[i++] ?? 0;
    if (code > backslash) continue;
    if (code === quote) return i;
    if (code < 0x20) return bad;
    if (code !== backslash) continue;
    const escaped = bytes[i++] ?? 0;
    if (escaped === 0x75) {
      if (!(isHex(bytes[i]) && isHex(bytes[i + 1]) && isHex(bytes[i + 2]) && isHex(bytes[i + 3]))) return bad;
      i += 4;
    } else if (!shortEscapes.includes(escaped)) return bad;
  }
  return -i;
}

function scalarEnd(bytes: Buffer, i: number): number {
  switch (bytes[i]) {
    case 0x74:
      return wordEnd(bytes, i, 'true');
    case 0x66:
      return wordEnd(bytes, i, 'false');
    case 0x6e:
      return wordEnd(bytes, i, 'null');
    default:
      return numberEnd(bytes, i);
  }
}

function wordEnd(bytes: Buffer, from: number, word: string): number {
  for (let i = 0; i < word.length; i++) if (bytes[from + i] !== word.charCodeAt(i)) return bad;
  return from + word.length;
}

function numberEnd(bytes: Buffer, from: number): number {
  let i = bytes[from] === 0x2d ? from + 1 : from;
  const first = bytes[i++] ?? 0;
  if (!isDigit(first)) return bad;
  let code = bytes[i] ?? 0;
  if (first !== 0x30) while (isDigit(code)) code = bytes[++i] ?? 0;
  if (code === 0x2e) {
    if (!isDigit(bytes[++i] ?? 0)) return bad;
    do code = bytes[++i] ?? 0;
    while (isDigit(code));
  }
  if (code === 0x65 || code === 0x45) {
    const sign = bytes[++i];
    if (sign === 0x2b || sign === 0x2d) i++;
    if (!isDigit(bytes[i] ?? 0)) return bad;
    do code = bytes[++i] ?? 0;
    while (isDigit(code));
  }
  return i;
}

function space(bytes: Buffer, from: number): number {
  let i = from;
  while (isSpace(bytes[i] ?? 0)) i++;
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
