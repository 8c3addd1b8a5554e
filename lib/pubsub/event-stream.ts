import { Readable } from 'node:stream';
import { commentEvent, eventOf, namedEvent, retryEvent } from './server-sent-events.js';
import type { HubBatch, HubConnection, HubSocket } from './socket.js';

/**
 * A socket of the hub that only sends, as the body of an answer. How much of it waits is what the hub judges slow clients by:
 * its own queue and what the stream holds before the host's socket takes it.
 */
export class EventStream extends Readable implements HubSocket {
  private readonly connection: HubConnection;
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** The reader has room, and nothing was there. */
  private isAsked = false;
  private wasFull = false;
  private isOver = false;
  private ending: NodeJS.Timeout | undefined;

  constructor(private readonly place: { connect(socket: HubSocket): HubConnection; leave(): void }) {
    super();
    // Clients of a gateway that went away must not all come back in the same moment.
    this.add(retryEvent(1000 + Math.round(Math.random() * 4000)));
    this.connection = place.connect(this);
  }

  subscribe(topic: string): void {
    if (!this.isOver) this.connection.receive(Buffer.from(JSON.stringify({ type: 'subscribe', topic })));
  }

  send(batch: HubBatch): number {
    if (!this.isOver) this.add(bytesOf(batch));
    return this.bufferedAmount;
  }

  get bufferedAmount(): number {
    return this.waitingBytes + this.readableLength;
  }

  /** Nobody can answer it. What the connection took before is the sign of life, and TCP finds out about the rest. */
  ping(): void {
    if (this.isOver) return;
    if (this.bufferedAmount === 0) this.connection.alive();
    this.add(commentEvent);
  }

  close(code: number, reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.add(namedEvent('close', JSON.stringify({ code, reason })));
    this.ending = setTimeout(() => this.destroy(), closingMillis).unref();
  }

  terminate(): void {
    this.destroy();
  }

  override _read(): void {
    const next = this.waiting.shift();
    if (next) {
      this.waitingBytes -= next.length;
      this.push(next);
    } else if (this.isOver) this.push(null);
    else {
      this.isAsked = true;
      if (this.wasFull) {
        this.wasFull = false;
        this.connection.drained();
      }
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.isOver = true;
    clearTimeout(this.ending);
    this.connection.closed();
    this.place.leave();
    done(error);
  }

  private add(bytes: Buffer): void {
    if (this.isAsked) {
      this.isAsked = false;
      this.push(bytes);
    } else {
      this.waiting.push(bytes);
      this.waitingBytes += bytes.length;
      this.wasFull = true;
    }
  }
}

/** For what waits, and the reason behind it, to reach a client that may have stopped reading. */
const closingMillis = 5000;

/** Made once for all streams that get the same batch. */
const encoded = new WeakMap<HubBatch, Buffer>();

function bytesOf(batch: HubBatch): Buffer {
  const known = encoded.get(batch);
  if (known) return known;
  const bytes = Buffer.concat(batch.messages.map(eventOf));
  encoded.set(batch, bytes);
  return bytes;
}
