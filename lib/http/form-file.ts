import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { finished, Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { DocumentedError } from '../model/errors.js';
import { owned } from '../runtime/owned.js';

class FormNotValid extends DocumentedError {
  constructor(what: string) {
    super(
      'FORM_NOT_VALID',
      `${what}; send a form with one file, or the file alone as application/octet-stream`,
    );
  }
}

/** Whatever else is in a form is let pass, so far. */
const limits = { files: 1, fields: 100, parts: 100, fieldSize: 64 * 1024, headerPairs: 100 };

export const formType = 'multipart/form-data';

/** A form with a file, as pages send it. */
export const isForm = ({ 'content-type': type }: IncomingHttpHeaders): boolean =>
  /^multipart\/form-data\b/i.test(type ?? '');

/** A file on its way in. */
export interface SentUpload {
  readonly content: Readable;
  /** As the client has it, without its folders. */
  readonly name?: string;
}

const withoutFolders = (name: string): string => name.split(/[/\\]/).at(-1) ?? '';

/** What `Content-Disposition` says of a file that is sent alone. */
export function sentFileName({ 'content-disposition': told }: IncomingHttpHeaders): string | undefined {
  const [, quoted, bare] = /;\s*filename=(?:"([^"]*)"|([^\s;"]+))/i.exec(told ?? '') ?? [];
  return withoutFolders(quoted ?? bare ?? '') || undefined;
}

/**
 * The one file of a form, as it arrives. It ends when the form has, and fails where that is cut off or brings another file.
 * Rejects when there is none.
 */
export async function fileOfForm(body: Readable, headers: IncomingHttpHeaders): Promise<SentUpload> {
  // Only who sends a form needs it.
  const { Busboy } = await import('@fastify/busboy');
  let parser: BusboyInstance;
  try {
    parser = owned(new Busboy({ headers: { 'content-type': headers['content-type'] ?? '' }, limits }));
  } catch {
    throw new FormNotValid('The Content-Type of the form names no boundary');
  }
  let found: Readable | undefined;
  let name = '';
  const whole = new Promise<void>((resolve, reject) => {
    const cutOff = () => reject(new FormNotValid('The form is cut off, or is none'));
    parser.once('file', (_field, stream, filename) => {
      name = withoutFolders(filename ?? '');
      found = owned(stream).once('error', cutOff);
    });
    parser.once('finish', resolve);
    parser.once('error', cutOff);
    parser.once('filesLimit', () => reject(new FormNotValid('There are several files in the form')));
    finished(body, { writable: false }, (error) => error && reject(error));
  });
  whole.catch((error: Error) => found?.destroy(error));
  const begun = once(parser, 'file').catch(() => whole);
  body.pipe(parser);
  await Promise.race([begun, whole]);
  if (!found) throw new FormNotValid('There is no file in the form');
  const file = found;

  async function* content() {
    try {
      yield* file;
      await whole;
    } catch (error) {
      await whole;
      throw error;
    } finally {
      body.unpipe(parser);
    }
  }
  const stream = owned(Readable.from(content(), { objectMode: false }));
  return { content: stream, ...(name === '' ? {} : { name }) };
}
