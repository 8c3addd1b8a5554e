import { createStore, type Store } from '../../gateway/store.js';
import {
  alignedDown,
  blockBytes,
  endOf,
  isAtEnd,
  type LogAction,
  type LogWindow,
  noWindow,
  pollStart,
  reduce,
  startAround,
  startOf,
  tailStart,
} from './window.js';

/** How a log is reached. Reading beyond its end gives what there is. */
export interface LogAccess {
  length(signal: AbortSignal): Promise<number>;
  read(start: number, end: number, signal: AbortSignal): Promise<Uint8Array>;
}

export interface LogReader {
  readonly window: Store<LogWindow>;
  /** What has failed last, until something works. */
  readonly failure: Store<Error | undefined>;
  /** Shows what stands at an offset, or the end, which is followed then. */
  show(offset: number | 'end'): Promise<void>;
  /** Loads what stands above what is held, or below it. */
  more(direction: 'up' | 'down'): Promise<void>;
  lookBack(): void;
  /** Where the end is held: it is followed from now on. */
  follow(): void;
  /** Asks what is new; resolves with whether anything was. */
  poll(): Promise<boolean>;
  close(): void;
}

/** Bytes of one question when a line has none of its breaks in a whole block: through it in longer steps. */
const longStep = 1024 * 1024;
/** New bytes that are read as they come; when there are more of them, only the end is. */
const pollBytes = 256 * 1024;

/** One log: what is held of it, and what is asked for next. One question at a time; a place that is gone to comes first. */
export function createLogReader(access: LogAccess): LogReader {
  const window = createStore<LogWindow>(noWindow);
  const failure = createStore<Error | undefined>(undefined);
  const questions = oneAtATime(failure);

  const told = (action: LogAction) => window.set(reduce(window.get(), action));

  /** Unless it was given up meanwhile: its answer is of another place then. */
  async function bytesOf(start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await access.read(start, end, signal);
    signal.throwIfAborted();
    return bytes;
  }

  async function showEnd(signal: AbortSignal): Promise<void> {
    const length = await access.length(signal);
    const start = tailStart(length);
    const bytes = await bytesOf(start, length, signal);
    // Shorter than it was a moment ago: it was rotated, and the next poll sees it.
    told({ type: 'shown', start, bytes, length: start + bytes.length, isFollowing: true });
  }

  async function showAt(offset: number, signal: AbortSignal): Promise<void> {
    const length = await access.length(signal);
    const start = startAround(Math.min(offset, Math.max(0, length - 1)));
    const bytes = await bytesOf(start, Math.min(length, start + 3 * blockBytes), signal);
    told({ type: 'shown', start, bytes, length, isFollowing: false });
  }

  async function loadAbove(signal: AbortSignal): Promise<void> {
    const end = startOf(window.get());
    const start = Math.max(0, alignedDown(end - stepAt('up')));
    const bytes = await bytesOf(start, end, signal);
    if (bytes.length === end - start) told({ type: 'before', bytes });
  }

  async function loadBelow(signal: AbortSignal): Promise<void> {
    const start = endOf(window.get());
    const end = Math.min(window.get().length, alignedDown(start) + stepAt('down'));
    told({ type: 'after', bytes: await bytesOf(start, end, signal) });
  }

  function stepAt(edge: 'up' | 'down'): number {
    const { blocks } = window.get();
    const outer = edge === 'up' ? blocks[0] : blocks.at(-1);
    return outer?.bytes && !outer.bytes.includes(newline) ? longStep : blockBytes;
  }

  return {
    window,
    failure,
    async show(offset) {
      questions.giveUp();
      await questions.ask((signal) => (offset === 'end' ? showEnd(signal) : showAt(offset, signal)));
    },
    async more(direction) {
      const now = window.get();
      if (questions.isAsking() || (direction === 'up' ? startOf(now) === 0 : isAtEnd(now))) return;
      await questions.ask(direction === 'up' ? loadAbove : loadBelow);
    },
    lookBack: () => told({ type: 'lookedBack' }),
    follow: () => told({ type: 'followed' }),
    async poll() {
      if (questions.isAsking()) return false;
      const before = window.get();
      await questions.ask(async (signal) => {
        const from = pollStart(before);
        const bytes = await bytesOf(from, from + pollBytes, signal);
        const isAll = bytes.length < pollBytes;
        told({ type: 'polled', from, bytes, isAll });
        if (isAll) return;
        const { isFollowing } = window.get();
        if (isFollowing) await showEnd(signal);
      });
      const { length, rotations } = window.get();
      return length !== before.length || rotations !== before.rotations;
    },
    close: () => questions.giveUp(),
  };
}

const newline = 10;

interface Questions {
  ask(question: (signal: AbortSignal) => Promise<void>): Promise<void>;
  isAsking(): boolean;
  giveUp(): void;
}

/** What fails is told, but for what was given up. */
function oneAtATime(failure: Store<Error | undefined>): Questions {
  let underWay: AbortController | undefined;
  return {
    isAsking: () => underWay !== undefined,
    giveUp: () => underWay?.abort(),
    async ask(question) {
      const mine = new AbortController();
      underWay = mine;
      try {
        await question(mine.signal);
        failure.set(undefined);
      } catch (error) {
        if (!mine.signal.aborted) failure.set(error instanceof Error ? error : new Error(String(error)));
      } finally {
        if (underWay === mine) underWay = undefined;
      }
    },
  };
}
