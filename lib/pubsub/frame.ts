/** One published message, ready for the wire. One buffer for header and payload, shared by all receivers. */
export interface Frame {
  readonly bytes: Buffer;
  readonly topic: string;
  /** A newer frame of the same topic makes this one unnecessary. */
  readonly isSnapshot: boolean;
}

/** Makes the frames of one topic; all but the data is serialized once. `data` is JSON text in UTF-8. */
export type Framer = (data: Buffer) => Frame;

export function createFramer(topic: string, isSnapshot: boolean): Framer {
  const before = Buffer.from(`{"type":"data","topic":${JSON.stringify(topic)},"data":`);
  return (data) => {
    const length = before.length + data.length + 1;
    const start = headerLength(length);
    const bytes = Buffer.allocUnsafe(start + length);
    writeHeader(bytes, length);
    bytes.set(before, start);
    bytes.set(data, start + before.length);
    bytes[start + length - 1] = 0x7d;
    return { bytes, topic, isSnapshot };
  };
}

/** A whole text message, for what is no `data` message. */
export function textFrame(topic: string, text: string): Frame {
  const length = Buffer.byteLength(text);
  const start = headerLength(length);
  const bytes = Buffer.allocUnsafe(start + length);
  writeHeader(bytes, length);
  bytes.write(text, start);
  return { bytes, topic, isSnapshot: false };
}

// RFC 6455, 5.2: from a server, unmasked, final fragment, text.
const finalText = 0x81;

const headerLength = (payload: number): number => (payload < 126 ? 2 : payload < 65_536 ? 4 : 10);

function writeHeader(bytes: Buffer, payload: number): void {
  bytes[0] = finalText;
  if (payload < 126) bytes[1] = payload;
  else if (payload < 65_536) {
    bytes[1] = 126;
    bytes.writeUInt16BE(payload, 2);
  } else {
    bytes[1] = 127;
    bytes.writeBigUInt64BE(BigInt(payload), 2);
  }
}
