import type { LastEntries } from './topic.js';

/** One published message, ready for the wire. One buffer for header and payload, shared by all receivers. */
export interface Frame {
  readonly bytes: Buffer;
  readonly topic: string;
  /** A newer frame of the same topic makes this one unnecessary. */
  readonly isSnapshot: boolean;
  /** Of a list: what it names for the last time. */
  readonly lastEntries?: LastEntries;
  /** Where there are words: the newer frame of the topic, with them, for receivers that are spared this one. */
  carryInto?(newer: Frame): Frame;
}

/** Makes the frames of one topic; all but the data is serialized once. */
export interface Framer {
  /** `data` is JSON text, or its UTF-8. `room` gives the memory for it. */
  frame(data: Buffer | string, room?: (length: number) => Buffer): Frame;
  /** The data of a frame of this topic, as JSON text. */
  dataOf(frame: Frame): string;
}

export function createFramer(topic: string, isSnapshot: boolean): Framer {
  const before = Buffer.from(`{"type":"data","topic":${JSON.stringify(topic)},"data":`);
  return {
    frame(data, room = Buffer.allocUnsafe) {
      const dataLength = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
      const length = before.length + dataLength + 1;
      const start = headerLength(length);
      const bytes = room(start + length);
      writeHeader(bytes, length);
      bytes.set(before, start);
      if (typeof data === 'string') bytes.write(data, start + before.length);
      else bytes.set(data, start + before.length);
      bytes[start + length - 1] = 0x7d;
      return { bytes, topic, isSnapshot };
    },
    dataOf({ bytes }) {
      return bytes.toString('utf8', payloadStart(bytes) + before.length, bytes.length - 1);
    },
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

/** The JSON text of the message, without the header: the same memory. */
export const payloadOf = ({ bytes }: Frame): Buffer => bytes.subarray(payloadStart(bytes));

// RFC 6455, 5.2: from a server, unmasked, final fragment, text.
const finalText = 0x81;

const headerLength = (payload: number): number => (payload < 126 ? 2 : payload < 65_536 ? 4 : 10);

function payloadStart(bytes: Buffer): number {
  const short = bytes[1] ?? 0;
  return short < 126 ? 2 : short === 126 ? 4 : 10;
}

function writeHeader(bytes: Buffer, payload: number): void {
  bytes[0] = finalText;
  if (payload < 126) bytes[1] = payload;
  else if (payload < 65_536) {
    bytes[1] = 126;
    bytes.writeUInt16BE(payload, 2);
  } else {
    bytes[1] = 127;
    bytes.writeUInt32BE(Math.floor(payload / 2 ** 32), 2);
    bytes.writeUInt32BE(payload % 2 ** 32, 6);
  }
}
