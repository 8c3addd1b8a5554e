import { type Frame, payloadOf } from './frame.js';
import type { HubBatch } from './socket.js';

/**
 * What one turn of the event loop has for a socket: a path in a tree that all sockets share. Sockets that are to get
 * the same frames in the same order stand at the same node, so the frames are joined into one buffer once for all.
 */
export class Pending implements HubBatch {
  /** The continuation taken last, and the others: audiences mostly go the same way. */
  latest: Pending | undefined = undefined;
  others: Map<Frame, Pending> | undefined = undefined;
  private joined: readonly Buffer[] | undefined = undefined;
  private payloads: readonly Buffer[] | undefined = undefined;

  constructor(
    readonly frame: Frame | undefined,
    readonly before: Pending | undefined,
    /** Of all frames up to here. */
    readonly bytes: number,
  ) {}

  get frames(): readonly Buffer[] {
    this.joined ??=
      this.frame !== undefined && this.before?.frame === undefined
        ? [this.frame.bytes]
        : join(framesOf(this));
    return this.joined;
  }

  get messages(): readonly Buffer[] {
    this.payloads ??= framesOf(this).map(payloadOf);
    return this.payloads;
  }
}

export const emptyPending = (): Pending => new Pending(undefined, undefined, 0);

export function append(pending: Pending, frame: Frame): Pending {
  const { latest } = pending;
  if (latest !== undefined && latest.frame === frame) return latest;
  const known = pending.others?.get(frame);
  if (known !== undefined) return known;
  const next = new Pending(frame, pending, pending.bytes + frame.bytes.length);
  if (latest?.frame !== undefined) {
    pending.others ??= new Map();
    pending.others.set(latest.frame, latest);
  }
  pending.latest = next;
  return next;
}

/** In the order of publishing. */
export function framesOf(pending: Pending): Frame[] {
  const frames: Frame[] = [];
  for (let at: Pending | undefined = pending; at?.frame !== undefined; at = at.before) frames.push(at.frame);
  return frames.reverse();
}

/** Copying pays for small frames only; large ones go out as they are, so that no socket has its own copy of them. */
const joinUpTo = 64 * 1024;

function join(frames: readonly Frame[]): Buffer[] {
  const buffers: Buffer[] = [];
  let run: Buffer[] = [];
  let runBytes = 0;
  const endRun = () => {
    const [only] = run;
    if (only !== undefined) buffers.push(run.length === 1 ? only : Buffer.concat(run, runBytes));
    run = [];
    runBytes = 0;
  };
  for (const { bytes } of frames) {
    if (runBytes + bytes.length > joinUpTo) endRun();
    run.push(bytes);
    runBytes += bytes.length;
  }
  endRun();
  return buffers;
}
