/** Bytes that arrive in chunks, taken in pieces of any length. */
export interface Bytes {
  /** How many were taken. */
  readonly position: number;
  /** Exactly that many without taking them; fewer only at the end. */
  peek(length: number): Promise<Buffer>;
  /** Exactly that many; fewer only at the end. */
  take(length: number): Promise<Buffer>;
  /** What is at hand, at least one byte and at most `max`; nothing at the end. Copies nothing. */
  some(max: number): Promise<Buffer | undefined>;
  /** Puts back the end of what was taken last. */
  putBack(bytes: Buffer): void;
}

export function bytesOf(source: AsyncIterable<Buffer>): Bytes {
  const chunks = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let position = 0;

  /** Until that many are held, or the end. Copies once, however many chunks it takes. */
  async function hold(length: number): Promise<void> {
    if (held.length >= length) return;
    const parts = held.length === 0 ? [] : [held];
    for (let total = held.length; total < length; ) {
      const { done, value } = await chunks.next();
      if (done) break;
      parts.push(value);
      total += value.length;
    }
    held = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  function taken(length: number): Buffer {
    const bytes = held.subarray(0, length);
    held = held.subarray(bytes.length);
    position += bytes.length;
    return bytes;
  }

  return {
    get position() {
      return position;
    },
    async peek(length) {
      await hold(length);
      return held.subarray(0, length);
    },
    async take(length) {
      await hold(length);
      return taken(length);
    },
    async some(max) {
      await hold(1);
      return held.length === 0 ? undefined : taken(max);
    },
    putBack(bytes) {
      held = held.length === 0 ? bytes : Buffer.concat([bytes, held]);
      position -= bytes.length;
    },
  };
}
