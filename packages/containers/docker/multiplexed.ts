/**
 * The text of what a program without a terminal printed: frames of a kind, three zeros, a length of four bytes and that
 * many bytes. At most `maxBytes` of its end.
 */
export function textOfFrames(bytes: Buffer, maxBytes = 4096): string {
  const parts: Buffer[] = [];
  let at = 0;
  while (at + 8 <= bytes.length) {
    const length = bytes.readUInt32BE(at + 4);
    parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(parts).subarray(-maxBytes).toString('utf8');
}

/** For one sentence: the last line that says something, without what a terminal would not show. */
export function lastLineOf(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim());
  return lines.findLast((line) => line !== '')?.slice(0, 300);
}
