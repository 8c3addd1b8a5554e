// The lines of `text/event-stream` (WHATWG HTML, 9.2.5).

const field = Buffer.from('data: ');
const end = Buffer.from('\n\n');

/** JSON text as one event: where there are line ends in it, a field for each line, which the client joins by line ends. */
export function eventOf(json: Buffer): Buffer {
  const hasLineEnds = json.includes(0x0a) || json.includes(0x0d);
  const lines = hasLineEnds ? Buffer.from(json.toString().replace(/\r\n|\r|\n/g, '\ndata: ')) : json;
  return Buffer.concat([field, lines, end]);
}

/** `data` is one line. */
export const namedEvent = (name: string, data: string): Buffer =>
  Buffer.from(`event: ${name}\ndata: ${data}\n\n`);

/** Nothing that a client hears of. */
export const commentEvent = Buffer.from(':\n\n');

/** How long clients wait before they come again. */
export const retryEvent = (millis: number): Buffer => Buffer.from(`retry: ${millis}\n\n`);
