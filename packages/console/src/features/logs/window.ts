// What is held of a log: bytes, and not lines. A log has any length; of it at most 1 MiB lies here, in blocks that begin at
// multiples of 64 KiB, one after the other without a gap. Pure: whoever reads the log tells what came.

export const blockBytes = 64 * 1024;
const maxBlocks = 16;
/** Lines of a log that is nothing but line breaks: more of them than a browser can make a page of. */
const maxLines = 200_000;
/** Of each line that is shown at first; what lies wholly behind it in a line need not be held. */
export const shownLineBytes = 8 * 1024;
/** By which it is seen that what follows is the same log, and not the one after a rotation. */
const tailBytes = 256;

/** Bytes that lie one after the other; without `bytes` they are the middle of a line that is longer than anybody looks at. */
export interface Block {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly bytes?: Uint8Array;
}

export interface LogWindow {
  /** Of the log, as far as it is known, in bytes. */
  readonly length: number;
  readonly blocks: readonly Block[];
  /** The last bytes of the log before `length`. */
  readonly tail: Uint8Array;
  /** Whether the end of the log is what is looked at, and moves on with it. */
  readonly isFollowing: boolean;
  /** Lines that were written since somebody looks elsewhere. */
  readonly unseen: number;
  /** There are more of them than were counted. */
  readonly isUnseenMore: boolean;
  /** How often the log has begun anew. */
  readonly rotations: number;
}

export type LogAction =
  /** Bytes from an aligned offset on, in place of what is held; with the length when it was asked for. */
  | {
      readonly type: 'shown';
      readonly start: number;
      readonly bytes: Uint8Array;
      readonly length?: number;
      readonly isFollowing: boolean;
    }
  /** Bytes that end where the first block begins. */
  | { readonly type: 'before'; readonly bytes: Uint8Array }
  /** Bytes that begin where the last block ends. */
  | { readonly type: 'after'; readonly bytes: Uint8Array }
  /** What was read from somewhere before the end on, to see what was written behind it; `isAll` unless there is more. */
  | {
      readonly type: 'polled';
      readonly from: number;
      readonly bytes: Uint8Array;
      readonly isAll: boolean;
    }
  | { readonly type: 'lookedBack' }
  /** Somebody has come to the end again. */
  | { readonly type: 'followed' };

export const noWindow: LogWindow = {
  length: 0,
  blocks: [],
  tail: new Uint8Array(),
  isFollowing: true,
  unseen: 0,
  isUnseenMore: false,
  rotations: 0,
};

export const startOf = ({ blocks }: LogWindow): number => blocks[0]?.start ?? 0;
export const endOf = ({ blocks, length }: LogWindow): number => blocks.at(-1)?.end ?? length;
export const isAtEnd = (window: LogWindow): boolean => endOf(window) >= window.length;

/** From where to read so that the end is held, with 64 KiB of it at least. */
export const tailStart = (length: number): number => Math.max(0, alignedDown(length - blockBytes));
export const alignedDown = (offset: number): number => Math.floor(offset / blockBytes) * blockBytes;

/** From where to read so that there is something above `offset`, too. */
export const startAround = (offset: number): number => Math.max(0, alignedDown(offset) - blockBytes);

export function reduce(window: LogWindow, action: LogAction): LogWindow {
  switch (action.type) {
    case 'shown':
      return shown(window, action);
    case 'before': {
      const start = startOf(window) - action.bytes.length;
      return fitted({ ...window, blocks: [...cut(start, action.bytes), ...window.blocks] }, 'last');
    }
    case 'after':
      return known(fitted({ ...window, blocks: appended(window, action.bytes) }, 'first'), action.bytes);
    case 'polled':
      return polled(window, action);
    case 'lookedBack':
      return window.isFollowing ? { ...window, isFollowing: false } : window;
    case 'followed':
      return isAtEnd(window) && !window.isFollowing
        ? { ...window, isFollowing: true, unseen: 0, isUnseenMore: false }
        : window;
  }
}

function shown(window: LogWindow, action: Extract<LogAction, { type: 'shown' }>): LogWindow {
  const { start, bytes, isFollowing } = action;
  const { unseen, isUnseenMore } = isFollowing ? noWindow : window;
  const length = action.length ?? window.length;
  const next = {
    ...window,
    length,
    tail: length === window.length ? window.tail : new Uint8Array(),
    blocks: cut(start, bytes),
    isFollowing,
    unseen,
    isUnseenMore,
  };
  return known(fitted(next, 'first'), bytes);
}

/** From where to ask what is new: what is known of the end has to come again. */
export const pollStart = ({ length, tail }: LogWindow): number =>
  length - (tail.length > 0 ? tail.length : Math.min(length, tailBytes));

