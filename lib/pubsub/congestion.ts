import type { Clock } from '../interfaces/clock.js';
import { type Backlog, createBacklog } from './backlog.js';
import type { HubLimits } from './limits.js';
import { append, emptyPending, framesOf, type Pending } from './pending.js';
import type { Receiver } from './receiver.js';
import type { HubSocket } from './socket.js';

/** The sockets that can't keep up: what waits for each of them, and the end of those that never catch up. */
interface Congestion<R extends Receiver> {
  /** Takes what the socket can't take now behind what waits already. */
  keepBack(receiver: R, pending: Pending): void;
  /** Refills the socket up to its high-water mark; the next `drained` goes on. */
  drained(receiver: R): void;
  /** Goes on with one that was held, without what `wanted` refuses by topic. */
  release(receiver: R, wanted: (topic: string) => boolean): void;
  forget(receiver: R): void;
  /** Ends receivers that took nothing for too long, and goes on with those of which nobody told it. Called about once a second. */
  checkProgress(): void;
  readonly stats: CongestionStats;
}

export interface CongestionStats {
  /** Snapshots that slow sockets were spared, since the start: a newer one came. */
  readonly skipped: number;
  /** Sockets that don't keep up at the moment, and what waits for them. */
  readonly slowSockets: number;
  readonly waitingBytes: number;
}

export interface CongestionOptions<R extends Receiver> {
  readonly clock: Clock;
  readonly limits: Pick<HubLimits, 'highWaterBytes' | 'hardLimitBytes' | 'stallMs'>;
  /** The receiver is beyond its limits: close it. */
  readonly onTooSlow: (receiver: R, reason: string) => void;
}

export function createCongestion<R extends Receiver>(options: CongestionOptions<R>): Congestion<R> {
  const { clock, limits, onTooSlow } = options;
  const { highWaterBytes, hardLimitBytes } = limits;
  const congested = new Set<R>();
  let skipped = 0;

  function backlogOf(receiver: R): Backlog {
    if (receiver.backlog === undefined) {
      receiver.backlog = createBacklog();
      receiver.unsentBytes = receiver.socket.bufferedAmount;
      receiver.movedAt = clock.monotonic();
      congested.add(receiver);
    }
    return receiver.backlog;
  }

  function drain(receiver: R): void {
    const { backlog, socket } = receiver;
    if (backlog === undefined || receiver.isHeld || receiver.isClosed) return;
    receiver.movedAt = clock.monotonic();
    refill(socket, backlog, highWaterBytes);
    receiver.unsentBytes = socket.bufferedAmount;
    if (backlog.bytes === 0) settle(receiver);
  }

  function settle(receiver: R): void {
    receiver.backlog = undefined;
    congested.delete(receiver);
  }

  function checkProgressOf(receiver: R): void {
    const now = clock.monotonic();
    const unsent = receiver.socket.bufferedAmount;
    if (unsent < receiver.unsentBytes || receiver.isHeld) receiver.movedAt = now;
    receiver.unsentBytes = unsent;
    if (now - receiver.movedAt > limits.stallMs) {
      onTooSlow(receiver, `nothing was taken for ${limits.stallMs} ms`);
    }
    // Some hosts can't tell when a socket has sent everything.
    else if (unsent <= highWaterBytes) drain(receiver);
  }

  return {
    keepBack(receiver, pending) {
      const backlog = backlogOf(receiver);
      skipped += addAll(backlog, pending);
      if (receiver.socket.bufferedAmount <= highWaterBytes) drain(receiver);
      if (backlog.bytes + receiver.socket.bufferedAmount > hardLimitBytes) {
        onTooSlow(receiver, `more than ${hardLimitBytes} bytes wait for you`);
      }
    },
    drained: drain,
    release(receiver, wanted) {
      receiver.isHeld = false;
      if (receiver.pending !== undefined) {
        // Published before the rights changed, or while they were unknown: sorted out with the rest.
        addAll(backlogOf(receiver), receiver.pending);
        receiver.pending = undefined;
      }
      receiver.backlog?.keep(wanted);
      if (receiver.socket.bufferedAmount <= highWaterBytes) drain(receiver);
    },
    forget: settle,
    checkProgress() {
      for (const receiver of congested) checkProgressOf(receiver);
    },
    get stats() {
      let waitingBytes = 0;
      for (const { backlog } of congested) waitingBytes += backlog?.bytes ?? 0;
      return { skipped, slowSockets: congested.size, waitingBytes };
    },
  };
}

/** Returns how many older frames gave way. */
function addAll(backlog: Backlog, pending: Pending): number {
  let skipped = 0;
  for (const frame of framesOf(pending)) if (backlog.add(frame)) skipped++;
  return skipped;
}

/** Sends what waits while the socket is not above its high-water mark. */
function refill(socket: HubSocket, backlog: Backlog, highWaterBytes: number): void {
  while (backlog.bytes > 0 && socket.bufferedAmount <= highWaterBytes) {
    socket.send(backlog.take(highWaterBytes).reduce(append, emptyPending()));
  }
}
