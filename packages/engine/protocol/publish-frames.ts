// What operators publish comes over a channel of its own beside that of orders, as the bytes that go on to the hub. A
// frame: 4 bytes length of the topic, 4 bytes length of the data, both little endian, then the two as UTF-8.

/** File descriptor in the container. */
export const publishChannel = 5;
/** UTF-16 units of one topic, and of the JSON text of one message. */
export const maxTopicLength = 1024;
export const maxDataLength = 1024 * 1024;

const headerBytes = 8;
/** Of UTF-8, that one UTF-16 unit takes at most. */
const unitBytes = 3;

export function encodePublish(topic: string, text: string): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const dataBytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes + topicBytes + dataBytes);
  frame.writeUInt32LE(topicBytes, 0);
  frame.writeUInt32LE(dataBytes, 4);
  frame.write(topic, headerBytes);
  frame.write(text, headerBytes + topicBytes);
  return frame;
}

/**
 * Takes the bytes as they come, and gives `publish` each message that is whole. `false`: what comes is no frame, so that
 * nothing after it can be read either. Whether the data is JSON is not looked at.
 */
export function createPublishReader(
  publish: (topic: string, data: Buffer) => void,
): (chunk: Buffer) => boolean {
  let chunks: Buffer[] = [];
  let length = 0;
  let wanted = headerBytes;
  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < wanted) return true;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, length);
    wanted = headerBytes;
    while (rest.length >= headerBytes) {
      const topicBytes = rest.readUInt32LE(0);
      const dataBytes = rest.readUInt32LE(4);
      if (topicBytes > maxTopicLength * unitBytes || dataBytes > maxDataLength * unitBytes) return false;
      wanted = headerBytes + topicBytes + dataBytes;
      if (rest.length < wanted) break;
      const dataAt = headerBytes + topicBytes;
      publish(rest.toString('utf8', headerBytes, dataAt), rest.subarray(dataAt, wanted));
      rest = rest.subarray(wanted);
      wanted = headerBytes;
    }
    chunks = rest.length > 0 ? [rest] : [];
    length = rest.length;
    return true;
  };
}