function polled(
  window: LogWindow,
  { from, bytes, isAll }: Extract<LogAction, { type: 'polled' }>,
): LogWindow {
  const overlap = window.length - from;
  if (overlap < 0) return window;
  if (!continues(window, overlap, bytes))
    return { ...noWindow, isFollowing: window.isFollowing, rotations: window.rotations + 1 };
  return grown({ ...window, tail: lastBytes(bytes) }, bytes.slice(overlap), isAll);
}

/** Whether it is the same log: what is known of its end stands there still. */
function continues({ tail }: LogWindow, overlap: number, bytes: Uint8Array): boolean {
  if (bytes.length < overlap) return false;
  const known = tail.slice(-overlap);
  return overlap === 0 || known.every((byte, at) => byte === bytes[overlap - known.length + at]);
}

/** What was written meanwhile. Who looks elsewhere keeps what is looked at: it is added as long as there is room. */
function grown(window: LogWindow, bytes: Uint8Array, isAll: boolean): LogWindow {
  if (bytes.length === 0) return window;
  const length = window.length + bytes.length;
  const hasRoom = isAtEnd(window) && (window.isFollowing || heldBlocks(window) < maxBlocks);
  const blocks = hasRoom ? appended(window, bytes) : window.blocks;
  const counted = window.isFollowing
    ? { unseen: 0, isUnseenMore: false }
    : { unseen: window.unseen + linesIn(bytes), isUnseenMore: window.isUnseenMore || !isAll };
  return fitted({ ...window, length, blocks, ...counted }, 'first');
}

/** What was read up to the end, or beyond what was known to be it. */
function known(window: LogWindow, bytes: Uint8Array): LogWindow {
  const end = endOf(window);
  if (end < window.length || bytes.length === 0) return window;
  return { ...window, length: end, tail: lastBytes(bytes) };
}

const lastBytes = (bytes: Uint8Array): Uint8Array => bytes.slice(-tailBytes);

/** In blocks at aligned offsets. */
function cut(start: number, bytes: Uint8Array): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; ) {
    const from = start + at;
    const size = Math.min(alignedDown(from) + blockBytes - from, bytes.length - at);
    blocks.push({ start: from, end: from + size, bytes: bytes.slice(at, at + size) });
    at += size;
  }
  return blocks;
}

/** The last block is filled up first. */
function appended(window: LogWindow, bytes: Uint8Array): readonly Block[] {
  const last = window.blocks.at(-1);
  const end = endOf(window);
  if (!last?.bytes || last.end % blockBytes === 0) return [...window.blocks, ...cut(end, bytes)];
  return [...window.blocks.slice(0, -1), ...cut(last.start, joined([last.bytes, bytes]))];
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const newline = 10;

export function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines++;
  return lines;
}

const heldBlocks = ({ blocks }: LogWindow): number => blocks.filter(({ bytes }) => bytes).length;

/** Lets go of blocks at one edge until the rest may be held. */
function fitted(window: LogWindow, edge: 'first' | 'last'): LogWindow {
  const blocks = [...hollowed(window.blocks)];
  let held = blocks.filter(({ bytes }) => bytes).length;
  let lines = blocks.reduce((sum, { bytes }) => sum + (bytes ? linesIn(bytes) : 0), 0);
  while (held > 2 && (held > maxBlocks || lines > maxLines)) {
    const gone = edge === 'first' ? blocks.shift() : blocks.pop();
    if (!gone) break;
    if (gone.bytes) {
      held--;
      lines -= linesIn(gone.bytes);
    }
  }
  return { ...window, blocks: withoutHollowEnds(blocks) };
}

/** The middle of a line begins or ends nothing: what is loaded next must join on bytes. */
function withoutHollowEnds(blocks: readonly Block[]): readonly Block[] {
  const first = blocks.findIndex(({ bytes }) => bytes);
  const last = blocks.findLastIndex(({ bytes }) => bytes);
  return blocks.slice(first, last + 1);
}

/**
 * Of a line of megabytes its beginning is held, and the block in which it ends: those between are counted and let go. The first and
 * the last block stay: nobody knows yet what they belong to.
 */
function hollowed(blocks: readonly Block[]): readonly Block[] {
  const kept: Block[] = [];
  blocks.forEach((block, index) => {
    const before = blocks[index - 1];
    const isMiddle =
      index < blocks.length - 1 && before !== undefined && !hasBreak(block) && continuesLong(before);
    const last = kept.at(-1);
    if (!isMiddle) kept.push(block);
    else if (last && !last.bytes) kept[kept.length - 1] = { start: last.start, end: block.end };
    else kept.push({ start: block.start, end: block.end });
  });
  return kept;
}

const hasBreak = ({ bytes }: Block): boolean => bytes?.includes(newline) ?? false;

/** Whether all that is shown of the line at the end of this block stands in it, or before it. */
function continuesLong({ bytes }: Block): boolean {
  if (!bytes) return true;
  return bytes.length - 1 - bytes.lastIndexOf(newline) >= shownLineBytes;
}
