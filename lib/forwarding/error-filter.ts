import { Transform } from 'node:stream';
import { owned } from '../runtime/owned.js';

/** Of an error that are looked at; the rest is dropped. */
const maxBytes = 256 * 1024;

/** What `make` makes of the body of an error, when all of it is there. */
export function errorFilter(make: (text: string) => string): Transform {
  const pieces: Buffer[] = [];
  let size = 0;
  return owned(
    new Transform({
      transform(piece: Buffer, _encoding, done) {
        const kept = piece.subarray(0, maxBytes - size);
        pieces.push(kept);
        size += kept.length;
        done();
      },
      flush(done) {
        done(null, make(Buffer.concat(pieces).toString('utf8')));
      },
    }),
  );
}
