import { type Level, levelIn } from './levels.js';
import { type Block, joined, shownLineBytes } from './window.js';

/** A line as it is shown. */
export interface ShownLine {
  /** Bytes from the start of the log. */
  readonly start: number;
  /** Where it ends, the line break included, or what is held of it. */
  readonly end: number;
  /** At most 8 KiB of it. */
  readonly text: string;
  /** There is more of it than `text`. */
  readonly isCut: boolean;
  /** Its own, or that of the line that it goes on from. */
  readonly level: Level | undefined;
}

interface Piece {
  start: number;
  end: number;
  parts: Uint8Array[];
  held: number;
}

const newline = 10;
const decoder = new TextDecoder();

/**
 * The lines of what is held. The first may have begun before: unless it is all there is, it comes when what stands before it is held.
 */
export function linesOf(blocks: readonly Block[]): readonly ShownLine[] {
  const lines: ShownLine[] = [];
  let open: Piece | undefined;
  let level: Level | undefined;
  const done = () => {
    if (!open) return;
    const line = shownLine(open, level);
    level = line.level;
    lines.push(line);
    open = undefined;
  };
  for (const block of blocks) {
    if (!block.bytes) {
      if (open) open.end = block.end;
      continue;
    }
    for (let at = 0; at < block.bytes.length; ) {
      const found = block.bytes.indexOf(newline, at);
      const to = found < 0 ? block.bytes.length : found + 1;
      open ??= { start: block.start + at, end: 0, parts: [], held: 0 };
      add(open, block.bytes.subarray(at, to), block.start + to);
      if (found >= 0) done();
      at = to;
    }
  }
  done();
  const beginsBefore = (blocks[0]?.start ?? 0) > 0;
  return beginsBefore && lines.length > 1 ? lines.slice(1) : lines;
}

/** No more than is shown is kept; one byte more tells that there is. */
function add(piece: Piece, bytes: Uint8Array, end: number): void {
  piece.end = end;
  const room = shownLineBytes + 1 - piece.held;
  if (room <= 0) return;
  piece.parts.push(bytes.subarray(0, room));
  piece.held += Math.min(room, bytes.length);
}

function shownLine({ start, end, parts }: Piece, before: Level | undefined): ShownLine {
  const [only] = parts;
  const bytes = parts.length === 1 && only ? only : joined(parts);
  const isCut = end - start > shownLineBytes + 2;
  const text = textOf(isCut ? bytes.subarray(0, wholeCharacters(bytes, shownLineBytes)) : bytes);
  return { start, end, text, isCut, level: levelIn(text) ?? before };
}

/** Colours of terminals, which say nothing here. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const escapes = /\u001b\[[0-9;]*[A-Za-z]/g;

/** As a page can show it. */
export const textOf = (bytes: Uint8Array): string =>
  decoder
    .decode(bytes)
    .replace(/\r?\n?$/, '')
    .replace(escapes, '');

/** The last place up to `to` where a character of UTF-8 begins. */
export function wholeCharacters(bytes: Uint8Array, to: number): number {
  if (bytes.length <= to) return bytes.length;
  for (let at = to; at > 0 && at > to - 4; at--) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  return to;
}

/** The line that holds a byte: the last that begins at it or before; the first for one that lies before all. */
export function lineAt(lines: readonly ShownLine[], offset: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
