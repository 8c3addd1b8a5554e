/** A line of a log, or a piece of one that is too long. */
export interface RawLine {
  /** Bytes from the start of the log. */
  readonly offset: number;
  /** Where it ends, the line break included. */
  readonly end: number;
  readonly text: string;
}

interface LineSplitter {
  /** The lines that end with this chunk. Take them all before the next chunk. */
  push(chunk: Buffer): Iterable<RawLine>;
  /** What stands after the last line break, if anything. */
  end(): Iterable<RawLine>;
}

/** Bytes of a line; a longer one comes in pieces, so that none has to be held whole. */
export const maxLineBytes = 64 * 1024;

const newline = 10;
const carriageReturn = 13;

/** Cuts bytes of UTF-8 into lines, whose first begins at `start`. */
export function createLineSplitter(start: number, maxBytes = maxLineBytes): LineSplitter {
  let held: Buffer = Buffer.alloc(0);
  /** Of the first byte in `held`. */
  let offset = start;

  function lineOf(bytes: Buffer, breakBytes: number): RawLine {
    const from = offset;
    offset += bytes.length + breakBytes;
    const isCrLf = breakBytes > 0 && bytes[bytes.length - 1] === carriageReturn;
    return { offset: from, end: offset, text: bytes.toString('utf8', 0, bytes.length - (isCrLf ? 1 : 0)) };
  }

  return {
    *push(chunk) {
      const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      let from = 0;
      for (;;) {
        const to = bytes.indexOf(newline, from);
        const length = (to < 0 ? bytes.length : to) - from;
        if (length > maxBytes) {
          const piece = bytes.subarray(from, wholeCharacters(bytes, from, from + maxBytes));
          yield lineOf(piece, 0);
          from += piece.length;
        } else if (to >= 0) {
          yield lineOf(bytes.subarray(from, to), 1);
          from = to + 1;
        } else break;
      }
      // A copy: a view would keep the whole chunk.
      held = Buffer.from(bytes.subarray(from));
    },
    *end() {
      if (held.length > 0) yield lineOf(held, 0);
      held = Buffer.alloc(0);
    },
  };
}

/** The last place up to `to` where a character of UTF-8 begins; `to` when the bytes are none. */
function wholeCharacters(bytes: Buffer, from: number, to: number): number {
  for (let at = to; at > from && at > to - 4; at--) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  return to;
}
