import { Readable } from 'node:stream';
import type { ReadableStream, ReadableStreamDefaultReader } from 'node:stream/web';
import { ClientHungUp } from '../../lib/driver-kit.js';
import { maxDiscardedBytes } from './outgoing.js';

/**
 * The body of a `Request` as a stream of Node. What is left of a destroyed one is read away: to cancel it would close the
 * connection, and the client would never read why its upload was refused.
 */
export class WebBody extends Readable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #isRead = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    super();
    this.#reader = stream.getReader();
  }

  /** All of it has come. */
  get isRead(): boolean {
    return this.#isRead;
  }

  override _read(): void {
    this.#next().then(
      (bytes) => this.push(bytes ?? null),
      (error: unknown) => this.destroy(new ClientHungUp(error)),
    );
  }

  /** Resolves when all of it came, too much of it, or the client is gone. */
  async discard(): Promise<void> {
    this.destroy();
    try {
      for (let left = maxDiscardedBytes; left >= 0; ) {
        const bytes = await this.#next();
        if (!bytes) return;
        left -= bytes.length;
      }
      await this.#reader.cancel();
    } catch {
      // Nobody is there any more.
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#reader.read();
    this.#isRead ||= done;
    return value;
  }
}

/** Of a body that the host has read. */
export class SpentBody extends Readable {
  override readonly readableDidRead = true;
}
