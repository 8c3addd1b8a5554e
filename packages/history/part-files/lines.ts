/** Longer lines are left out: nobody wrote them. */
const maxLineLength = 8 * 1024 * 1024;

/** Whole lines of a stream of UTF-8; what comes after the last line break was cut, or is still being written. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let tooLong = false;
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      if (!tooLong) yield rest + line;
      rest = '';
      tooLong = false;
    }
    if (rest.length + last.length > maxLineLength) {
      tooLong = true;
      rest = '';
    } else if (!tooLong) rest += last;
  }
}
