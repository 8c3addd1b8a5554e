import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type HttpCall, owned } from 'headgate/driver-kit';

/** A file that goes as the only one of a form, of which no more is in memory than what is on its way. */
export interface SentFile {
  /** Of the field. */
  readonly field: string;
  /** Of letters, digits, `.` and `-`. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Called once for each time that it is sent. */
  open(): Promise<Readable>;
}

/** Its length is told before, so that a file that changes meanwhile is no file. */
export function formOf({ field, name, size, open }: SentFile): Partial<HttpCall> {
  const boundary = `headgate-${randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${name}"\r\ncontent-type: application/x-java-archive\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);

  async function* form() {
    yield head;
    // Not before somebody takes it: what was never read is never closed.
    yield* await open();
    yield tail;
  }
  return {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + size + tail.length),
    },
    body: owned(Readable.from(form(), { objectMode: false })),
  };
}
