/** Makes one piece of bytes of texts: before each of them four bytes with its length. */
export type Frames = (texts: readonly string[], isPreviousSent: boolean) => Buffer;

/** More than this is not kept for the next one. */
const keptBytes = 4 * 1024 ** 2;
const lengthBytes = 4;

/**
 * Into the same memory again and again, once the frame before is sent: what the system has to find and clear anew for each
 * round, and the collector to follow, would cost more than all else that a host does for a round.
 */
export function createFrames(): Frames {
  let kept = Buffer.alloc(0);

  function room(bytes: number, isPreviousSent: boolean): Buffer {
    if (isPreviousSent && bytes <= kept.length) return kept;
    // Topics grow little by little.
    const made = Buffer.allocUnsafeSlow(Math.ceil(bytes * 1.25));
    if (made.length <= keptBytes) kept = made;
    return made;
  }

  return (texts, isPreviousSent) => {
    const lengths = texts.map((text) => Buffer.byteLength(text));
    const bytes = lengths.reduce((sum, length) => sum + lengthBytes + length, 0);
    const frame = room(bytes, isPreviousSent);
    let at = 0;
    for (const [index, text] of texts.entries()) {
      at = frame.writeUInt32LE(lengths[index] ?? 0, at);
      at += frame.write(text, at);
    }
    return frame.subarray(0, at);
  };
}
