// A frame: 4 bytes length of the rest, 1 byte kind, 8 bytes window (double), 4 bytes number of tuples, then for data and
// texts a batch of them, see `batches.ts`. Little endian.

export const frameKind = { data: 0, begin: 1, end: 2, eos: 3, texts: 4 } as const;
const headerBytes = 17;
/** A frame holds one batch; a larger one can only come from single giant tuples. */
const maxFrameBytes = 64 * 1024 * 1024;
export const maxBodyBytes: number = maxFrameBytes - headerBytes;

export interface Frame {
  readonly kind: number;
  readonly window: number;
  /** How many are in it, for who has not looked into it yet. */
  readonly tuples: number;
  readonly body: Buffer;
}

export function encodeMarker(kind: number, window: number): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes);
  writeHeader(frame, { kind, window, tuples: 0 });
  return frame;
}

/** A frame with its header, and room for so many bytes of a body. */
export function encodeFrame(
  header: Omit<Frame, 'body'>,
  bodyBytes: number,
): { readonly frame: Buffer; readonly bodyAt: number } {
  const frame = Buffer.allocUnsafeSlow(headerBytes + bodyBytes);
  writeHeader(frame, header);
  return { frame, bodyAt: headerBytes };
}

function writeHeader(frame: Buffer, { kind, window, tuples }: Omit<Frame, 'body'>): void {
  frame.writeUInt32LE(frame.length - 4, 0);
  frame[4] = kind;
  frame.writeDoubleLE(window, 5);
  frame.writeUInt32LE(tuples, 13);
}

/** Cuts a byte stream into frames. */
export function createFrameCutter(): (chunk: Buffer) => Frame[] {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let wanted = 4;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < wanted) return [];
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    const frames: Frame[] = [];
    wanted = 4;
    while (rest.length >= 4) {
      const length = rest.readUInt32LE(0);
      if (length < headerBytes - 4 || length > maxFrameBytes)
        throw new Error(`A frame claims ${length} bytes`);
      wanted = 4 + length;
      if (rest.length < wanted) break;
      frames.push({
        kind: rest[4] ?? 0,
        window: rest.readDoubleLE(5),
        tuples: rest.readUInt32LE(13),
        body: rest.subarray(headerBytes, wanted),
      });
      rest = rest.subarray(wanted);
      wanted = 4;
    }
    chunks = rest.length > 0 ? [rest] : [];
    bytes = rest.length;
    return frames;
  };
}
