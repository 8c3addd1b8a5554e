/** Makes one piece of bytes of texts: before each of them four bytes with its length. */
type Frames = (texts: readonly string[], isPreviousSent: boolean) => Buffer;

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
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    const lengths = texts.length * lengthBytes;
    let frame: Buffer | undefined;
    // Nearly all texts are ASCII, and counting their bytes first would cost more than writing them. A character has three at most.
    for (let bytes = 1; !frame; bytes = 3)
      frame = framed(texts, room(lengths + characters * bytes, isPreviousSent));
    return frame;
  };
}

const encoder = new TextEncoder();

/** `undefined`: there is no room for them. */
function framed(texts: readonly string[], frame: Buffer): Buffer | undefined {
  let at = 0;
  for (const text of texts) {
    const place = at + lengthBytes;
    if (place > frame.length) return undefined;
    const { read, written } = encoder.encodeInto(text, frame.subarray(place));
    if (read < text.length) return undefined;
    frame.writeUInt32LE(written, at);
    at = place + written;
  }
  return frame.subarray(0, at);
}
