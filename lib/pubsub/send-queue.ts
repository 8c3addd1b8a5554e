import { type CongestionOptions, type CongestionStats, createCongestion } from './congestion.js';
import type { Frame } from './frame.js';
import { append, emptyPending, joinedBytes } from './pending.js';
import type { Receiver } from './receiver.js';
import type { TurnBudget } from './turn-budget.js';

/**
 * Brings frames to sockets: one write a socket for all that one turn of the event loop published, in the order of
 * publishing. Sockets that can't keep up have a backlog, which is bounded.
 */
export interface SendQueue<R extends Receiver = Receiver> {
  send(receiver: R, frame: Frame): void;
  /** Calls `beforeSweep` in this turn even when nothing was sent yet. */
  wake(): void;
  drained(receiver: R): void;
  /** Keeps everything back until `release`. */
  hold(receiver: R): void;
  /** Goes on, without what `wanted` refuses by topic. */
  release(receiver: R, wanted: (topic: string) => boolean): void;
  forget(receiver: R): void;
  /** Ends receivers that took nothing for too long. Called about once a second. */
  checkProgress(): void;
  readonly stats: SendQueueStats;
  close(): void;
}

export interface SendQueueStats extends CongestionStats {
  /** Messages for sockets, since the start. */
  readonly sent: number;
}

interface SendQueueOptions<R extends Receiver> extends CongestionOptions<R> {
  readonly budget: TurnBudget;
  /** Called once a turn, before the sockets are written: the last chance to send something in this turn. */
  readonly beforeSweep: () => void;
}

/** How much is written between two looks at the clock: sockets, and bytes. */
const stride = { sockets: 32, bytes: 1024 * 1024 };

/** What a sweep has of a turn, however little is left of it. */
const leastMs = 2;

export function createSendQueue<R extends Receiver>(options: SendQueueOptions<R>): SendQueue<R> {
  const { clock, budget, limits, beforeSweep } = options;
  const { highWaterBytes, hardLimitBytes } = limits;
  const congestion = createCongestion(options);
  let queue: R[] = [];
  let next = 0;
  let root = emptyPending();
  let turn: NodeJS.Immediate | undefined;
  let sent = 0;

  const wake = (): void => {
    turn ??= setImmediate(sweep);
  };

  function sweep(): void {
    // `turn` still stands, so what is sent now goes out with this sweep.
    beforeSweep();
    turn = undefined;
    root = emptyPending();
    // Also when the others used the turn up: what is not written only grows.
    const began = clock.monotonic();
    budget.isSpent(began);
    let written = 0;
    while (next < queue.length) {
      const receiver = queue[next++];
      if (receiver !== undefined) written += deliver(receiver);
      if (next % stride.sockets !== 0 && written < stride.bytes) continue;
      written = 0;
      const now = clock.monotonic();
      if (now - began > leastMs && budget.isSpent(now)) break;
    }
    if (next < queue.length) {
      wake();
      return;
    }
    queue = [];
    next = 0;
  }

  /** Returns about how many bytes that was. */
  function deliver(receiver: R): number {
    const { pending, socket } = receiver;
    receiver.pending = undefined;
    if (pending === undefined || receiver.isClosed) return 0;
    if (receiver.backlog === undefined && !receiver.isHeld) {
      // Looking at the socket costs: only after a write that it did not take whole.
      const unsent = receiver.unsentBytes === 0 ? 0 : socket.bufferedAmount;
      if (unsent <= highWaterBytes && unsent + pending.bytes <= hardLimitBytes) {
        receiver.unsentBytes = socket.write(joinedBytes(pending));
        return pending.bytes;
      }
    }
    congestion.keepBack(receiver, pending);
    return pending.bytes;
  }

  return {
    wake,
    send(receiver, frame) {
      sent++;
      if (receiver.pending !== undefined) {
        receiver.pending = append(receiver.pending, frame);
        return;
      }
      receiver.pending = append(root, frame);
      queue.push(receiver);
      wake();
    },
    drained: congestion.drained,
    hold(receiver) {
      receiver.isHeld = true;
    },
    release: congestion.release,
    forget(receiver) {
      receiver.isClosed = true;
      receiver.pending = undefined;
      congestion.forget(receiver);
    },
    get stats() {
      return { sent, ...congestion.stats };
    },
    checkProgress: congestion.checkProgress,
    close() {
      clearImmediate(turn);
      queue = [];
      next = 0;
    },
  };
}
