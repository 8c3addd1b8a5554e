interface SplitLine {
  readonly text: string;
  /** Offset of the first byte after the line and its end. */
  readonly end: number;
  /** Whether bytes beyond the longest line allowed were dropped. */
  readonly cut: boolean;
}

const newline = 0x0a;

/** Cuts a file's bytes into lines. Holds at most `maxLineBytes` of a line that is not complete yet. */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #encoding: 'utf8' | 'latin1';
  #offset: number;
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #cut = false;

  /** `offset` is where in the file the first chunk begins. */
  constructor(options: {
    readonly maxLineBytes: number;
    readonly encoding: 'utf8' | 'latin1';
    readonly offset: number;
  }) {
    this.#maxLineBytes = options.maxLineBytes;
    this.#encoding = options.encoding;
    this.#offset = options.offset;
  }

  /** Offset of the next byte it wants. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes in use; `chunk` may be overwritten afterwards. */
  push(chunk: Buffer): SplitLine[] {
    const lines: SplitLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      lines.push(this.#line(chunk.subarray(start, end), this.#offset + end + 1));
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
    this.#offset += chunk.length;
    return lines;
  }

  /** The last line of a file that does not end with a newline. */
  flush(): SplitLine | undefined {
    if (this.#partialBytes === 0 && !this.#cut) return undefined;
    return this.#line(Buffer.alloc(0), this.#offset);
  }

  #hold(rest: Buffer): void {
    const room = this.#maxLineBytes + 1 - this.#partialBytes;
    if (rest.length > room) this.#cut = true;
    const kept = rest.subarray(0, Math.max(0, room));
    if (kept.length === 0) return;
    this.#partial.push(Buffer.from(kept));
    this.#partialBytes += kept.length;
  }

  #line(rest: Buffer, end: number): SplitLine {
    let bytes = rest;
    if (this.#partialBytes > 0) {
      this.#hold(rest);
      bytes = Buffer.concat(this.#partial);
    }
    const carriageReturn = bytes.at(-1) === 0x0d && !this.#cut ? 1 : 0;
    let length = bytes.length - carriageReturn;
    const cut = this.#cut || length > this.#maxLineBytes;
    if (cut) length = characterBoundary(bytes, Math.min(length, this.#maxLineBytes), this.#encoding);
    const text = bytes.toString(this.#encoding, 0, length);
    this.#partial = [];
    this.#partialBytes = 0;
    this.#cut = false;
    return { text, end, cut };
  }
}

/** The longest length up to `length` that does not split a UTF-8 character. */
function characterBoundary(bytes: Buffer, length: number, encoding: 'utf8' | 'latin1'): number {
  if (encoding === 'latin1') return length;
  let end = length;
  while (end > 0 && length - end < 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
