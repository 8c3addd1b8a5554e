/** Bytes that arrive in chunks, taken in pieces of any length. What is given is valid until the next call. */
export interface Bytes {
  /** How many were taken. */
  readonly position: number;
  /** Exactly that many without taking them; fewer only at the end. */
  peek(length: number): Promise<Buffer>;
  /** Exactly that many; fewer only at the end. */
  take(length: number): Promise<Buffer>;
  /** What is at hand, at least one byte and at most `max`; nothing at the end. */
  some(max: number): Promise<Buffer | undefined>;
  /** Puts back the end of what `some` gave last. */
  putBack(bytes: Buffer): void;
}

export function bytesOf(source: AsyncIterable<Buffer>): Bytes {
  const arriving = source[Symbol.asyncIterator]();
  /** None of them is empty. */
  const chunks: Buffer[] = [];
  let held = 0;
  let position = 0;
  // For pieces that reach over the end of a chunk; always the same one, because large buffers are dear to collect.
  let joined = Buffer.alloc(0);

  /** Until that many are held, or the end. */
  async function hold(length: number): Promise<void> {
    while (held < length) {
      const { done, value } = await arriving.next();
      if (done) return;
      if (value.length === 0) continue;
      chunks.push(value);
      held += value.length;
    }
  }

  function first(length: number): Buffer {
    const wanted = Math.min(length, held);
    const [chunk = joined] = chunks;
    if (wanted <= chunk.length) return chunk.subarray(0, wanted);
    if (joined.length < wanted) joined = Buffer.allocUnsafe(wanted);
    let filled = 0;
    for (const part of chunks) {
      if (filled < wanted) filled += part.copy(joined, filled, 0, wanted - filled);
    }
    return joined.subarray(0, wanted);
  }

  function drop(length: number): void {
    position += length;
    held -= length;
    for (let left = length; left > 0; ) {
      const chunk = chunks.shift();
      if (!chunk) return;
      if (chunk.length > left) chunks.unshift(chunk.subarray(left));
      left -= chunk.length;
    }
  }

  return {
    get position() {
      return position;
    },
    async peek(length) {
      await hold(length);
      return first(length);
    },
    async take(length) {
      await hold(length);
      const bytes = first(length);
      drop(bytes.length);
      return bytes;
    },
    async some(max) {
      await hold(1);
      const [chunk] = chunks;
      const bytes = chunk?.subarray(0, max);
      if (bytes) drop(bytes.length);
      return bytes;
    },
    putBack(bytes) {
      if (bytes.length > 0) chunks.unshift(bytes);
      held += bytes.length;
      position -= bytes.length;
    },
  };
}
