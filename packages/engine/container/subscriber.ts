import { connect, type Socket } from 'node:net';
import { decodeBatch } from './batches.js';
import type { Channel } from './channel.js';
import { createFrameCutter, type Frame, frameKind } from './frames.js';
import type { Root } from './scheduler.js';

/** Received but not yet handled bytes beyond which the socket is not read. */
const queueBytes = 512 * 1024;
/** How long a lost connection may wait for the engine to say what to do. */
const orphanMillis = 5000;

interface SubscriberOptions {
  readonly address: string;
  readonly publisher: string;
  readonly subscriber: string;
  /** The last window that the reader's checkpoint contains. */
  readonly window: number;
  readonly channel: Channel;
  readonly gatesOpen: () => boolean;
  readonly wake: () => void;
  readonly fail: (error: Error) => void;
}

/** Reads one stream from a publisher in another container. */
export class Subscriber implements Root {
  readonly #options: SubscriberOptions;
  readonly #cut = createFrameCutter();
  #socket: Socket | undefined;
  #frames: Frame[] = [];
  #head = 0;
  #bytes = 0;
  #ended = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  open(): void {
    const { address, publisher, subscriber, window } = this.#options;
    const socket = connect(address);
    this.#socket = socket;
    socket.on('connect', () => socket.write(`${JSON.stringify({ publisher, subscriber, window })}\n`));
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#lost());
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
  }

  /** Handles one frame; tells whether there was one. */
  step(): boolean {
    const frame = this.#frames[this.#head];
    if (!frame || !this.#options.gatesOpen()) return false;
    this.#head++;
    if (this.#head === this.#frames.length) {
      this.#frames = [];
      this.#head = 0;
    }
    this.#bytes -= frame.body.length;
    this.#options.channel.arrived -= frame.tuples;
    if (this.#bytes < queueBytes / 2 && this.#socket?.isPaused()) this.#socket.resume();
    this.#handle(frame);
    return true;
  }

  /** Data wakes it; nothing is due by itself. */
  due(): number {
    return Infinity;
  }

  #handle(frame: Frame): void {
    const { channel } = this.#options;
    if (frame.kind === frameKind.data || frame.kind === frameKind.texts) {
      channel.bytes += frame.body.length;
      const tuples = decodeBatch(frame);
      for (let i = 0; i < tuples.length; i++) channel.put(tuples[i]);
    } else if (frame.kind === frameKind.begin) channel.begin(frame.window);
    else if (frame.kind === frameKind.end) channel.end(frame.window);
    else channel.eos();
  }

  #receive(chunk: Buffer): void {
    this.#attempts = Infinity;
    try {
      for (const frame of this.#cut(chunk)) {
        if (frame.kind === frameKind.eos) this.#ended = true;
        this.#frames.push(frame);
        this.#bytes += frame.body.length;
        this.#options.channel.arrived += frame.tuples;
      }
    } catch (error) {
      this.#options.fail(error instanceof Error ? error : new Error(String(error)));
    }
    if (this.#bytes > queueBytes) this.#socket?.pause();
    this.#options.wake();
  }

  /** Before the first byte the publisher may not listen yet; later only the engine knows what happened. */
  #lost(): void {
    if (this.#closed || this.#ended) return;
    if (this.#attempts < 50) {
      this.#attempts++;
      this.#timer = setTimeout(() => this.open(), 100);
      return;
    }
    this.#timer = setTimeout(() => {
      this.#options.fail(new Error(`The connection to ${this.#options.publisher} was lost`));
    }, orphanMillis);
  }
}
