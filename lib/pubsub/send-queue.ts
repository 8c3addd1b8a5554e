import type { Clock } from '../interfaces/clock.js';
import { type Backlog, createBacklog } from './backlog.js';
import type { Frame } from './frame.js';
import type { HubLimits } from './limits.js';
import { append, emptyPending, framesOf, join, joinedBytes, type Pending } from './pending.js';
import type { HubSocket } from './socket.js';
import type { TurnBudget } from './turn-budget.js';

/** One socket, as far as sending goes. the send queue owns these members; everybody else leaves them alone. */
export interface Receiver {
  readonly socket: HubSocket;
  /** What this turn of the event loop has for it. */
  pending: Pending | undefined;
  /** Present while the socket is above its high-water mark, or held. */
  backlog: Backlog | undefined;
  /** Nothing is sent before its rights are known again. */
  isHeld: boolean;
  isClosed: boolean;
  /** What was unsent when we last looked, and when that last became less. */
  unsentBytes: number;
  movedAt: number;
}

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

export interface SendQueueStats {
  /** Messages for sockets, since the start. */
  readonly sent: number;
  /** Snapshots that slow sockets were spared, since the start: a newer one came. */
  readonly skipped: number;
  /** Sockets that don't keep up at the moment, and what waits for them. */
  readonly slowSockets: number;
  readonly waitingBytes: number;
}

interface SendQueueOptions<R extends Receiver> {
  readonly clock: Clock;
  readonly budget: TurnBudget;
  readonly limits: Pick<HubLimits, 'highWaterBytes' | 'hardLimitBytes' | 'stallMs'>;
  /** Called once a turn, before the sockets are written: the last chance to send something in this turn. */
  readonly beforeSweep: () => void;
  /** The receiver is beyond its limits: close it. */
  readonly onTooSlow: (receiver: R, reason: string) => void;
}

/** How much is written between two looks at the clock: sockets, and bytes. */
const stride = { sockets: 32, bytes: 1024 * 1024 };

/** What a sweep has of a turn, however little is left of it. */
const leastMs = 2;

export function createSendQueue<R extends Receiver>(options: SendQueueOptions<R>): SendQueue<R> {
  const { clock, budget, limits, beforeSweep, onTooSlow } = options;
  const { highWaterBytes, hardLimitBytes } = limits;
  const congested = new Set<R>();
  let queue: R[] = [];
  let next = 0;
  let root = emptyPending();
  let turn: NodeJS.Immediate | undefined;
  let sent = 0;
  let skipped = 0;

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
    keepBack(receiver, pending);
    return pending.bytes;
  }

  function keepBack(receiver: R, pending: Pending): void {
    const backlog = backlogOf(receiver);
    for (const frame of framesOf(pending)) if (backlog.add(frame)) skipped++;
    if (receiver.socket.bufferedAmount <= highWaterBytes) drain(receiver);
    if (backlog.bytes + receiver.socket.bufferedAmount > hardLimitBytes) {
      onTooSlow(receiver, `more than ${hardLimitBytes} bytes wait for you`);
    }
  }

  function backlogOf(receiver: R): Backlog {
    if (receiver.backlog === undefined) {
      receiver.backlog = createBacklog();
      receiver.unsentBytes = receiver.socket.bufferedAmount;
      receiver.movedAt = clock.monotonic();
      congested.add(receiver);
    }
    return receiver.backlog;
  }

  /** Refills the socket up to its high-water mark; the next `drained` goes on. */
  function drain(receiver: R): void {
    const { backlog, socket } = receiver;
    if (backlog === undefined || receiver.isHeld || receiver.isClosed) return;
    receiver.movedAt = clock.monotonic();
    while (backlog.bytes > 0 && socket.bufferedAmount <= highWaterBytes) {
      socket.write(join(backlog.take(highWaterBytes)));
    }
    receiver.unsentBytes = socket.bufferedAmount;
    if (backlog.bytes === 0) settle(receiver);
  }

  function settle(receiver: R): void {
    receiver.backlog = undefined;
    congested.delete(receiver);
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
    drained: drain,
    hold(receiver) {
      receiver.isHeld = true;
    },
    release(receiver, wanted) {
      receiver.isHeld = false;
      if (receiver.pending !== undefined) {
        // Published before the rights changed, or while they were unknown: sorted out with the rest.
        const backlog = backlogOf(receiver);
        for (const frame of framesOf(receiver.pending)) backlog.add(frame);
        receiver.pending = undefined;
      }
      receiver.backlog?.keep(wanted);
      if (receiver.socket.bufferedAmount <= highWaterBytes) drain(receiver);
    },
    forget(receiver) {
      receiver.isClosed = true;
      receiver.pending = undefined;
      settle(receiver);
    },
    get stats() {
      let waitingBytes = 0;
      for (const { backlog } of congested) waitingBytes += backlog?.bytes ?? 0;
      return { sent, skipped, slowSockets: congested.size, waitingBytes };
    },
    checkProgress() {
      const now = clock.monotonic();
      for (const receiver of congested) {
        const unsent = receiver.socket.bufferedAmount;
        if (unsent < receiver.unsentBytes || receiver.isHeld) receiver.movedAt = now;
        receiver.unsentBytes = unsent;
        if (now - receiver.movedAt > limits.stallMs) {
          onTooSlow(receiver, `nothing was taken for ${limits.stallMs} ms`);
        }
      }
    },
    close() {
      clearImmediate(turn);
      queue = [];
      next = 0;
    },
  };
}
