/**
 * Bytes that arrive in chunks, taken in pieces of any length. What is given is valid until the next call, and a chunk is
 * not looked at any more when the next one is asked for: its owner may use it again.
 */
export interface Bytes {
  /** How many were taken. */
  readonly position: number;
  /** What `peek` would resolve, without a promise: `undefined` unless so many are at hand in one piece. */
  near(length: number): Buffer | undefined;
  /** Exactly that many without taking them; fewer only at the end. */
  peek(length: number): Promise<Buffer>;
  /** Exactly that many; fewer only at the end. */
  take(length: number): Promise<Buffer>;
  /** What is at hand without taking it, at least one byte and at most `max`; nothing at the end. Copies nothing. */
  some(max: number): Promise<Buffer | undefined>;
  /** Takes that many of what `peek` or `some` gave. */
  skip(length: number): void;
}

const nothing: Buffer = Buffer.alloc(0);

export function bytesOf(source: AsyncIterable<Buffer>): Bytes {
  const chunks = source[Symbol.asyncIterator]();
  let chunk = nothing;
  /** What comes before `chunk`: the end of earlier ones, in a buffer that stays, for large ones are dear to collect. */
  let carried = nothing;
  let space = nothing;
  let position = 0;

  function carry(length: number): void {
    const total = carried.length + length;
    const target = total <= space.length ? space : Buffer.allocUnsafe(total);
    carried.copy(target);
    chunk.copy(target, carried.length, 0, length);
    space = target;
    carried = target.subarray(0, total);
    chunk = chunk.subarray(length);
  }

  /** The first bytes that were not taken, that many in one piece or all up to the end. */
  async function hold(length: number): Promise<Buffer> {
    while (carried.length + chunk.length < length) {
      if (chunk.length > 0) carry(chunk.length);
      chunk = nothing;
      const { done, value } = await chunks.next();
      if (done) return carried;
      chunk = value;
    }
    if (carried.length === 0) return chunk;
    if (carried.length < length) carry(length - carried.length);
    return carried;
  }

  function skip(length: number): void {
    position += length;
    if (carried.length > 0) carried = carried.subarray(length);
    else chunk = chunk.subarray(length);
  }

  return {
    get position() {
      return position;
    },
    near(length) {
      const held = carried.length === 0 ? chunk : carried;
      return held.length < length ? undefined : held.subarray(0, length);
    },
    async peek(length) {
      return (await hold(length)).subarray(0, length);
    },
    async take(length) {
      const bytes = (await hold(length)).subarray(0, length);
      skip(bytes.length);
      return bytes;
    },
    async some(max) {
      const bytes = (await hold(1)).subarray(0, max);
      return bytes.length === 0 ? undefined : bytes;
    },
    skip,
  };
}
