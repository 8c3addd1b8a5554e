import { Readable } from 'node:stream';
import { NotFound } from '../../../model/errors.js';
import { owned } from '../../../runtime/owned.js';
import type { Archive } from './reader.js';

/** A file of an archive as it comes. Fails with `NotFound` naming `kind`, else as the archive does. */
export function fileStream(whole: () => Promise<Archive>, file: string, kind: string): Readable {
  async function* content() {
    const archive = await whole();
    const entry = archive.entry(file);
    if (!entry) throw new NotFound(kind, file);
    yield* archive.open(entry);
  }
  return owned(Readable.from(content(), { objectMode: false }));
}
