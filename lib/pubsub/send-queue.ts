import { type CongestionOptions, type CongestionStats, createCongestion } from './congestion.js';
import type { Frame } from './frame.js';
import { append, emptyPending } from './pending.js';
import type { Receiver } from './receiver.js';
import { createSweep } from './sweep.js';
import type { TurnSlice } from './turn-slice.js';

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
  readonly slice: TurnSlice;
  /** Called once a turn, before the sockets are written: the last chance to send something in this turn. */
  readonly beforeSweep: () => void;
}

export function createSendQueue<R extends Receiver>(options: SendQueueOptions<R>): SendQueue<R> {
  const { clock, slice, limits, beforeSweep } = options;
  const { highWaterBytes, hardLimitBytes } = limits;
  const congestion = createCongestion(options);
  let root = emptyPending();
  let sent = 0;
  const sweep = createSweep<R>({
    clock,
    slice,
    begin() {
      beforeSweep();
      root = emptyPending();
    },
    deliver,
  });

  function deliver(receiver: R): number {
    const { pending, socket } = receiver;
    receiver.pending = undefined;
    if (pending === undefined || receiver.isClosed) return 0;
    if (receiver.backlog === undefined && !receiver.isHeld) {
      // Looking at the socket costs: only after a write that it did not take whole.
      const unsent = receiver.unsentBytes === 0 ? 0 : socket.bufferedAmount;
      if (unsent <= highWaterBytes && unsent + pending.bytes <= hardLimitBytes) {
        receiver.unsentBytes = socket.send(pending);
        return pending.bytes;
      }
    }
    congestion.keepBack(receiver, pending);
    return pending.bytes;
  }

  return {
    wake: sweep.wake,
    send(receiver, frame) {
      sent++;
      if (receiver.pending !== undefined) {
        receiver.pending = append(receiver.pending, frame);
        return;
      }
      receiver.pending = append(root, frame);
      sweep.add(receiver);
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
    close: sweep.close,
  };
}
